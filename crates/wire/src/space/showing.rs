//! What people show of themselves in a space, in words. Not kept, so these are no commands: they have no number.

use crate::ask::{Fault, words};
use crate::commands::Verb;
use parlor_rules::Code;
use parlor_rules::json::{Json, NotJson};
use parlor_rules::space::limits::PRESENCE_BYTES_MAX;
use parlor_rules::space::{Frame, Showing};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

#[rustfmt::skip]
pub const SHOWINGS: &[Verb] = &[
    Verb {
        name: "presence_set",
        help: "Show a value of yours in a presence, whole, for so many seconds from now; it ends with your last connection (presence).",
        example: r#"{"presence":"cursors","value":{"x":1,"y":2},"seconds":60}"#,
        optional: &["seconds", "x", "y"],
        nullable: &["value"],
    },
    Verb { name: "presence_remove", help: "Show nothing in a presence any more.", example: r#"{"presence":"cursors"}"#, optional: &[], nullable: &[] },
    Verb {
        name: "presence_view",
        help: "Be told only of values whose x and y lie in the box (left, top, right, bottom); null: of all again. Only where you listen.",
        example: r#"{"presence":"cursors","box":[0,0,800,600]}"#,
        optional: &[],
        nullable: &["box"],
    },
    Verb { name: "join", help: "Be here without listening, for 60 seconds; join again to stay (presence).", example: "{}", optional: &[], nullable: &[] },
    Verb { name: "leave", help: "End such a visit.", example: "{}", optional: &[], nullable: &[] },
];

/// Nothing when the verb is none of these.
pub(crate) fn read(verb: &str, with: Option<&str>) -> Option<Result<Showing, Fault>> {
    let nothing = |showing: Showing| words::<Nothing>(with).map(|Nothing {}| showing);
    Some(match verb {
        "presence_set" => words(with).and_then(|Set { presence, value, seconds }| {
            let value = Json::read(value.get(), PRESENCE_BYTES_MAX).map_err(|why| match why {
                NotJson::TooLarge => Fault::new(Code::TooLarge, format!("what you show has at most {PRESENCE_BYTES_MAX} bytes")),
                why => Fault::bad(why),
            })?;
            Ok(Showing::Set { presence: presence.parse().map_err(Fault::bad)?, value, seconds })
        }),
        "presence_remove" => {
            words(with).and_then(|Remove { presence }| Ok(Showing::Remove { presence: presence.parse().map_err(Fault::bad)? }))
        }
        "presence_view" => words(with).and_then(|View { presence, r#box }| {
            let within = r#box.map(|[left, top, right, bottom]| Frame { left, top, right, bottom });
            Ok(Showing::View { presence: presence.parse().map_err(Fault::bad)?, within })
        }),
        "join" => nothing(Showing::Join),
        "leave" => nothing(Showing::Leave),
        _ => return None,
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Set {
    presence: String,
    value: Box<RawValue>,
    seconds: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Remove {
    presence: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct View {
    presence: String,
    #[serde(deserialize_with = "must_be_said")]
    r#box: Option<[f64; 4]>,
}

fn must_be_said<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<[f64; 4]>, D::Error> {
    Option::deserialize(deserializer)
}
