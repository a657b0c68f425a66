//! What a room that tells has told, in lines for people to read.

use serde_json::Value;

/// What a space told, a line for each thing that changed.
pub fn lines(told: &Value) -> Vec<String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut lines = Vec::new();
    match told["push"].as_str() {
        Some("changes") => {
            for done in list(&told["done"]) {
                let by = done["by"].as_str().unwrap_or("the host").to_owned();
                lines.extend(list(&done["changes"]).iter().map(|change| format!("  {by}  {change}")));
            }
        }
        Some("snapshot") => {
            for (kind, parts) in [("map", &told["maps"]), ("list", &told["lists"])] {
                for (name, part) in parts.as_object().into_iter().flatten() {
                    lines.push(format!("── {kind} {name}\n   {part}"));
                }
            }
            if told["last"] == true {
                lines.push(format!("── all there is, at {}", told["at"].as_str().unwrap_or_default()));
            }
        }
        _ => {
            lines.extend(list(&told["who"]).iter().map(|who| format!("  {} is here", who[1].as_str().unwrap_or_default())));
            lines.extend(list(&told["gone"]).iter().map(|number| format!("  number {number} is gone")));
            let of = told["of"].as_object().into_iter().flatten();
            lines.extend(of.map(|(presence, shown)| format!("  in {presence}: {shown}")));
        }
    }
    lines
}
