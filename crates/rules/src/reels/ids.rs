//! How the things of a game are called: the documents' `s12`, `p12`, `r1` and `i1`, or any such word.

use crate::ids::id;

id!(
    /// Somebody of the chat the reels come from.
    SenderId, "a sender id"
);
id!(
    /// A seat in the game.
    PlayerId, "a player id"
);
id!(RoundId, "a round id");
id!(ItemId, "an item id");
id!(
    /// What the reel is called where it comes from.
    ReelId, "a reel id"
);

impl PlayerId {
    /// The number of a seat that has one: `p12` is 12.
    pub fn number(&self) -> Option<u64> {
        self.as_str().strip_prefix('p')?.parse().ok()
    }

    pub fn numbered(number: u64) -> PlayerId {
        format!("p{number}").parse().expect("a letter and digits are an id")
    }
}
