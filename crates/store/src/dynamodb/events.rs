//! A room's commits as items of a partition of their own, so that a query of the room is the room and nothing else.

use super::DynamoDb;
use super::action::{Action, Id};
use super::attribute::{Attribute, Attributes, attributes_bytes};
use super::expression::Expression;
use super::failure::PART_BYTES;
use super::link::{Of, Row};
use super::names;
use super::values::{join, parts, parts_of};
use super::{codec, link};
use crate::error::StoreError;
use crate::rooms::Entry;
use crate::shapes::{Field, Value};
use bytes::Bytes;
use parlor_rules::position::{Place, Position};

/// The items of one commit.
pub(super) fn laid(pk: &str, life: &str, entry: &Entry, kept: Option<u64>) -> Vec<Action> {
    let seq = entry.place.position.seq;
    let pair = |(field, value): &(Field, Bytes)| Attribute::List(vec![Attribute::text(&**field), Attribute::of_bytes(value)]);
    let mut main = Attributes::from([
        ("mark".to_owned(), Attribute::text(entry.place.mark.to_string())),
        ("entry".to_owned(), Attribute::List(entry.fields.iter().map(pair).collect())),
    ]);
    let mut pieces = Vec::new();
    if attributes_bytes(&main) > PART_BYTES {
        let words = entry.fields.iter().flat_map(|(field, value)| [Bytes::copy_from_slice(field.as_bytes()), value.clone()]);
        pieces = parts_of(&codec::encode(&Value::List(words.collect())));
        main.remove("entry");
        main.insert("parts".into(), Attribute::number(pieces.len()));
    }
    let sks = std::iter::once(names::event(life, seq)).chain((0..).map(|part| names::event_part(life, seq, part)));
    let partition = names::events(pk);
    let items = std::iter::once(main).chain(pieces).zip(sks);
    let with_end = |mut attributes: Attributes| {
        attributes.extend(kept.map(|kept| ("ttl".to_owned(), Attribute::number(kept))));
        attributes
    };
    items.map(|(attributes, sk)| Action::put(Id::new(&*partition, sk), with_end(attributes))).collect()
}

/// The commits that rest in these items, which are in order and of one life.
pub(super) fn entries(life: &str, epoch: u64, rows: &[Row]) -> Result<Vec<Entry>, StoreError> {
    let mut entries = Vec::new();
    let mut rows = rows.iter().peekable();
    while let Some(main) = rows.next() {
        let number = main.id.sk.strip_prefix(life).and_then(|rest| rest.strip_prefix('-'));
        let mut pieces = Vec::new();
        while let Some(piece) = rows.next_if(|row| row.id.sk.strip_prefix(&*main.id.sk).is_some_and(|rest| rest.starts_with('#')))
        {
            pieces.push(&piece.attributes);
        }
        let Some(seq) = number.and_then(|number| number.parse().ok()) else {
            continue; // The rest of a commit whose beginning was trimmed.
        };
        let mark = main.attributes.get("mark").and_then(Attribute::as_text).and_then(|mark| mark.parse().ok());
        let fields = fields(&main.attributes, &pieces)?;
        let (Some(mark), Some(fields)) = (mark, fields) else {
            return Err(StoreError::Damaged(format!("the commit {}", main.id.sk)));
        };
        entries.push(Entry { place: Place { position: Position { epoch, seq }, mark }, fields });
    }
    Ok(entries)
}

fn fields(main: &Attributes, pieces: &[&Attributes]) -> Result<Option<Vec<(Field, Bytes)>>, StoreError> {
    let name = |bytes: &[u8]| std::str::from_utf8(bytes).ok().map(Field::from);
    if parts(main) > 0 {
        let Value::List(words) = codec::decode(&join(parts(main), pieces)?)? else { return Ok(None) };
        return Ok(words.chunks(2).map(|pair| Some((name(pair.first()?)?, pair.get(1)?.clone()))).collect());
    }
    let Some(Attribute::List(pairs)) = main.get("entry") else { return Ok(None) };
    let field = |pair: &Attribute| match pair {
        Attribute::List(pair) => Some((name(pair.first()?.as_bytes()?)?, Bytes::copy_from_slice(pair.get(1)?.as_bytes()?))),
        _ => None,
    };
    Ok(pairs.iter().map(field).collect())
}

impl DynamoDb {
    /// The commits of a life from this number on, as far as they follow each other without a gap.
    pub(super) async fn events_from(&self, pk: &str, life: &str, from: Position) -> Result<Vec<Entry>, StoreError> {
        let rows = self.event_rows(pk, life, from.seq, None).await?;
        let mut entries = entries(life, from.epoch, &rows)?;
        let whole =
            entries.iter().zip(entries.iter().skip(1)).position(|(one, two)| one.place.position.next() != two.place.position);
        // A page is not of one moment: what comes after a gap came later.
        entries.truncate(whole.map_or(entries.len(), |gap| gap + 1));
        Ok(entries)
    }

    /// The items of a life's commits from one number on, and perhaps before another.
    pub(super) async fn event_rows(&self, pk: &str, life: &str, from: u64, before: Option<u64>) -> Result<Vec<Row>, StoreError> {
        let mut expression = Expression::default();
        let (pk_name, sk_name) = (expression.name("pk"), expression.name("sk"));
        let pk_value = expression.value(Attribute::Text(names::events(pk)));
        let from = expression.value(Attribute::Text(names::event(life, from)));
        // A letter that comes after all digits.
        let to =
            before.map_or_else(|| format!("{life}-~"), |before| format!("{}#~", names::event(life, before.saturating_sub(1))));
        let to = expression.value(Attribute::Text(to));
        let keys = format!("{pk_name} = {pk_value} AND {sk_name} BETWEEN {from} AND {to}");
        self.all_pages(&Of { keys: Some(&keys), expression, consistent: true, ..Of::default() }).await
    }

    pub(super) async fn all_pages(&self, of: &Of<'_>) -> Result<Vec<Row>, StoreError> {
        let link::Paged { mut rows, mut next } = self.link.page(of, None).await?;
        while let Some(after) = next {
            let page = self.link.page(of, Some(&after)).await?;
            rows.extend(page.rows);
            next = page.next;
        }
        Ok(rows)
    }
}
