//! The only table of error codes: one name, the statuses of each door, and whether trying again can help.
//! Clients branch on `name` and `retry`, never on prose.

use parlor_rules::Code;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status {
    pub name: &'static str,
    pub http: u16,
    pub grpc: u8,
    pub retry: bool,
}

impl From<Code> for Status {
    fn from(code: Code) -> Status {
        let (name, http, grpc, retry) = match code {
            Code::BadRequest => ("bad_request", 400, 3, false),
            Code::TooLarge => ("too_large", 413, 3, false),
            Code::Unauthenticated => ("unauthenticated", 401, 16, false),
            Code::Forbidden => ("forbidden", 403, 7, false),
            Code::BadKey => ("bad_key", 403, 7, false),
            Code::RoomNotFound => ("room_not_found", 404, 5, false),
            Code::NotFound => ("not_found", 404, 5, false),
            Code::Exists => ("exists", 409, 6, false),
            Code::VersionMismatch => ("version_mismatch", 409, 9, false),
            Code::NotSeated => ("not_seated", 409, 9, false),
            Code::WrongPhase => ("wrong_phase", 409, 9, false),
            Code::NotInDeck => ("not_in_deck", 400, 3, false),
            Code::RoomFull => ("room_full", 409, 8, false),
            Code::NameTaken => ("name_taken", 409, 6, false),
            Code::TooMany => ("too_many", 429, 8, true),
            Code::TooFast => ("too_fast", 429, 8, true),
            Code::Contended => ("contended", 409, 10, true),
            Code::Unavailable => ("unavailable", 503, 14, true),
            Code::Unsupported => ("unsupported", 404, 12, false),
            Code::Internal => ("internal", 500, 13, false),
        };
        Status { name, http, grpc, retry }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_table_of_errors() {
        let rows: Vec<String> = Code::ALL
            .iter()
            .map(|code| Status::from(*code))
            .map(|Status { name, http, grpc, retry }| {
                format!("{name:<16} {http} {grpc:>2} {}", if retry { "retry" } else { "final" })
            })
            .collect();
        let names: BTreeSet<_> = Code::ALL.iter().map(|code| Status::from(*code).name).collect();
        assert_eq!(names.len(), Code::ALL.len(), "two codes share a name");
        insta::assert_snapshot!(rows.join("\n"));
    }
}
