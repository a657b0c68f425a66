//! Who may lean on whom: the arrows of ARCHITECTURE.md, read from the manifests.
//!
//! Dependencies for tests may point anywhere; they build no house.

use super::{File, Finding};

/// A crate, the crates of this house it may use, and whether the rest of its dependencies is free.
struct Arrows {
    of: &'static str,
    to: &'static [&'static str],
    /// Third parties; none given means any.
    tenants: Option<&'static [&'static str]>,
}

#[rustfmt::skip]
const ARROWS: &[Arrows] = &[
    Arrows { of: "rules",  to: &[], tenants: Some(&["caseless", "imbl", "sha2", "subtle", "thiserror", "unicode-normalization"]) },
    Arrows { of: "store",  to: &["rules"], tenants: None },
    Arrows { of: "layout", to: &["rules", "store"], tenants: Some(&["base64", "bytes", "imbl", "serde", "serde_json", "thiserror", "xxhash-rust"]) },
    Arrows { of: "engine", to: &["rules", "layout", "store"], tenants: None },
    Arrows { of: "wire",   to: &["rules"], tenants: None },
    Arrows { of: "proto",  to: &["rules", "wire"], tenants: None },
    Arrows { of: "client", to: &["wire", "rules"], tenants: None },
    Arrows { of: "edge",   to: &[], tenants: None },
    Arrows { of: "rows",   to: &["rules", "store", "layout"], tenants: None },
    Arrows { of: "shop",   to: &["rules", "store", "layout"], tenants: None },
    Arrows { of: "demo",   to: &[], tenants: None },
    Arrows { of: "server", to: &["rules", "store", "layout", "engine", "wire", "proto", "client", "edge", "rows", "shop"], tenants: None },
    Arrows { of: "sim",    to: &["rules", "store", "layout", "engine", "wire", "client", "server"], tenants: None },
    Arrows { of: "testbed", to: &[], tenants: Some(&["rustix", "tempfile"]) },
];

pub(super) fn findings(file: &File) -> Vec<Finding> {
    let Some(name) = file.path.strip_prefix("crates/").and_then(|path| path.strip_suffix("/Cargo.toml")) else {
        return Vec::new();
    };
    let Some(arrows) = ARROWS.iter().find(|arrows| arrows.of == name) else {
        return vec![Finding::new(
            &file.path,
            0,
            format!("a crate without arrows: say in xtask/src/tidy/arrows.rs what {name} may use"),
        )];
    };
    let mut found = Vec::new();
    for (line, dependency) in dependencies(&file.text) {
        let why = match (ours(&dependency), arrows.tenants) {
            (Some(other), _) if arrows.to.contains(&other) => continue,
            (Some(other), _) => format!("{name} may not use {other}; the arrows of the house point the other way"),
            (None, Some(known)) if !known.contains(&dependency.as_str()) => {
                format!("{name} takes no tenant {dependency} that xtask/src/tidy/arrows.rs does not list")
            }
            (None, _) => continue,
        };
        found.push(Finding::new(&file.path, line, why));
    }
    found
}

fn ours(dependency: &str) -> Option<&str> {
    if dependency == "parlor" { Some("server") } else { dependency.strip_prefix("parlor-") }
}

/// The names under `[dependencies]`, `[build-dependencies]` and their kin for one target, with their lines.
fn dependencies(manifest: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (index, line) in manifest.lines().enumerate() {
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[') {
            let header = header.trim_end_matches(']');
            inside = header == "build-dependencies" || header == "dependencies" || header.ends_with(".dependencies");
            if let Some((_, name)) = header.split_once("dependencies.").filter(|(before, _)| !before.ends_with("dev-")) {
                found.push((index + 1, name.trim_matches('"').to_string()));
            }
        } else if inside && !line.is_empty() && !line.starts_with('#') {
            let key: String = line.chars().take_while(|c| !matches!(c, '.' | '=' | ' ')).collect();
            let renamed = line.split_once("package").and_then(|(_, rest)| rest.split('"').nth(1));
            found.push((index + 1, renamed.unwrap_or(key.trim_matches('"')).to_string()));
        }
    }
    found
}
