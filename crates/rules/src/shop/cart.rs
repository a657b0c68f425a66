//! A cart: how many of what. Bounds, and how a guest's cart and a shopper's become one.

use super::names::Item;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// Lines one cart may hold.
pub const LINES_MAX: usize = 200;
/// How many of one item a cart may hold; more becomes this.
pub const QUANTITY_MAX: i64 = 9_999;
/// Changes of one cart that are remembered, so that one sent twice happens once.
pub const CHANGES_REMEMBERED: usize = 256;
/// The longest id a client may give to a change.
pub const CHANGE_ID_BYTES_MAX: usize = 64;

/// How many, 1 to `QUANTITY_MAX`: a line with none is no line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Quantity(i64);

impl Quantity {
    /// Nothing for none or fewer; what is too many becomes the most there may be.
    pub fn of(count: i64) -> Option<Quantity> {
        (count > 0).then(|| Quantity(count.min(QUANTITY_MAX)))
    }

    pub fn get(self) -> i64 {
        self.0
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// So many from now on; none or fewer takes the line away (document 004).
    Set(Item, i64),
    /// So many more, or fewer.
    Add(Item, i64),
    Remove(Item),
    Clear,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cart {
    pub lines: BTreeMap<Item, Quantity>,
}

impl Cart {
    pub fn count(&self) -> i64 {
        self.lines.values().map(|quantity| quantity.get()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// What a change leaves; nothing when the cart is full.
    #[must_use]
    pub fn changed(&self, change: &Change) -> Option<Cart> {
        let mut cart = self.clone();
        match change {
            Change::Set(item, count) => cart.put(item, *count),
            Change::Add(item, by) => {
                let was = cart.lines.get(item).map_or(0, |quantity| quantity.get());
                cart.put(item, was.saturating_add(*by));
            }
            Change::Remove(item) => drop(cart.lines.remove(item)),
            Change::Clear => cart.lines.clear(),
        }
        (cart.lines.len() <= LINES_MAX.max(self.lines.len())).then_some(cart)
    }

    fn put(&mut self, item: &Item, count: i64) {
        match Quantity::of(count) {
            Some(quantity) => drop(self.lines.insert(item.clone(), quantity)),
            None => drop(self.lines.remove(item)),
        }
    }
}

/// How the cart of a guest who logs in and the cart of the shopper they turn out to be become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Merge {
    /// What is in both counts together.
    #[default]
    Sum,
    /// Of what is in both, the larger number.
    Max,
    /// Of what is in both, the guest's number; what is in one stays.
    GuestWins,
    /// Of what is in both, the shopper's number; what is in one stays.
    UserWins,
    /// The guest's cart only if the shopper's is empty.
    GuestIfEmpty,
}

impl Merge {
    pub const ALL: [(Merge, &'static str); 5] = [
        (Merge::Sum, "sum"),
        (Merge::Max, "max"),
        (Merge::GuestWins, "guest_wins"),
        (Merge::UserWins, "user_wins"),
        (Merge::GuestIfEmpty, "guest_if_empty"),
    ];

    /// The shopper's lines come first, so that a cart which is full loses none of them.
    pub fn merge(self, guest: &Cart, user: &Cart) -> Cart {
        if self == Merge::GuestIfEmpty {
            return if user.is_empty() { guest.clone() } else { user.clone() };
        }
        let mut merged = user.clone();
        for (item, theirs) in &guest.lines {
            let both = match (merged.lines.get(item), self) {
                (None, _) if merged.lines.len() >= LINES_MAX => continue,
                (None, _) | (Some(_), Merge::GuestWins) => *theirs,
                (Some(ours), Merge::Sum) => Quantity((ours.get() + theirs.get()).min(QUANTITY_MAX)),
                (Some(ours), Merge::Max) => (*ours).max(*theirs),
                (Some(ours), Merge::UserWins | Merge::GuestIfEmpty) => *ours,
            };
            merged.lines.insert(item.clone(), both);
        }
        merged
    }
}

impl FromStr for Merge {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Merge, &'static str> {
        let known = Merge::ALL.into_iter().find(|(_, name)| *name == text);
        known.map(|(merge, _)| merge).ok_or("it is sum, max, guest_wins, user_wins or guest_if_empty")
    }
}

impl fmt::Display for Merge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Merge::ALL.into_iter().find(|(merge, _)| merge == self);
        f.write_str(known.map_or("sum", |(_, name)| name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cart(lines: &str) -> Cart {
        let line = |line: &str| {
            let (item, count) = line.split_once('=').unwrap();
            (item.parse().unwrap(), Quantity::of(count.parse().unwrap()).unwrap())
        };
        Cart { lines: lines.split_whitespace().map(line).collect() }
    }

    #[test]
    fn each_strategy_does_what_its_name_says() {
        let (guest, user) = (cart("tea=2 milk=1"), cart("tea=5 jam=3"));
        let cases = [
            (Merge::Sum, "tea=7 milk=1 jam=3"),
            (Merge::Max, "tea=5 milk=1 jam=3"),
            (Merge::GuestWins, "tea=2 milk=1 jam=3"),
            (Merge::UserWins, "tea=5 milk=1 jam=3"),
            (Merge::GuestIfEmpty, "tea=5 jam=3"),
        ];
        for (merge, expected) in cases {
            assert_eq!(merge.merge(&guest, &user), cart(expected), "{merge}");
            assert_eq!(merge.merge(&guest, &Cart::default()), guest, "{merge} into nothing");
            assert_eq!(merge.merge(&Cart::default(), &user), user, "{merge} of nothing");
            assert_eq!(merge.to_string().parse(), Ok(merge));
        }
    }

    #[test]
    fn h149_quantities_keep_their_bounds() {
        let item: Item = "tea".parse().unwrap();
        let after = |was: &str, change: Change| cart(was).changed(&change).unwrap();
        let set = |count| Change::Set(item.clone(), count);
        let add = |by| Change::Add(item.clone(), by);
        assert_eq!(after("tea=3", set(0)), Cart::default());
        assert_eq!(after("tea=3", set(-5)), Cart::default());
        assert_eq!(after("tea=3", set(i64::MAX)).count(), QUANTITY_MAX);
        assert_eq!(after("tea=3", add(-3)), Cart::default());
        assert_eq!(after("tea=3", add(-4)), Cart::default(), "a line never goes below none");
        assert_eq!(after("tea=3", add(i64::MAX)).count(), QUANTITY_MAX);
        assert_eq!(after("tea=3", add(i64::MIN)), Cart::default());
        assert_eq!(after("", add(-1)), Cart::default());
    }

    #[test]
    fn h151_a_cart_is_bounded_in_lines() {
        let item = |n: usize| format!("item{n}").parse::<Item>().unwrap();
        let full = (0..LINES_MAX).fold(Cart::default(), |cart, n| cart.changed(&Change::Add(item(n), 1)).unwrap());
        assert_eq!(full.changed(&Change::Add(item(LINES_MAX), 1)), None);
        assert!(full.changed(&Change::Add(item(0), 1)).is_some(), "what is in it may still grow");
        let merged = Merge::Sum.merge(&cart("new=1 item0=1"), &full);
        assert_eq!((merged.lines.len(), merged.lines[&item(0)].get()), (LINES_MAX, 2));
    }

    proptest! {
        #[test]
        fn merging_invents_nothing(guest in lines(), user in lines()) {
            for (merge, name) in Merge::ALL {
                let merged = merge.merge(&guest, &user);
                for (item, quantity) in &merged.lines {
                    let (a, b) = (guest.lines.get(item), user.lines.get(item));
                    let most = (a.map_or(0, |q| q.get()) + b.map_or(0, |q| q.get())).min(QUANTITY_MAX);
                    prop_assert!((1..=most).contains(&quantity.get()), "{name}");
                }
                let all = guest.lines.keys().chain(user.lines.keys()).filter(|_| merge != Merge::GuestIfEmpty);
                prop_assert!(all.into_iter().all(|item| merged.lines.contains_key(item)), "{name}");
            }
        }
    }

    fn lines() -> impl Strategy<Value = Cart> {
        proptest::collection::btree_map("[a-f]", 1i64..20, 0..6).prop_map(|lines| Cart {
            lines: lines.into_iter().map(|(item, count)| (item.parse().unwrap(), Quantity::of(count).unwrap())).collect(),
        })
    }
}
