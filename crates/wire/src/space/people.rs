//! Who is in a space and what they show of themselves, in few bytes.
//!
//! Values of a presence are alike, so those that are objects with the same keys are told as rows under one head.

use super::change::text;
use bytes::Bytes;
use parlor_rules::space::PartName;
use parlor_rules::{Address, Json, UserId};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// What there is to tell of people; see the engine's news.
pub struct People<'a> {
    pub whole: bool,
    pub who: &'a [(u64, UserId, Option<Json>)],
    pub gone: &'a [u64],
    pub of: Vec<(&'a PartName, &'a [(u64, Json)], &'a [u64])>,
}

pub fn frame(room: &Address, people: &People<'_>) -> Bytes {
    let mut frame = format!(r#"{{"push":"presence","room":"{room}""#);
    if people.whole {
        frame.push_str(r#","whole":true"#);
    }
    if !people.who.is_empty() {
        frame.push_str(r#","who":["#);
        for (index, (number, user, info)) in people.who.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            let info = info.as_ref().map_or("null", Json::as_str);
            let _ = write!(frame, r#"{comma}[{number},"{user}",{info}]"#); // Writing to a String cannot fail.
        }
        frame.push(']');
    }
    if !people.gone.is_empty() {
        frame.push_str(r#","gone":"#);
        numbers(&mut frame, people.gone);
    }
    if !people.of.is_empty() {
        frame.push_str(r#","of":{"#);
        for (index, (presence, set, unset)) in people.of.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            let _ = write!(frame, r#"{comma}"{presence}":{{"#);
            shown(&mut frame, set, unset);
            frame.push('}');
        }
        frame.push('}');
    }
    frame.push('}');
    frame.into()
}

fn shown(frame: &mut String, set: &[(u64, Json)], unset: &[u64]) {
    let head: Option<Vec<&str>> = set.iter().find_map(|(_, json)| keys(json));
    let mut raw: Vec<(u64, &Json)> = Vec::new();
    let mut fields = 0;
    if let Some(head) = &head {
        let quoted: Vec<String> = head.iter().map(|key| format!("\"{key}\"")).collect();
        let _ = write!(frame, r#""keys":[{}],"set":["#, quoted.join(","));
        let mut rows = 0;
        for (number, json) in set {
            let start = frame.len();
            if rows > 0 {
                frame.push(',');
            }
            let _ = write!(frame, "[{number}");
            if row(frame, json, head) {
                frame.push(']');
                rows += 1;
            } else {
                frame.truncate(start);
                raw.push((*number, json));
            }
        }
        frame.push(']');
        fields += 1;
    } else {
        raw.extend(set.iter().map(|(number, json)| (*number, json)));
    }
    if !raw.is_empty() {
        frame.push_str(if fields > 0 { r#","raw":["# } else { r#""raw":["# });
        for (index, (number, json)) in raw.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            let _ = write!(frame, "{comma}[{number},{}]", json.as_str());
        }
        frame.push(']');
        fields += 1;
    }
    if !unset.is_empty() {
        frame.push_str(if fields > 0 { r#","unset":"# } else { r#""unset":"# });
        numbers(frame, unset);
    }
}

/// The keys of an object that has any.
fn keys(json: &Json) -> Option<Vec<&str>> {
    let keys: Vec<&str> = json.members()?.map(|(key, _)| key).collect();
    (!keys.is_empty()).then_some(keys)
}

/// Appends the values of an object with exactly these keys in this order; what it appended before it found out is left.
fn row(frame: &mut String, json: &Json, head: &[&str]) -> bool {
    let Some(members) = json.members() else { return false };
    let mut count = 0;
    for (key, value) in members {
        if head.get(count) != Some(&key) {
            return false;
        }
        frame.push(',');
        frame.push_str(value);
        count += 1;
    }
    count == head.len()
}

fn numbers(frame: &mut String, numbers: &[u64]) {
    frame.push('[');
    for (index, number) in numbers.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        let _ = write!(frame, "{comma}{number}");
    }
    frame.push(']');
}

/// Who shows what in one presence, for one look.
pub fn page(shown: &[(UserId, Option<Json>, Json)]) -> Bytes {
    let mut body = br#"{"people":["#.to_vec();
    for (index, (user, info, value)) in shown.iter().enumerate() {
        if index > 0 {
            body.push(b',');
        }
        body.extend_from_slice(br#"{"user_id":"#);
        text(&mut body, user.as_str());
        body.extend_from_slice(br#","info":"#);
        body.extend_from_slice(info.as_ref().map_or("null", Json::as_str).as_bytes());
        body.extend_from_slice(br#","value":"#);
        body.extend_from_slice(value.as_str().as_bytes());
        body.push(b'}');
    }
    body.extend_from_slice(b"]}");
    body.into()
}

/// The form of such a page, for the API's description.
pub fn page_schema() -> Value {
    let person = json!({ "type": "object", "required": ["user_id", "info", "value"], "properties": {
        "user_id": { "type": "string" }, "info": {}, "value": {} } });
    json!({ "type": "object", "required": ["people"], "properties": { "people": { "type": "array", "items": person } } })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(set: &[(u64, &str)], unset: &[u64]) -> String {
        let set: Vec<(u64, Json)> = set.iter().map(|(number, text)| (*number, Json::read(text, 1000).unwrap())).collect();
        let name: PartName = "cursors".parse().unwrap();
        let people = People { whole: false, who: &[], gone: &[], of: vec![(&name, &set, unset)] };
        let frame = frame(&"space/s".parse().unwrap(), &people);
        let value: Value = serde_json::from_slice(&frame).unwrap_or_else(|error| panic!("{error}: {frame:?}"));
        value["of"]["cursors"].to_string()
    }

    #[test]
    fn values_that_are_alike_are_rows_and_others_stand_as_they_are() {
        assert_eq!(
            told(&[(1, r#"{"x":1,"y":2}"#), (2, r#"{"x":3,"y":[4]}"#)], &[]),
            r#"{"keys":["x","y"],"set":[[1,1,2],[2,3,[4]]]}"#
        );
        assert_eq!(
            told(&[(1, "7"), (2, r#"{"x":3}"#), (3, r#"{"x":3,"y":4}"#), (4, r#"{"y":3}"#), (5, "{}")], &[6]),
            r#"{"keys":["x"],"raw":[[1,7],[3,{"x":3,"y":4}],[4,{"y":3}],[5,{}]],"set":[[2,3]],"unset":[6]}"#
        );
        assert_eq!(told(&[], &[1, 2]), r#"{"unset":[1,2]}"#);
        assert_eq!(told(&[(1, "null")], &[]), r#"{"raw":[[1,null]]}"#);
    }
}
