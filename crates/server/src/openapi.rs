//! `/openapi.json`, made from the list of commands, so that it cannot forget one.

mod reels;
mod session;
mod shop;
mod space;

use axum::Json;
use parlor_rules::Kind;
use parlor_rules::poker::Deck;
use parlor_rules::poker::settings::{LIFE_MINUTES_DEFAULT, LIFE_MINUTES_MAX};
use parlor_rules::space::settings::LIFE_MINUTES_MAX as SPACE_LIFE_MINUTES_MAX;
use parlor_wire::commands::{Verb, ending, showings, verbs};
use parlor_wire::poker::{Count, Me, Outcome, Played, PlayedRound, PlayedVote, Round, Story, Table, User};
use serde_json::{Map, Value, json};
use utoipa::PartialSchema;

pub async fn page() -> Json<Value> {
    Json(describe())
}

pub fn describe() -> Value {
    let mut paths = Map::new();
    paths.extend(session::paths());
    paths.insert("/v1/users".into(), json!({ "post": operation("newUser", "A new private user key. With it, any device is the same person.", None, 201, json!({ "type": "object", "required": ["user_key"], "properties": { "user_key": { "type": "string" } } }), &[]) }));
    let created = json!({ "type": "object", "required": ["room", "room_id", "host_key", "at", "mark"], "properties": {
        "room": text("Where the room is, on every door"), "room_id": text("The public id"), "host_key": text("Private: whoever holds it is the host. Shown only here."),
        "valid_sizes": text("The deck"), "at": text("The room's position"), "mark": text("The mark of that position") } });
    let everybody =
        |who: &str| json!({ "type": "string", "enum": ["none", "read", "write"], "description": format!("What {who} may do") });
    let space = json!({ "type": "object", "required": ["kind"], "additionalProperties": false, "properties": {
        "kind": { "const": Kind::Space.name() }, "name": text("What the space is called"),
        "guests": everybody("people with nothing but a user key"), "members": everybody("people who are logged in"),
        "life_minutes": { "type": "integer", "minimum": 1, "maximum": SPACE_LIFE_MINUTES_MAX, "description": "How long the space lives after it was last changed; for ever if nothing is said" } } });
    let table = json!({ "type": "object", "additionalProperties": false, "properties": {
        "kind": { "const": Kind::Poker.name() },
        "deck": { "type": "string", "enum": Deck::PRESETS.iter().map(|(name, _)| *name).collect::<Vec<_>>(), "description": "A deck that has a name; not together with valid_sizes" },
        "valid_sizes": text("The deck: cards with spaces between"), "name": text("What the room is called"),
        "auto_reveal": { "type": "boolean", "description": "Whether the cards open by themselves once every voter has voted" },
        "reveal_by": { "type": "string", "enum": ["host", "everyone"], "description": "Who may show, hide and reset" },
        "life_minutes": { "type": "integer", "minimum": LIFE_MINUTES_DEFAULT, "maximum": LIFE_MINUTES_MAX, "description": "How long the room lives after it was last used" } } });
    let wish = json!({ "anyOf": [table, space, reels::wish()] });
    let decks = json!({ "type": "object", "required": ["decks"], "properties": { "decks": { "type": "array", "items": { "type": "object", "required": ["deck", "valid_sizes"],
        "properties": { "deck": text("Its name"), "valid_sizes": text("Its cards") } } } } });
    paths.insert("/v1/decks".into(), json!({ "get": operation("decks", "The decks that have a name.", None, 200, decks, &[]) }));
    paths.insert("/v1/rooms".into(), json!({ "post": operation("createRoom", "A new room. With an Idempotency-Key, asking again gives the same room.", Some(wish), 201, created, &["Idempotency-Key"]) }));
    for kind in Kind::ALL {
        let room = format!("/v1/rooms/{}/{{id}}", kind.name());
        let (view, kept) = match kind {
            Kind::Poker => ("View", acted()),
            Kind::Space => ("SpaceView", space::acted()),
            Kind::Reels => ("ReelsView", acted()),
        };
        let view = json!({ "$ref": format!("#/components/schemas/{view}") });
        let called = |name: &str| if *kind == Kind::Poker { name.to_owned() } else { format!("{}_{name}", kind.name()) };
        let keys = ["Parlor-User-Key", "Parlor-Host-Key"];
        let mut look = operation(&called("look"), "The room as you may see it.", None, 200, view, &keys);
        let mut end =
            operation(&called("deleteRoom"), &format!("The same as {}.", ending(*kind)), None, 200, kept.clone(), &keys);
        with_id(&mut look);
        with_id(&mut end);
        paths.insert(room.clone(), json!({ "get": look, "delete": end }));
        let forms = [("csv", json!({ "type": "string" })), ("json", json!({ "$ref": "#/components/schemas/Played" }))];
        for (form, schema) in forms.into_iter().filter(|_| *kind == Kind::Poker) {
            let help = "The stories with their estimates, and every shown round with its votes by name.";
            let id = format!("export_{form}");
            let mut export = operation(&id, help, None, 200, schema, &["Parlor-User-Key", "Parlor-Host-Key"]);
            if form == "csv" {
                let content = export["responses"]["200"]["content"]["application/json"].take();
                export["responses"]["200"]["content"] = json!({ "text/csv": content });
            }
            with_id(&mut export);
            paths.insert(format!("{room}/export.{form}"), json!({ "get": export }));
        }
        for verb in verbs(*kind).iter().chain(showings(*kind)) {
            let example: Value = serde_json::from_str(verb.example).unwrap_or(Value::Null);
            let mut body = schema(&example, verb);
            body["example"] = example;
            let headers = ["Parlor-User-Key", "Parlor-Host-Key", "Idempotency-Key"];
            let mut act = operation(&called(verb.name), verb.help, Some(body), 200, kept.clone(), &headers);
            with_id(&mut act);
            paths.insert(format!("{room}/{}", verb.name), json!({ "post": act }));
        }
        let mut say = operation(
            &called("say"),
            "Tell everyone who is in the room now; not kept. Any JSON.",
            Some(json!({})),
            200,
            json!({ "type": "object" }),
            &["Parlor-User-Key", "Parlor-Host-Key"],
        );
        with_id(&mut say);
        paths.insert(format!("{room}/say"), json!({ "post": say }));
    }
    paths.extend(space::paths());
    paths.extend(reels::paths());
    paths.extend(shop::paths());
    let mut described = json!({
        "openapi": "3.1.0",
        "info": { "title": "Parlor", "version": env!("CARGO_PKG_VERSION"), "description": "Rooms where people change something together. The WebSocket at /v1/ws carries the same commands and pushes every change." },
        "paths": paths,
        "security": [{}, { "token": [] }, { "jwt": [] }, { "cookie": [] }],
        "components": { "securitySchemes": session::schemes(), "schemas": {
            "Table": Table::schema(), "User": User::schema(), "Me": Me::schema(), "Outcome": Outcome::schema(), "Count": Count::schema(), "Story": Story::schema(),
            "Round": Round::schema(), "Played": Played::schema(), "PlayedRound": PlayedRound::schema(), "PlayedVote": PlayedVote::schema(),
            "View": { "type": "object", "required": ["push", "room", "at", "mark", "view", "me"], "properties": {
                "push": { "const": "view" }, "room": text("The room"), "at": text("The position of this view"), "mark": text("The mark of that position"),
                "expires_at": { "type": "integer" }, "view": { "$ref": "#/components/schemas/Table" }, "me": { "$ref": "#/components/schemas/Me" } } },
            "Error": { "type": "object", "required": ["error"], "properties": { "error": { "type": "object", "required": ["code", "message", "retry"], "properties": {
                "code": text("Branch on this"), "message": text("For people"), "retry": { "type": "boolean", "description": "Whether sending it again can help" },
                "reason": text("A game's own word for it, where it has one") } } } } } }
    });
    if let Some(schemas) = described["components"]["schemas"].as_object_mut() {
        schemas.extend(space::schemas());
        schemas.extend(reels::schemas());
        schemas.extend(shop::schemas());
    }
    described
}

