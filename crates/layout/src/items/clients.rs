//! What each client was last answered, beside whatever else is known of its person: `client:(client)` → {n, seq, at}.
//!
//! The programs of one person are in one item, at most 256 of them, so that an act writes one item for its author.

use super::sheet::Sheet;
use super::words::{self, Names};
use crate::damage::{Damaged, damaged};
use crate::receipts;
use crate::text::spelt;
use bytes::Bytes;
use parlor_store::Field;
use parlor_store::items::{Attribute, Attributes};
use std::collections::BTreeMap;

const CLIENT: &str = "client:";

const NAMES: Names = &[("n", "n"), ("seq", "seq"), ("at", "at")];

/// Sets or takes away what a field of the clients' hash says. `prefix` and the person's id are the item.
pub(crate) fn lay(sheet: &mut Sheet, prefix: &str, field: &str, value: Option<&[u8]>) -> Result<String, Damaged> {
    let (user, client) = field.split_once('/').ok_or_else(|| damaged("a receipt", "its holder has no client"))?;
    let (sk, name) = (format!("{prefix}{user}"), format!("{CLIENT}{client}"));
    match value {
        Some(value) => sheet.set(&sk, &name, Attribute::Map(words::attributes(NAMES, "a receipt", value)?)),
        None => sheet.remove(&sk, &name),
    }
    Ok(sk)
}

/// The fields of the clients' hash that rest in a person's item.
pub(crate) fn read(user: &str, item: &Attributes, fields: &mut BTreeMap<Field, Bytes>) -> Result<(), Damaged> {
    for (name, value) in item {
        let Some(client) = name.strip_prefix(CLIENT) else { continue };
        let what = format!("a receipt of {user}/{client}");
        let receipt = spelt::<receipts::Form>(&what, words::members(NAMES, &what, words::map(&what, value)?)?)?;
        fields.insert(format!("{user}/{client}").into(), receipt);
    }
    Ok(())
}

pub(crate) fn is_of_a_client(name: &str) -> bool {
    name.starts_with(CLIENT)
}
