//! A value comes back as it was written, whatever it is and however the service writes its numbers.

use super::*;
use parlor_rules::Json;
use proptest::prelude::*;
use proptest::strategy::ValueTree;

const WHAT: &str = "a value";

/// As the service gives an item back: the same numbers, in whatever form it likes.
fn kept(value: &Attribute) -> Attribute {
    match value {
        Attribute::Number(written) => {
            let digits = plain(written).unwrap();
            let zeros = digits.len() - digits.trim_end_matches('0').len();
            let is_long = !digits.contains('.') && zeros > 2 && digits != "0";
            Attribute::Number(if is_long { format!("{}E+{zeros}", digits.trim_end_matches('0')) } else { digits })
        }
        Attribute::List(list) => Attribute::List(list.iter().map(kept).collect()),
        Attribute::Map(map) => Attribute::Map(map.iter().map(|(name, value)| (name.clone(), kept(value))).collect()),
        other => other.clone(),
    }
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?(0|[1-9][0-9]{0,3})",
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,17})?([eE][+-]?[0-9]{1,2})?",
        "-?0(\\.0{1,3})?([eE][+-]?[0-9]{1,30})?",
        "[1-9][0-9]{37}",
    ]
}

fn string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-c%]{0,2}",
        "\\PC{0,3}",
        Just("\\u00e9".to_owned()),
        Just("\\/".to_owned()),
        Just("\\n".to_owned()),
        Just("\\u0000".to_owned()),
        Just("\\ud83d\\ude00".to_owned()),
    ];
    prop::collection::vec(piece, 0..3).prop_map(|pieces| {
        let inner = pieces.concat();
        let is_sound = serde_json::from_str::<String>(&format!("\"{inner}\"")).is_ok();
        if is_sound { format!("\"{inner}\"") } else { "\"\"".to_owned() }
    })
}

fn json() -> impl Strategy<Value = String> {
    let words = ["null", "true", "false"].map(str::to_owned).to_vec();
    let leaf = prop_oneof![prop::sample::select(words), number(), string()];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec((string(), inner), 0..5).prop_map(|members| {
                let members: Vec<String> = members.iter().map(|(name, value)| format!("{name}:{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]
    #[test]
    fn a_value_comes_back_as_it_was_written(json in json()) {
        let Ok(json) = Json::read(&json, 100_000) else { return Ok(()) };
        let (value, spelling) = native(WHAT, json.as_str()).unwrap();
        prop_assert_eq!(text(WHAT, &kept(&value), spelling.as_deref()).unwrap(), json.as_str());
        // What is spelt says nothing that the attributes say.
        prop_assert!(spelling.is_none_or(|spelling| spelling.len() <= json.len()));
    }

    #[test]
    fn any_spelling_of_any_value_is_read_or_refused(one in json(), other in json(), place: prop::sample::Index, byte in 0u8..128) {
        let (Ok(one), Ok(other)) = (Json::read(&one, 100_000), Json::read(&other, 100_000)) else { return Ok(()) };
        let (value, own) = native(WHAT, one.as_str()).unwrap();
        let (_, spelling) = native(WHAT, other.as_str()).unwrap();
        for spelling in [own, spelling].into_iter().flatten() {
            let _ = text(WHAT, &value, Some(&spelling));
            let mut bytes = spelling.into_bytes();
            let place = place.index(bytes.len());
            bytes[place] = byte;
            if let Ok(spelling) = String::from_utf8(bytes) {
                let _ = text(WHAT, &value, Some(&spelling));
            }
        }
    }
}

#[test]
fn what_is_written_the_plain_way_has_no_spelling() {
    for (json, is) in [
        ("null", None),
        ("\"\"", None),
        ("[]", None),
        ("{}", None),
        ("-12.5", None),
        (r#"{"a":1,"b":[true,{"c":""}]}"#, None),
        (r#"{"":1,"a":2}"#, None),
        ("1.0", Some("1.0")),
        ("-0", Some("-0")),
        ("1e400", Some("1e400")),
        ("123456789012345678901234567890123456789", Some("123456789012345678901234567890123456789")),
        (r#""\u00e9""#, Some(r#""\u00e9""#)),
        (r#"{"b":[1],"a":2.50}"#, Some(r#"{"b":,"a":2.50}"#)),
        (r#"[1,2.0,{"x":1},3]"#, Some("[,2.0,,]")),
        (r#"{"a":{"z":1,"y":"x"},"b":"long"}"#, Some(r#"{"a":{"z":,"y":},"b":}"#)),
    ] {
        let (value, spelling) = native(WHAT, json).unwrap();
        assert_eq!(spelling.as_deref(), is, "{json}");
        assert_eq!(text(WHAT, &value, spelling.as_deref()).unwrap(), json);
    }
}

#[test]
fn a_spelling_of_another_value_is_damage() {
    for (json, spelling) in [
        ("1", "2"),
        ("1", "1.5"),
        ("1", "\"1\""),
        ("1", ""),
        ("1", "1,"),
        ("[1]", "[1"),
        ("[1]", "[1,2]"),
        ("[1,2]", "[1]"),
        ("[1]", "{\"a\":}"),
        (r#"{"a":1}"#, r#"{"b":}"#),
        (r#"{"a":1,"b":2}"#, r#"{"a":,"a":}"#),
        (r#"{"a":1,"b":2}"#, r#"{"a":}"#),
        (r#"{"a":1}"#, r#"{"a":"#),
        (r#""é""#, r#""\u00e8""#),
        ("true", "true"),
    ] {
        let (value, _) = native(WHAT, json).unwrap();
        assert!(text(WHAT, &value, Some(spelling)).is_err(), "{json} spelt {spelling}");
    }
    assert!(text(WHAT, &Attribute::Bytes(vec![1]), None).is_err());
    assert!(text(WHAT, &Attribute::Number("one".to_owned()), None).is_err());
    let deep = (0..100).fold(Attribute::Null, |inner, _| Attribute::List(vec![inner]));
    assert!(text(WHAT, &deep, None).is_err());
    assert!(native(WHAT, &format!("{}{}", "[".repeat(100), "]".repeat(100))).is_err());
    for odd in ["", " 1", "1 ", "[1,]", "{\"a\"}", "{\"a\":1,\"a\":2}", "tru", "\"", "\"\\"] {
        assert!(native(WHAT, odd).is_err(), "{odd:?}");
    }
}

/// Properties of what is never tried would prove little.
#[test]
fn what_is_tried_is_json_of_all_kinds() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut plain, mut spelt, mut nested) = (0, 0, 0);
    for _ in 0..1000 {
        let json = json().new_tree(&mut runner).unwrap().current();
        let Ok(json) = Json::read(&json, 100_000) else { continue };
        nested += usize::from(json.as_str().contains(":[") || json.as_str().contains(":{"));
        match native(WHAT, json.as_str()).unwrap() {
            (_, Some(_)) => spelt += 1,
            (_, None) => plain += 1,
        }
    }
    assert!(plain > 100 && spelt > 300 && nested > 50, "{plain} plain, {spelt} spelt, {nested} nested");
}