fn operation(id: &str, summary: &str, body: Option<Value>, status: u16, schema: Value, headers: &[&str]) -> Value {
    let parameters: Vec<Value> = headers
        .iter()
        .map(|name| json!({ "name": name, "in": "header", "required": false, "schema": { "type": "string" } }))
        .collect();
    let mut operation = json!({
        "operationId": id,
        "summary": summary,
        "parameters": parameters,
        "responses": {
            status.to_string(): { "description": "Done; what it says is durable.", "content": { "application/json": { "schema": schema } } },
            "default": { "description": "Nothing changed, and why.", "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } } },
        },
    });
    if let Some(body) = body {
        operation["requestBody"] = json!({ "content": { "application/json": { "schema": body } } });
    }
    operation
}

fn with_id(operation: &mut Value) {
    if let Some(parameters) = operation["parameters"].as_array_mut() {
        parameters.push(json!({ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }));
    }
}

fn acted() -> Value {
    json!({ "type": "object", "required": ["at"], "properties": { "at": text("The position at which it was kept"), "again": { "type": "boolean" } } })
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

/// What an example shows of its kind: its words, which of them must be said, and which may be null.
fn schema(example: &Value, verb: &Verb) -> Value {
    match example {
        Value::Null | Value::String(_) => json!({ "type": "string" }),
        Value::Bool(_) => json!({ "type": "boolean" }),
        Value::Number(_) => json!({ "type": "integer" }),
        Value::Array(items) => {
            json!({ "type": "array", "items": items.first().map_or_else(|| json!({}), |item| schema(item, verb)) })
        }
        // What somebody may put there is any JSON.
        Value::Object(words) if words.contains_key("x") => json!({}),
        Value::Object(words) => {
            let word = |(name, value): (&String, &Value)| {
                let mut schema = schema(value, verb);
                if name == "value" {
                    return (name.clone(), json!({ "description": "Any JSON" }));
                }
                if verb.nullable.contains(&name.as_str()) {
                    schema["type"] = json!([schema["type"].take(), "null"]);
                }
                (name.clone(), schema)
            };
            let required: Vec<&String> = words.keys().filter(|name| !verb.optional.contains(&name.as_str())).collect();
            let properties: Map<_, _> = words.iter().map(word).collect();
            json!({ "type": "object", "additionalProperties": false, "properties": properties, "required": required })
        }
    }
}
