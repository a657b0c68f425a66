//! A room's past to take home, as a table for spreadsheets or as JSON for programs.

use crate::poker;
use parlor_rules::kinds::Export;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    Csv,
    Json,
}

impl Form {
    pub fn media_type(self) -> &'static str {
        match self {
            Form::Csv => "text/csv; charset=utf-8",
            Form::Json => "application/json",
        }
    }
}

pub fn written(export: &Export, form: Form) -> String {
    match (export, form) {
        (Export::Poker(export), Form::Csv) => poker::csv(export),
        (Export::Poker(export), Form::Json) => poker::json(export),
        (Export::Space(none), _) => match *none {},
        (Export::Reels(none), _) => match *none {},
    }
}
