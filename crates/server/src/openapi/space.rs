//! The part of `/openapi.json` that is about spaces: what they hold, page by page, and what a look shows.

use super::{operation, text, with_id};
use parlor_wire::space::{About, Me, Summary, pages, people};
use serde_json::{Map, Value, json};
use utoipa::PartialSchema;

const KEYS: &[&str] = &["Parlor-User-Key", "Parlor-Host-Key"];

pub(super) fn paths() -> Map<String, Value> {
    let mut paths = Map::new();
    let mut add = |path: &str, id: &str, help: &str, schema: Value, words: &[&str], spans: bool| {
        let mut get = operation(id, help, None, 200, schema, KEYS);
        with_id(&mut get);
        for word in words {
            parameter(&mut get, word, "path", true, json!({ "type": "string" }));
        }
        if spans {
            parameter(&mut get, "after", "query", false, text("Where the last page ended"));
            let limit = json!({ "type": "integer", "minimum": 1, "maximum": pages::PAGE_MAX });
            parameter(&mut get, "limit", "query", false, limit);
        }
        paths.insert(format!("/v1/rooms/space/{{id}}/{path}"), json!({ "get": get }));
    };
    add("maps/{map}", "space_map", "What a map holds, by key.", pages::map_schema(), &["map"], true);
    add("maps/{map}/{key}", "space_entry", "One entry of a map.", pages::entry_schema(), &["map", "key"], false);
    add("lists/{list}", "space_list", "What a list holds, in order.", pages::list_schema(), &["list"], true);
    let help = "What people show in a presence now.";
    add("presences/{presence}", "space_presence", help, people::page_schema(), &["presence"], false);
    paths
}

pub(super) fn schemas() -> Map<String, Value> {
    let view = json!({ "type": "object", "required": ["push", "room", "at", "mark", "view", "me"], "properties": {
        "push": { "const": "view" }, "room": text("The space"), "at": text("Its position"), "mark": text("The mark of that position"),
        "expires_at": { "type": "integer" }, "view": { "$ref": "#/components/schemas/Summary" },
        "me": { "$ref": "#/components/schemas/SpaceMe" } } });
    let all = [
        ("Summary", json!(Summary::schema())),
        ("About", json!(About::schema())),
        ("SpaceMe", json!(Me::schema())),
        ("SpaceView", view),
    ];
    all.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}

/// What a command came to.
pub(super) fn acted() -> Value {
    json!({ "type": "object", "required": ["at"], "properties": {
        "at": text("The position at which it was kept"), "again": { "type": "boolean" },
        "changes": { "type": "array", "items": { "type": "object" }, "description": "What changed, as everyone is told it" } } })
}

fn parameter(operation: &mut Value, name: &str, place: &str, required: bool, schema: Value) {
    if let Some(parameters) = operation["parameters"].as_array_mut() {
        parameters.push(json!({ "name": name, "in": place, "required": required, "schema": schema }));
    }
}
