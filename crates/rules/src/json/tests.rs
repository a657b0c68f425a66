//! What is JSON here: what others take for JSON, within limits, and each limit at its edge.

use super::*;
use proptest::prelude::*;

fn read(text: &str) -> Result<String, NotJson> {
    Json::read(text, VALUE_BYTES_MAX).map(|json| json.as_str().to_owned())
}

#[track_caller]
fn is(text: &str, compact: &str) {
    assert_eq!(read(text).as_deref(), Ok(compact), "{text}");
}

#[track_caller]
fn refused(why: NotJson, texts: &[&str]) {
    for text in texts {
        assert_eq!(read(text), Err(why), "{text}");
    }
}

#[test]
fn only_the_white_space_between_parts_is_left_out() {
    is(" { \"a b\" : [ 1 , 2.50 ,\t{ } , [ ] ] ,\r\n\"c\":\" \\n \" } ", r#"{"a b":[1,2.50,{},[]],"c":" \n "}"#);
    for text in ["null", "true", "false", "0", "-0", "1E+5", "\"\"", "[]", "{}", r#""\u00e9 é \ud83d\ude00 \/""#] {
        is(text, text);
        is(&format!("\n {text}\t"), text);
    }
}

#[test]
fn what_is_not_json_is_refused() {
    refused(
        NotJson::Form,
        &[
            "",
            " ",
            "nul",
            "nulll",
            "True",
            "1 2",
            "[1,]",
            "[,1]",
            "[1 2]",
            "{,}",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{a:1}",
            "{1:1}",
            "[",
            "]",
            "[}",
            "{]",
            "[1",
            "{\"a\":1",
            "\"",
            "\"\\",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"\\u12",
            "\"\t\"",
            "\"\n\"",
            "01",
            "-",
            "-a",
            "+1",
            ".5",
            "1.",
            "1.e3",
            "1e",
            "1e+",
            "0x1",
            "NaN",
            "Infinity",
            "'a'",
            "//",
            "\u{a0}1",
            "\u{feff}1",
            "1\0",
            "\"\\ud8\"",
            "\"\\ud800\\u12\"",
            "[1],",
            "[[]",
        ],
    );
}

#[test]
fn h63_a_value_nests_so_deep_and_no_deeper() {
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    is(&nested(DEPTH_MAX), &nested(DEPTH_MAX));
    refused(NotJson::TooDeep, &[&nested(DEPTH_MAX + 1), &"[".repeat(1_000_000), &"{\"a\":".repeat(1_000)]);
    let beside = format!("[{},{}]", nested(DEPTH_MAX - 1), nested(DEPTH_MAX - 1));
    is(&beside, &beside);
}

#[test]
fn h63_a_number_is_so_long_and_so_large() {
    let digits = "12345678901234567890123456789012345678";
    assert_eq!(digits.len(), DIGITS_MAX);
    for number in [
        digits,
        &format!("-{digits}e87"),
        &format!("{digits}000000"),
        &format!("0.000{digits}"),
        &format!("000{digits}.0")[3..],
        "1e125",
        "9.9999e125",
        "0.001e128",
        "1000e122",
        "1e-130",
        "0.01e-128",
        "100e-132",
        "-1e-130",
        "0e999999999999999999999999",
        "0.000e-999",
        "-0",
        &format!("1{}", "0".repeat(125)),
    ] {
        is(number, number);
    }
    refused(
        NotJson::Number,
        &[
            &format!("{digits}9"),
            &format!("0.{digits}9"),
            &format!("1.{digits}"),
            "1e126",
            "10e125",
            "-1e126",
            "0.1e127",
            "9.99e-131",
            "0.1e-130",
            "1e99999999999999999999999999999999",
            "1e-99999999999999999999999999999999",
            &format!("1{}", "0".repeat(126)),
        ],
    );
}

#[test]
fn half_a_surrogate_pair_is_no_character() {
    refused(
        NotJson::Surrogate,
        &[
            r#""\ud800""#,
            r#""\udc00""#,
            r#""\ud800x""#,
            r#""\ud800\n""#,
            r#""\ud800\ud800""#,
            r#"{"\udfff":1}"#,
            r#""\uDBFF\u0041""#,
        ],
    );
    is(r#""\uD83D\uDE00""#, r#""\uD83D\uDE00""#);
}

#[test]
fn a_key_stands_once_in_an_object_however_it_is_spelt() {
    refused(
        NotJson::Twice,
        &[
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"b":2,"\u0061":3}"#,
            r#"{"😀":1,"\ud83d\ude00":2}"#,
            r#"{"/":1,"\/":2}"#,
            r#"{"\n":1,"\u000a":2}"#,
            r#"{"\"\\\b\f\r\t":1,"\u0022\u005c\u0008\u000C\u000d\u0009":2}"#,
            r#"[{"x":{"":1,"":2}}]"#,
        ],
    );
    for text in [r#"{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}"#, r#"{"a":1,"A":2,"a ":3,"":4}"#, r#"{"\\u0061":1,"a":2}"#] {
        is(text, text);
    }
}

#[test]
fn h63_bytes_are_counted_without_white_space() {
    let read = |text: &str, max| Json::read(text, max).map(|json| json.len());
    assert_eq!(read("[1,2]", 5), Ok(5));
    assert_eq!(read(" [ 1 , 2 ] ", 5), Ok(5));
    assert_eq!(read("[1,2]", 4), Err(NotJson::TooLarge));
    assert_eq!(read(" [ 1 , 2 ] ", 4), Err(NotJson::TooLarge));
    assert_eq!(read(&format!("{}1", " ".repeat(100_000)), 1), Ok(1));
    assert_eq!(read("\"abc\"", 5), Ok(5));
    assert_eq!(read("\"abc\"", 4), Err(NotJson::TooLarge));
    assert_eq!(read("12", 1), Err(NotJson::TooLarge));
}

/// Texts that are nearly JSON: made of its pieces.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(
        &[
            "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\"b\"", "\\", "\\u0061", "\\ud83d", "\\ude00", "0", "1", "9", "-", ".",
            "e", "+", "true", "null", " ", "\n", "é", "\u{1}", "{}", "[]", "\"a\":", "1e5", "0.1", "\\n", "1,",
        ][..],
    );
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

