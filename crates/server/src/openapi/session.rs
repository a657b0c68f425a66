//! Sessions in the API description.

use super::{operation, text};
use serde_json::{Value, json};

pub(super) fn paths() -> [(String, Value); 4] {
    let user = || json!({ "user_id": text("The public id, the same in every room"), "user_name": text("The name") });
    let with = |more: Value| {
        let mut properties = user();
        for (name, schema) in more.as_object().into_iter().flatten() {
            properties[name] = schema.clone();
        }
        let required: Vec<&String> = properties.as_object().into_iter().flat_map(|members| members.keys()).collect();
        json!({ "type": "object", "required": required, "properties": properties })
    };
    let expires =
        json!({ "type": "integer", "description": "When the session ends unless it is used, in milliseconds since 1970" });
    let name = json!({ "type": "object", "additionalProperties": false, "required": ["user_name"], "example": { "user_name": "Ana" }, "properties": {
        "user_name": { "type": "string" }, "token": text("Of an earlier session, which ends with this login; Authorization or the cookie do the same"), "client": { "type": "string" } } });
    let made = with(
        json!({ "expires_at": expires, "token": text("Private: whoever holds it is logged in. Shown only here, and in the cookie.") }),
    );
    let mut login =
        operation("login", "Log in under a name that nobody holds; sets the session's cookie.", Some(name), 201, made, &[]);
    login["requestBody"]["required"] = true.into();
    let nothing = json!({ "type": "object" });
    let logout = operation("logout", "End the session and close its sockets.", None, 200, nothing, &[]);
    let verify = operation("verify", "Who you are.", None, 200, with(json!({ "expires_at": expires })), &[]);
    let mut find =
        operation("user", "Who has this id, as long as they are logged in. Needs a session.", None, 200, with(json!({})), &[]);
    find["parameters"] = json!([{ "name": "user_id", "in": "path", "required": true, "schema": { "type": "string" } }]);
    [
        ("/v1/login".into(), json!({ "post": login })),
        ("/v1/logout".into(), json!({ "post": logout })),
        ("/v1/session".into(), json!({ "get": verify })),
        ("/v1/users/{user_id}".into(), json!({ "get": find })),
    ]
}

pub(super) fn schemes() -> Value {
    json!({
        "token": { "type": "http", "scheme": "bearer", "description": "The token of a login" },
        "jwt": { "type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": "A token that your app has signed, or one that its webhook knows: it says who you are and what you may do in which space (docs/auth.md)" },
        "cookie": { "type": "apiKey", "in": "cookie", "name": "parlor_session", "description": "Named __Host-parlor_session where cookies are secure" },
    })
}
