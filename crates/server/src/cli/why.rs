//! `parlor why URL`: whether the edge keeps a page, and why, as a person reads it.

use crate::auth::web::Web;
use bytes::Bytes;
use clap::{Arg, ArgAction, ArgMatches, Command};
use http_body_util::Full;
use hyper::{Request, StatusCode};
use serde_json::Value;
use std::fmt::Write;

const ANSWER_BYTES_MAX: usize = 1024 * 1024;

pub fn command(server: Arg) -> Command {
    let key = "The server's admin-key";
    Command::new("why")
        .about("Say whether the edge keeps a page, and why")
        .arg(server)
        .arg(
            Arg::new("admin-key")
                .long("admin-key")
                .value_name("KEY")
                .env("PARLOR_ADMIN_KEY")
                .hide_env_values(true)
                .required(true)
                .help(key),
        )
        .arg(
            Arg::new("cookie")
                .long("cookie")
                .value_name("COOKIE")
                .help("As if the request had this cookie, for example parlor_visit=…"),
        )
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("The answer as JSON"))
        .arg(Arg::new("url").value_name("URL").required(true).help("The page, as in a browser, or its path"))
}

pub async fn run(flags: &ArgMatches) -> Result<(), String> {
    let said = |name: &str| flags.get_one::<String>(name).cloned().unwrap_or_default();
    let address = format!("{}/v1/shop/why?url={}", said("server").trim_end_matches('/'), in_query(&said("url")));
    let mut request = Request::get(address).header("parlor-admin-key", said("admin-key"));
    if let Some(cookie) = flags.get_one::<String>("cookie") {
        request = request.header("parlor-why-cookie", cookie);
    }
    let request = request.body(Full::new(Bytes::new())).map_err(|error| format!("this cannot be asked: {error}"))?;
    let server = said("server");
    let gone = |why: String| format!("no server answers at {server} ({why}); start one, or say where it is with --server");
    let (status, body) = Web::new()?.ask(request, ANSWER_BYTES_MAX).await.map_err(gone)?;
    let why: Value =
        serde_json::from_slice(&body).map_err(|_| format!("the server answered {status} with something else than JSON"))?;
    if status != StatusCode::OK {
        return Err(why["error"]["message"].as_str().unwrap_or("the server refused").to_owned());
    }
    if flags.get_flag("json") {
        println!("{why:#}");
    } else {
        print!("{}", told(&why));
    }
    Ok(())
}

/// The answer, a line for each thing that is known.
fn told(why: &Value) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut told = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(told, "{name:<12}{value}"); // Writing to a String cannot fail.
    };
    line("page", text(&why["url"]));
    line("now", format!("{}: {}", text(&why["decision"]), text(&why["because"])));
    line("rule", text(&why["rule"]));
    let seconds = |value: &Value| value.as_u64().map(|seconds| format!("{seconds} s"));
    for (name, value) in [("age", &why["age_s"]), ("fresh for", &why["fresh_for_s"])] {
        if let Some(seconds) = seconds(value) {
            line(name, seconds);
        }
    }
    if let Some(rank) = why["rank"].as_u64() {
        line("popular", format!("number {}", rank + 1));
    }
    for (name, member) in [("groups", "groups"), ("keys", "surrogate_keys"), ("rows", "rows"), ("slots", "slots")] {
        let all: Vec<&str> = why[member].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if !all.is_empty() {
            line(name, all.join(", "));
        }
    }
    if let Some(bytes) = why["stored_bytes"].as_u64() {
        line("size", format!("{bytes} bytes"));
    }
    for (name, value) in why["key"]["vary"].as_object().into_iter().flatten() {
        line("varies by", format!("{name}: {}", text(value)));
    }
    line("kept as", format!("cache:{}", text(&why["hash"])));
    told
}

fn in_query(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            safe.push(char::from(byte));
        } else {
            let _ = write!(safe, "%{byte:02X}"); // Writing to a String cannot fail.
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_answer_reads_like_a_label() {
        let why = json!({ "url": "http://shop/p/7", "decision": "hit", "because": "it is kept and fresh", "rule": "popular", "age_s": 12, "fresh_for_s": 300,
            "rank": 0, "groups": [], "surrogate_keys": ["a", "b"], "rows": ["237"], "slots": [], "stored_bytes": 158, "hash": "e5", "key": { "vary": { "accept-language": "fr" } } });
        insta::assert_snapshot!(told(&why));
        assert_eq!(in_query("/p/é?a=1&b"), "%2Fp%2F%C3%A9%3Fa%3D1%26b");
    }
}
