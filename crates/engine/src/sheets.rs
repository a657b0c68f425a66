//! What is written once while one picture is shown to many: whole views and patches, by encoding and class.

use crate::encode::{Encode, Picture};
use bytes::Bytes;
use parlor_rules::kinds::Class;
use parlor_rules::{Address, Viewer};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Pictures that one show may be patched from. Those who came since the last show each have their own; beyond this
/// many, comparing costs more than a whole view.
const BASES_MAX: usize = 16;

pub(crate) struct Sheets<'a> {
    room: &'a Address,
    pub(crate) picture: &'a Arc<Picture>,
    whole: BTreeMap<(&'static str, Class), Bytes>,
    patches: BTreeMap<(&'static str, Class, *const Picture), Patch>,
}

pub(crate) struct Patch {
    /// Lacks `mine`.
    pub(crate) piece: Bytes,
    /// For all whose own part is as it was: the very same bytes.
    pub(crate) bare: Bytes,
}

impl<'a> Sheets<'a> {
    pub(crate) fn of(room: &'a Address, picture: &'a Arc<Picture>) -> Sheets<'a> {
        Sheets { room, picture, whole: BTreeMap::new(), patches: BTreeMap::new() }
    }

    pub(crate) fn whole(&mut self, encode: &Arc<dyn Encode>, class: Class, viewer: &Viewer) -> Bytes {
        let sheet = self.whole.entry((encode.name(), class));
        sheet.or_insert_with(|| encode.shared(self.room, self.picture, viewer)).clone()
    }

    /// Nothing when too many other pictures were compared already. A base is known by its address, which no other can
    /// take: no picture is made while one is shown.
    pub(crate) fn patch(
        &mut self,
        encode: &Arc<dyn Encode>,
        class: Class,
        viewer: &Viewer,
        base: &Arc<Picture>,
    ) -> Option<&Patch> {
        let key = (encode.name(), class, Arc::as_ptr(base));
        if self.patches.len() >= BASES_MAX && !self.patches.contains_key(&key) {
            return None;
        }
        Some(self.patches.entry(key).or_insert_with(|| {
            let piece = encode.patch(self.room, base, self.picture, viewer);
            Patch { bare: encode.bare(&piece), piece }
        }))
    }
}
