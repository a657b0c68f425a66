//! The shop in the API description.

use super::{operation, text};
use parlor_rules::shop::Merge;
use parlor_rules::shop::cart::{LINES_MAX, QUANTITY_MAX};
use serde_json::{Map, Value, json};

const VISIT: &[&str] = &["Parlor-Visit"];
const ADMIN: &[&str] = &["Parlor-Admin-Key"];

pub(super) fn paths() -> Map<String, Value> {
    let cart = || reference("Cart");
    let item = || text("What the shop calls it; 1 to 128 bytes");
    let id = || text("Your own name for this change: the same one sent again happens once");
    let counted = |help: &str| {
        object(
            &["item", "quantity"],
            json!({ "item": item(), "quantity": { "type": "integer", "description": help }, "id": id() }),
        )
    };
    let made = |more: Value| {
        let mut made = object(
            &["token", "visit"],
            json!({ "token": text("Private: whoever holds it is this visit. Shown only here, and in the cookie."), "visit": reference("Visit") }),
        );
        if let (Some(properties), Some(more)) = (made["properties"].as_object_mut(), more.as_object()) {
            properties.extend(more.clone());
        }
        made
    };
    let names: Vec<&str> = Merge::ALL.iter().map(|(_, name)| *name).collect();
    let login = object(
        &["user"],
        json!({ "user": text("Who it is, as your shop calls them"),
        "merge": { "type": "string", "enum": names, "description": "How the guest's cart and the user's become one; sum if nothing is said" } }),
    );
    let nothing = || json!({ "type": "object" });
    let items = |schema: Value| json!({ "type": "array", "items": schema });
    let popular = || {
        items(object(
            &["item", "views"],
            json!({ "item": text("The item"), "views": { "type": "number", "description": "Halved every 300 s" } }),
        ))
    };
    let list = || object(&["visits"], json!({ "visits": items(reference("Visit")) }));
    let ended = || object(&["ended"], json!({ "ended": { "type": "integer" } }));
    let mut paths = Map::new();
    let mut add = |path: &str, method: &str, mut operation: Value| {
        for name in path.split('{').skip(1).filter_map(|part| part.split('}').next()) {
            let parameter = json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } });
            operation["parameters"].as_array_mut().expect("every operation has parameters").push(parameter);
        }
        operation["tags"] = json!(["shop"]);
        let methods = paths.entry(path.to_owned()).or_insert_with(|| json!({}));
        methods[method] = operation;
    };
    add(
        "/v1/shop/visits",
        "post",
        operation("beginVisit", "A new visit of a guest; sets the cookie parlor_visit.", None, 201, made(json!({})), &[]),
    );
    let look =
        object(&["visit", "cart", "viewed"], json!({ "visit": reference("Visit"), "cart": cart(), "viewed": items(item()) }));
    add(
        "/v1/shop/visit",
        "get",
        operation("visit", "The visit that the token opens, its cart and what it viewed.", None, 200, look, VISIT),
    );
    let touch = object(&[], json!({ "item": item() }));
    add(
        "/v1/shop/visit/touch",
        "post",
        operation("touch", "The visit was used, and looked at an item. Kept within 100 ms.", Some(touch), 200, nothing(), VISIT),
    );
    add(
        "/v1/shop/visit/login",
        "post",
        operation(
            "loginVisit",
            "Your shop's server says who the visitor is: the token changes, the carts become one.",
            Some(login),
            201,
            made(json!({ "cart": cart() })),
            &["Parlor-Visit", "Parlor-Shop-Key"],
        ),
    );
    add(
        "/v1/shop/visit/logout",
        "post",
        operation("logoutVisit", "End the visit. A user's cart waits for their next login.", None, 200, nothing(), VISIT),
    );
    add(
        "/v1/shop/visit/viewed",
        "get",
        operation(
            "viewed",
            "The newest 25 items that the visit looked at, the newest first.",
            None,
            200,
            object(&["items"], json!({ "items": items(item()) })),
            VISIT,
        ),
    );
    let mut first =
        operation("popular", "The most popular items.", None, 200, object(&["items"], json!({ "items": popular() })), &[]);
    first["parameters"] =
        json!([{ "name": "n", "in": "query", "schema": { "type": "integer", "default": 20, "maximum": 1000 } }]);
    add("/v1/shop/popular", "get", first);
    add("/v1/shop/cart", "get", operation("cart", "The visit's cart.", None, 200, cart(), VISIT));
    add(
        "/v1/shop/cart/set",
        "post",
        operation("setInCart", "So many of an item; none or fewer takes it out.", Some(counted("How many")), 200, cart(), VISIT),
    );
    add(
        "/v1/shop/cart/add",
        "post",
        operation(
            "addToCart",
            "So many more of an item, or fewer. What is added at the same time all counts.",
            Some(counted("How many more")),
            200,
            cart(),
            VISIT,
        ),
    );
    add(
        "/v1/shop/cart/remove",
        "post",
        operation(
            "removeFromCart",
            "Take an item out.",
            Some(object(&["item"], json!({ "item": item(), "id": id() }))),
            200,
            cart(),
            VISIT,
        ),
    );
    add(
        "/v1/shop/cart/clear",
        "post",
        operation("clearCart", "Take everything out.", Some(object(&[], json!({ "id": id() }))), 200, cart(), VISIT),
    );
    let mut events = operation(
        "cartEvents",
        "The cart now and after every change, as server-sent events `cart`; `ended` when the visit is over.",
        None,
        200,
        cart(),
        VISIT,
    );
    let content = events["responses"]["200"]["content"]["application/json"].take();
    events["responses"]["200"]["content"] = json!({ "text/event-stream": content });
    add("/v1/shop/cart/events", "get", events);
    add("/v1/shop/users/{user}/visits", "get", operation("visitsOf", "The visits of a user.", None, 200, list(), ADMIN));
    add(
        "/v1/shop/users/{user}/visits",
        "delete",
        operation("endVisitsOf", "End all visits of a user.", None, 200, ended(), ADMIN),
    );
    add(
        "/v1/shop/users/{user}/visits/{visit}",
        "delete",
        operation("endVisitOf", "End one visit of a user, by the id that the list shows.", None, 200, ended(), ADMIN),
    );
    add("/v1/shop/stats", "get", operation("shopStats", "What is going on in the shop.", None, 200, nothing(), ADMIN));
    let row = || reference("Row");
    let mut rows = operation(
        "rows",
        "The rows that are kept, a page of them.",
        None,
        200,
        object(&["rows", "next"], json!({ "rows": items(row()), "next": { "type": ["string", "null"] } })),
        ADMIN,
    );
    if let Some(parameters) = rows["parameters"].as_array_mut() {
        parameters.push(json!({ "name": "after", "in": "query", "schema": { "type": "string" } }));
        parameters.push(json!({ "name": "n", "in": "query", "schema": { "type": "integer", "default": 100, "maximum": 1000 } }));
    }
    add("/v1/shop/rows", "get", rows);
    add("/v1/shop/rows/{row}", "get", operation("row", "A row and how it is kept.", None, 200, row(), ADMIN));
    let delay = object(
        &["delay"],
        json!({ "delay": { "type": "number", "description": "Seconds between two readings; none or fewer takes the row away" } }),
    );
    add("/v1/shop/rows/{row}", "put", operation("keepRow", "Keep a row of the database fresh.", Some(delay), 200, row(), ADMIN));
    add("/v1/shop/rows/{row}", "delete", operation("removeRow", "Keep it no longer.", None, 200, nothing(), ADMIN));
    add("/v1/shop/rows/{row}/refresh", "post", operation("refreshRow", "It has changed: read it now.", None, 200, row(), ADMIN));
    let purged = object(
        &[],
        json!({ "url": text("One page"), "group": text("A group (RFC 9875)"), "surrogate_key": text("A Surrogate-Key"), "row": text("Pages that use this row"),
        "all": { "type": "boolean" }, "soft": { "type": "boolean", "description": "Stale instead of gone: it may be shown while it is fetched anew" } }),
    );
    add(
        "/v1/shop/purge",
        "post",
        operation(
            "purge",
            "Take pages out of the cache: one of url, group, surrogate_key, row, all.",
            Some(purged),
            200,
            object(&["purged"], json!({ "purged": { "type": "integer" } })),
            ADMIN,
        ),
    );
    let mut why =
        operation("why", "Whether a page is kept, and why.", None, 200, nothing(), &["Parlor-Admin-Key", "Parlor-Why-Cookie"]);
    if let Some(parameters) = why["parameters"].as_array_mut() {
        parameters.push(json!({ "name": "url", "in": "query", "required": true, "schema": { "type": "string" } }));
    }
    add("/v1/shop/why", "get", why);
    paths
}

