//! Requests as the words of the other doors, so that there is one reader for all of them.

use serde::{Serialize, Serializer};

/// A request of this door, in the words that `wire` reads.
pub trait Words: Serialize {
    fn words(&self) -> String {
        serde_json::to_string(self).expect("requests have text keys only")
    }
}

impl<T: Serialize> Words for T {}

/// An empty text takes something away, which the other doors say as null.
pub(crate) fn or_null<S: Serializer>(text: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    text.as_ref().filter(|text| !text.is_empty()).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v1::{EditStoryRequest, JoinRoomRequest, PickStoryRequest};

    #[test]
    fn what_is_not_said_is_left_out_and_an_empty_text_is_null() {
        let mut edit = EditStoryRequest { room_id: "r".into(), story_id: "s1".into(), ..Default::default() };
        assert_eq!(edit.words(), r#"{"story_id":"s1"}"#);
        (edit.link, edit.estimate) = (Some(String::new()), Some("5".into()));
        assert_eq!(edit.words(), r#"{"story_id":"s1","link":null,"estimate":"5"}"#);
        assert_eq!(PickStoryRequest::default().words(), "{}");
        assert_eq!(PickStoryRequest { story_id: Some(String::new()), ..Default::default() }.words(), r#"{"story_id":null}"#);
        let join = JoinRoomRequest { user_name: Some("Ana".into()), resume: Some(Default::default()), ..Default::default() };
        assert_eq!(join.words(), r#"{"user_name":"Ana"}"#);
    }
}
