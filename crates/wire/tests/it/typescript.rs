//! sdk/js is typed from here: `sdk/js/src/table.ts` and `reels-words.ts` are what the schemas and the lists of commands say, or
//! this fails.
//! `UPDATE_DOCS=1 cargo test -p parlor-wire the_sdk_is_typed` writes it.

use parlor_wire::commands::Verb;
use parlor_wire::poker::{self, Count, Me, Outcome, Round, Story, Table, User};
use parlor_wire::reels;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use utoipa::PartialSchema;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sdk/js/src");

/// A file of types: its name, what it is about, and the interface of its verbs.
struct File {
    name: &'static str,
    about: &'static str,
    types: Vec<(&'static str, Value)>,
    /// Whether what is not required is left out, never null.
    exact: bool,
    verbs: (&'static str, &'static str, &'static [Verb]),
}

fn files() -> [File; 2] {
    let table = vec![
        ("Table", json!(Table::schema())),
        ("User", json!(User::schema())),
        ("Outcome", json!(Outcome::schema())),
        ("Count", json!(Count::schema())),
        ("Story", json!(Story::schema())),
        ("Round", json!(Round::schema())),
        ("Me", json!(Me::schema())),
    ];
    [
        File {
            name: "table.ts",
            about: "planning poker",
            types: table,
            exact: false,
            verbs: ("PokerVerbs", "Every verb of the table", poker::VERBS),
        },
        File {
            name: "reels-words.ts",
            about: "the party game",
            types: reels::schemas(),
            exact: true,
            verbs: ("ReelsVerbs", "Every message of the game", reels::VERBS),
        },
    ]
}

#[test]
fn the_sdk_is_typed_from_the_wire() {
    for File { name, about, types, exact, verbs: (interface_name, all, verbs) } in files() {
        let mut written = format!(
            "// The words of {about}, written by a test from the server's own types: crates/wire/tests/it/typescript.rs.\n"
        );
        types.iter().for_each(|(name, schema)| interface(&mut written, name, schema, exact));
        // Writing to a String cannot fail.
        let _ = write!(written, "\n/** {all} and what it takes. */\nexport interface {interface_name} {{\n");
        for verb in verbs {
            let example: Value = serde_json::from_str(verb.example).unwrap();
            let _ = writeln!(written, "  /** {} */\n  {}: {};", verb.help, verb.name, taken(verb, &example));
        }
        written += "}\n";
        let file = format!("{FOLDER}/{name}");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&file, &written).unwrap();
        }
        let there = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            there == written,
            "sdk/js/src/{name} is not what the wire says; UPDATE_DOCS=1 cargo test -p parlor-wire writes it"
        );
    }
}

fn interface(into: &mut String, name: &str, schema: &Value, exact: bool) {
    let none = Map::new();
    let (fields, about) = (schema["properties"].as_object().unwrap_or(&none), schema["description"].as_str());
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let _ = writeln!(into, "\n{}export interface {name} {{", about.map_or(String::new(), |about| format!("/** {about} */\n")));
    for (field, schema) in fields {
        if let Some(about) = schema["description"].as_str() {
            let _ = writeln!(into, "  /** {about} */");
        }
        let mark = if required.contains(&field.as_str()) { "" } else { "?" };
        let kind = if exact && mark == "?" { without_null(&kind(schema)) } else { kind(schema) };
        let _ = writeln!(into, "  readonly {field}{mark}: {kind};");
    }
    into.push_str("}\n");
}

fn without_null(kind: &str) -> String {
    kind.split(" | ").filter(|way| *way != "null").collect::<Vec<_>>().join(" | ")
}

fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return name.to_owned();
    }
    if let Some(ways) = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array()) {
        return ways.iter().map(kind).collect::<Vec<_>>().join(" | ");
    }
    if schema["type"] == "array" {
        return format!("readonly {}[]", kind(&schema["items"]));
    }
    let plain = |name: &str| match name {
        "integer" | "number" => "number".to_owned(),
        "string" | "boolean" | "null" => name.to_owned(),
        "array" => format!("readonly {}[]", kind(&schema["items"])),
        other => panic!("no type of TypeScript is known for {other} in {schema}"),
    };
    match &schema["type"] {
        Value::String(name) => plain(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).map(plain).collect::<Vec<_>>().join(" | "),
        _ => panic!("{schema} has no type"),
    }
}

/// What a verb takes, by its example.
fn taken(verb: &Verb, example: &Value) -> String {
    match example {
        Value::Object(words) if words.is_empty() => "Record<string, never>".to_owned(),
        Value::Object(words) => {
            let word = |(name, value): (&String, &Value)| {
                let mark = if verb.optional.contains(&name.as_str()) { "?" } else { "" };
                let null = if verb.nullable.contains(&name.as_str()) { " | null" } else { "" };
                format!("{name}{mark}: {}{null}", taken(verb, value))
            };
            format!("{{ {} }}", words.iter().map(word).collect::<Vec<_>>().join("; "))
        }
        Value::Array(items) => format!("{}[]", items.first().map_or("unknown".to_owned(), |item| taken(verb, item))),
        Value::String(_) => "string".to_owned(),
        Value::Number(_) => "number".to_owned(),
        Value::Bool(_) => "boolean".to_owned(),
        Value::Null => "null".to_owned(),
    }
}
