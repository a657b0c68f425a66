//! `/openapi.json`, made from the list of commands, so that it cannot forget one.

mod session;

use axum::Json;
use parlor_rules::Kind;
use parlor_wire::commands::verbs;
use parlor_wire::poker::{Me, Table, User};
use serde_json::{Map, Value, json};
use utoipa::PartialSchema;

pub async fn page() -> Json<Value> {
    Json(describe())
}

pub fn describe() -> Value {
    let mut paths = Map::new();
    paths.extend(session::paths());
    paths.insert("/v1/users".into(), json!({ "post": operation("newUser", "A new private user key. With it, any device is the same person.", None, 201, json!({ "type": "object", "required": ["user_key"], "properties": { "user_key": { "type": "string" } } }), &[]) }));
    let created = json!({ "type": "object", "required": ["room", "room_id", "host_key", "valid_sizes", "at", "mark"], "properties": {
        "room": text("Where the room is, on every door"), "room_id": text("The public id"), "host_key": text("Private: whoever holds it is the host. Shown only here."),
        "valid_sizes": text("The deck"), "at": text("The room's position"), "mark": text("The mark of that position") } });
    let wish = json!({ "type": "object", "additionalProperties": false, "properties": { "kind": { "type": "string", "enum": ["poker"] }, "valid_sizes": text("The deck: cards with spaces between") } });
    paths.insert("/v1/rooms".into(), json!({ "post": operation("createRoom", "A new room. With an Idempotency-Key, asking again gives the same room.", Some(wish), 201, created, &["Idempotency-Key"]) }));
    for kind in Kind::ALL {
        let room = format!("/v1/rooms/{}/{{id}}", kind.name());
        let view = json!({ "$ref": "#/components/schemas/View" });
        let mut look = operation("look", "The room as you may see it.", None, 200, view, &["Parlor-User-Key", "Parlor-Host-Key"]);
        let mut end = operation("deleteRoom", "The same as delete.", None, 200, acted(), &["Parlor-User-Key", "Parlor-Host-Key"]);
        with_id(&mut look);
        with_id(&mut end);
        paths.insert(room.clone(), json!({ "get": look, "delete": end }));
        for verb in verbs(*kind) {
            let example: Value = serde_json::from_str(verb.example).unwrap_or(Value::Null);
            let body = json!({ "type": "object", "additionalProperties": false, "example": example, "properties": properties(&example), "required": required(&example, verb.optional) });
            let headers = ["Parlor-User-Key", "Parlor-Host-Key", "Idempotency-Key"];
            let mut act = operation(verb.name, verb.help, Some(body), 200, acted(), &headers);
            with_id(&mut act);
            paths.insert(format!("{room}/{}", verb.name), json!({ "post": act }));
        }
        let mut say = operation(
            "say",
            "Tell everyone who is in the room now; not kept. Any JSON.",
            Some(json!({})),
            200,
            json!({ "type": "object" }),
            &["Parlor-User-Key", "Parlor-Host-Key"],
        );
        with_id(&mut say);
        paths.insert(format!("{room}/say"), json!({ "post": say }));
    }
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Parlor", "version": env!("CARGO_PKG_VERSION"), "description": "Rooms where people change something together. The WebSocket at /v1/ws carries the same commands and pushes every change." },
        "paths": paths,
        "security": [{}, { "token": [] }, { "cookie": [] }],
        "components": { "securitySchemes": session::schemes(), "schemas": {
            "Table": Table::schema(), "User": User::schema(), "Me": Me::schema(),
            "View": { "type": "object", "required": ["push", "room", "at", "mark", "view", "me"], "properties": {
                "push": { "const": "view" }, "room": text("The room"), "at": text("The position of this view"), "mark": text("The mark of that position"),
                "expires_at": { "type": "integer" }, "view": { "$ref": "#/components/schemas/Table" }, "me": { "$ref": "#/components/schemas/Me" } } },
            "Error": { "type": "object", "required": ["error"], "properties": { "error": { "type": "object", "required": ["code", "message", "retry"], "properties": {
                "code": text("Branch on this"), "message": text("For people"), "retry": { "type": "boolean", "description": "Whether sending it again can help" } } } } } } }
    })
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

fn properties(example: &Value) -> Value {
    let fields = example.as_object().into_iter().flatten();
    fields
        .map(|(name, value)| {
            (
                name.clone(),
                json!({ "type": if value.is_u64() { "integer" } else if value.is_boolean() { "boolean" } else { "string" } }),
            )
        })
        .collect::<Map<_, _>>()
        .into()
}

fn required<'a>(example: &'a Value, optional: &[&str]) -> Vec<&'a String> {
    example.as_object().into_iter().flat_map(Map::keys).filter(|name| !optional.contains(&name.as_str())).collect()
}