/// Any JSON value, written with white space here and there.
fn values() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?",
        "\\PC{0,10}".prop_map(|text| serde_json::to_string(&text).unwrap()),
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ];
    let spaced =
        |inner: BoxedStrategy<String>| ("[ \\n\\t]{0,2}", inner, "[ \\r]{0,2}").prop_map(|(a, b, c)| format!("{a}{b}{c}"));
    leaf.prop_recursive(5, 40, 5, move |inner| {
        let inner = spaced(inner.boxed()).boxed();
        let key = spaced("[a-e\"\\\\é]{0,2}".prop_map(|text| serde_json::to_string(&text).unwrap()).boxed());
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..5).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec((key, inner), 1..5).prop_map(|members| {
                let members: Vec<String> = members.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

fn agrees(text: &str) -> Result<(), TestCaseError> {
    let theirs = serde_json::from_str::<serde_json::Value>(text);
    match (read(text), theirs) {
        (Ok(compact), Ok(value)) => {
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&compact).unwrap(), value);
            prop_assert_eq!(read(&compact), Ok(compact.clone()), "its own text is read as it is");
            prop_assert!(compact.len() <= text.len());
        }
        (Ok(compact), Err(error)) => prop_assert!(false, "{compact} was read, but {error}"),
        (Err(NotJson::Form), Ok(value)) => prop_assert!(false, "{text} is {value}"),
        (Err(_), Ok(_) | Err(_)) => {}
    }
    Ok(())
}

proptest! {
    #[test]
    fn what_is_json_is_what_others_take_for_json(text in prop_oneof![pieces(), values()]) {
        agrees(&text)?;
    }

    #[test]
    fn a_change_in_a_value_is_seen_as_others_see_it(text in values(), at: prop::sample::Index, with in "[\\[\\]{},:\"\\\\0-9a-u.+ -]|") {
        let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
        let place = *at.get(&places);
        let rest = text[place..].chars().next().map_or(place, |c| place + c.len_utf8());
        agrees(&format!("{}{with}{}", &text[..place], &text[rest..]))?;
    }

    #[test]
    fn compact_is_what_others_write(value in values()) {
        // Numbers and escapes may be spelt in several ways; compared are values that have only one.
        let Ok(plain) = serde_json::from_str::<serde_json::Value>(&value) else { return Ok(()) };
        let (dense, airy) = (plain.to_string(), serde_json::to_string_pretty(&plain).unwrap());
        if let Ok(read_dense) = read(&dense) {
            prop_assert_eq!(&read_dense, &dense);
            prop_assert_eq!(read(&airy), Ok(dense));
        }
    }
}
