//! The scripts, each known to the server by its hash. A server that has forgotten one is sent it again.

use crate::limits::{TAIL_BYTES_MAX, TAIL_COUNT_MAX};

pub(super) struct Script {
    pub(super) name: &'static str,
    /// Whether what it did is acknowledged to somebody, so that replicas are waited for where that is wished.
    pub(super) keeps: bool,
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
    pub(super) used: Script,
    pub(super) read: Script,
    pub(super) put: Script,
    pub(super) stage: Script,
}

/// What several scripts begin with.
const LAST: &str = include_str!("scripts/last.lua");
const PARTS: &str = include_str!("scripts/parts.lua");
const WORDS: &str = include_str!("scripts/words.lua");

impl Scripts {
    pub(super) fn new(cluster: bool) -> Scripts {
        let (publish, numsub) = if cluster { ("SPUBLISH", "SHARDNUMSUB") } else { ("PUBLISH", "NUMSUB") };
        // What is always the same is part of the script: every argument of a commit costs the server time.
        let always = format!(
            "local TAIL_COUNT_MAX, TAIL_BYTES_MAX = {TAIL_COUNT_MAX}, {TAIL_BYTES_MAX}\nlocal PUBLISH, NUMSUB = '{publish}', '{numsub}'\n"
        );
        Scripts {
            append: Script::keeping("append", &[&always, LAST, PARTS, include_str!("scripts/append.lua")]),
            load: Script::new("load", &[LAST, include_str!("scripts/load.lua")]),
            since: Script::new("since", &[include_str!("scripts/since.lua")]),
            close: Script::keeping("close", &[LAST, include_str!("scripts/close.lua")]),
            announce: Script::new("announce", &[LAST, include_str!("scripts/announce.lua")]),
            apply: Script::keeping("apply", &[WORDS, PARTS, include_str!("scripts/apply.lua")]),
            used: Script::keeping("used", &[include_str!("scripts/used.lua")]),
            read: Script::new("read", &[WORDS, include_str!("scripts/read.lua")]),
            put: Script::keeping("put", &[LAST, WORDS, PARTS, include_str!("scripts/put.lua")]),
            stage: Script::new("stage", &[PARTS, include_str!("scripts/stage.lua")]),
        }
    }
}

impl Script {
    fn new(name: &'static str, parts: &[&str]) -> Script {
        let code = parts.concat();
        let hash = redis::Script::new(&code).get_hash().to_owned();
        Script { name, keeps: false, code, hash }
    }

    fn keeping(name: &'static str, parts: &[&str]) -> Script {
        Script { keeps: true, ..Script::new(name, parts) }
    }
}
