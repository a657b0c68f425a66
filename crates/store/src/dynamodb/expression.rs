//! Texts in the service's small language, with every name and value by placeholder: no word is reserved, no dot splits.

use super::attribute::Attribute;
use super::convert::{Raw, raw};
use std::collections::HashMap;

#[derive(Clone, Default, Debug)]
pub(super) struct Expression {
    names: Vec<String>,
    values: Vec<Attribute>,
}

impl Expression {
    pub(super) fn name(&mut self, name: &str) -> String {
        let index = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.into());
            self.names.len() - 1
        });
        format!("#{index}")
    }

    pub(super) fn path(&mut self, path: &[String]) -> String {
        path.iter().map(|name| self.name(name)).collect::<Vec<_>>().join(".")
    }

    pub(super) fn value(&mut self, value: Attribute) -> String {
        let index = self.values.iter().position(|known| *known == value).unwrap_or_else(|| {
            self.values.push(value);
            self.values.len() - 1
        });
        format!(":{index}")
    }

    /// The service takes no empty lists of these.
    pub(super) fn names(&self) -> Option<HashMap<String, String>> {
        let names = self.names.iter().enumerate();
        (!self.names.is_empty()).then(|| names.map(|(index, name)| (format!("#{index}"), name.clone())).collect())
    }

    pub(super) fn values(&self) -> Option<Raw> {
        let values = self.values.iter().enumerate();
        (!self.values.is_empty()).then(|| values.map(|(index, value)| (format!(":{index}"), raw(value.clone()))).collect())
    }

    pub(super) fn bytes(&self) -> usize {
        self.names.iter().map(String::len).sum::<usize>() + self.values.iter().map(Attribute::bytes).sum::<usize>()
    }
}