pub(super) fn schemas() -> Map<String, Value> {
    let moment = |help: &str| json!({ "type": "integer", "description": format!("{help}, in milliseconds since 1970") });
    let visit = object(
        &["user", "since", "last_used", "idle_until", "ends"],
        json!({
        "user": { "type": ["string", "null"], "description": "Who is logged in; null for a guest" },
        "since": moment("When it began"), "last_used": moment("When it was last used"),
        "idle_until": moment("When it ends unless it is used"), "ends": moment("When it ends however much it is used"),
        "id": text("By which an operator can name it; in lists only") }),
    );
    let line = object(
        &["item", "quantity"],
        json!({ "item": text("The item"), "quantity": { "type": "integer", "minimum": 1, "maximum": QUANTITY_MAX } }),
    );
    let cart = object(
        &["lines", "items", "count", "expires_at"],
        json!({
        "lines": { "type": "array", "maxItems": LINES_MAX, "items": line },
        "items": { "type": "integer", "description": "How many different items" },
        "count": { "type": "integer", "description": "How many altogether" },
        "expires_at": { "type": ["integer", "null"], "description": "When it goes unless it is changed; null for an empty one" },
        "version": { "type": "integer", "description": "Grows with every change" },
        "again": { "type": "boolean", "description": "The change had happened before, under the same id" } }),
    );
    let row = object(
        &["row", "delay", "next", "age_ms", "failures", "value"],
        json!({
        "row": text("Its id"), "delay": { "type": "number", "description": "Seconds between two readings" }, "next": moment("When it is read next"),
        "age_ms": { "type": ["integer", "null"], "description": "How old what is kept is; null before the first reading" },
        "failures": { "type": "integer", "description": "How often in a row reading it failed" },
        "missing_since": { "type": ["integer", "null"], "description": "Since when the database has had no such row" },
        "value": { "type": ["object", "null"], "description": "Its columns" } }),
    );
    [("Visit".to_owned(), visit), ("Cart".to_owned(), cart), ("Row".to_owned(), row)].into_iter().collect()
}

fn object(required: &[&str], properties: Value) -> Value {
    json!({ "type": "object", "required": required, "properties": properties })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}
