//! sdk/js is typed from here: `sdk/js/src/table.ts` is what the schemas and the list of commands say, or this fails.
//! `UPDATE_DOCS=1 cargo test -p parlor-wire the_sdk_is_typed` writes it.

use parlor_wire::commands::Verb;
use parlor_wire::poker::{Count, Me, Outcome, Round, Story, Table, User, VERBS};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use utoipa::PartialSchema;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sdk/js/src/table.ts");
const HEAD: &str =
    "// The words of planning poker, written by a test from the server's own types: crates/wire/tests/it/typescript.rs.\n";

#[test]
fn the_sdk_is_typed_from_the_wire() {
    let mut written = String::from(HEAD);
    for (name, schema) in [
        ("Table", json!(Table::schema())),
        ("User", json!(User::schema())),
        ("Outcome", json!(Outcome::schema())),
        ("Count", json!(Count::schema())),
        ("Story", json!(Story::schema())),
        ("Round", json!(Round::schema())),
        ("Me", json!(Me::schema())),
    ] {
        interface(&mut written, name, &schema);
    }
    written += "\n/** Every verb of the table and what it takes. */\nexport interface PokerVerbs {\n";
    for verb in VERBS {
        let example: Value = serde_json::from_str(verb.example).unwrap();
        // Writing to a String cannot fail.
        let _ = writeln!(written, "  /** {} */\n  {}: {};", verb.help, verb.name, taken(verb, &example));
    }
    written += "}\n";
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(FILE, &written).unwrap();
    }
    let there = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(there == written, "sdk/js/src/table.ts is not what the wire says; UPDATE_DOCS=1 cargo test -p parlor-wire writes it");
}

fn interface(into: &mut String, name: &str, schema: &Value) {
    let none = Map::new();
    let (fields, about) = (schema["properties"].as_object().unwrap_or(&none), schema["description"].as_str());
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let _ = writeln!(into, "\n{}export interface {name} {{", about.map_or(String::new(), |about| format!("/** {about} */\n")));
    for (field, schema) in fields {
        if let Some(about) = schema["description"].as_str() {
            let _ = writeln!(into, "  /** {about} */");
        }
        let mark = if required.contains(&field.as_str()) { "" } else { "?" };
        let _ = writeln!(into, "  readonly {field}{mark}: {};", kind(schema));
    }
    into.push_str("}\n");
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
