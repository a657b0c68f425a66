//! The scripts, each known to the server by its hash. A server that has forgotten one is sent it again.

pub(super) struct Script {
    pub(super) name: &'static str,
    pub(super) code: String,
    pub(super) hash: String,
}

pub(super) struct Scripts {
    pub(super) append: Script,
    pub(super) load: Script,
    pub(super) since: Script,
    pub(super) close: Script,
    pub(super) announce: Script,
    pub(super) apply: Script,
    pub(super) read: Script,
    pub(super) put: Script,
    pub(super) stage: Script,
}

/// What several scripts begin with.
const LAST: &str = include_str!("scripts/last.lua");

impl Scripts {
    pub(super) fn new() -> Scripts {
        Scripts {
            append: Script::new("append", &[LAST, include_str!("scripts/append.lua")]),
            load: Script::new("load", &[LAST, include_str!("scripts/load.lua")]),
            since: Script::new("since", &[include_str!("scripts/since.lua")]),
            close: Script::new("close", &[LAST, include_str!("scripts/close.lua")]),
            announce: Script::new("announce", &[LAST, include_str!("scripts/announce.lua")]),
            apply: Script::new("apply", &[include_str!("scripts/apply.lua")]),
            read: Script::new("read", &[include_str!("scripts/read.lua")]),
            put: Script::new("put", &[LAST, include_str!("scripts/put.lua")]),
            stage: Script::new("stage", &[include_str!("scripts/stage.lua")]),
        }
    }
}

impl Script {
    fn new(name: &'static str, parts: &[&str]) -> Script {
        let code = parts.concat();
        let hash = redis::Script::new(&code).get_hash().to_owned();
        Script { name, code, hash }
    }
}
