//! Writes laid over what lies below them: what a key holds from now on, or that it is gone.

use super::disk::{DiskError, Pair, View};
use bytes::Bytes;
use imbl::OrdMap;
use std::ops::Bound;
use std::sync::Arc;

pub(super) type Layer = OrdMap<Bytes, Option<Bytes>>;
pub(super) type Each<'a> = dyn FnMut(&[u8], &[u8]) -> bool + 'a;

pub(super) fn between<'a>(from: &'a [u8], to: &'a [u8]) -> (Bound<&'a [u8]>, Bound<&'a [u8]>) {
    (Bound::Included(from), Bound::Excluded(to))
}

/// Walks over both in order; where both have a key, the upper one's word counts.
pub(super) fn scan_over<'a>(
    over: impl Iterator<Item = (&'a [u8], &'a Option<Bytes>)>,
    below: impl FnOnce(&mut Each<'_>) -> Result<(), DiskError>,
    each: &mut Each<'_>,
) -> Result<(), DiskError> {
    let mut over = over.peekable();
    let mut on = true;
    below(&mut |key, value| {
        while let Some(mine) = over.next_if(|(mine, _)| *mine < key) {
            on = say(mine, each);
            if !on {
                return false;
            }
        }
        on = match over.next_if(|(mine, _)| *mine == key) {
            Some(mine) => say(mine, each),
            None => each(key, value),
        };
        on
    })?;
    while on && let Some(mine) = over.next() {
        on = say(mine, each);
    }
    Ok(())
}

fn say((key, value): (&[u8], &Option<Bytes>), each: &mut Each<'_>) -> bool {
    value.as_ref().is_none_or(|value| each(key, value))
}

fn range<'a>(layer: &'a Layer, from: &'a [u8], to: &'a [u8]) -> impl Iterator<Item = (&'a [u8], &'a Option<Bytes>)> {
    layer.range::<_, [u8]>(between(from, to)).map(|(key, value)| (&key[..], value))
}

/// Two layers over a view. The lower one does not change any more.
#[derive(Clone)]
pub(super) struct Layers {
    pub(super) upper: Layer,
    pub(super) lower: Arc<Layer>,
    pub(super) below: Arc<dyn View>,
}

impl Layers {
    pub(super) fn lay(&mut self, pairs: impl IntoIterator<Item = Pair>) {
        for (key, value) in pairs {
            self.upper.insert(key.into(), value);
        }
    }
}

impl View for Layers {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>, DiskError> {
        match self.upper.get(key).or_else(|| self.lower.get(key)) {
            Some(value) => Ok(value.clone()),
            None => self.below.get(key),
        }
    }

    fn scan(&self, from: &[u8], to: &[u8], each: &mut Each<'_>) -> Result<(), DiskError> {
        if from >= to {
            return Ok(());
        }
        let lower = |each: &mut Each<'_>| scan_over(range(&self.lower, from, to), |each| self.below.scan(from, to, each), each);
        scan_over(range(&self.upper, from, to), lower, each)
    }
}
