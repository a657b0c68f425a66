//! Tables for people, and their places in the page.

use crate::{Result, machine};
use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

pub struct Section {
    /// The name of its markers in the page.
    pub name: &'static str,
    pub title: &'static str,
    pub about: String,
    pub head: Vec<&'static str>,
    pub rows: Vec<Vec<String>>,
    /// What must be reached, what was, and whether that is enough.
    pub targets: Vec<Target>,
}

pub struct Target {
    pub what: Cow<'static, str>,
    pub reached: String,
    pub asked: &'static str,
    pub met: bool,
}

impl Section {
    pub fn text(&self) -> String {
        let mut text = format!("### {}\n\n{}\n\n", self.title, self.about);
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        text += &line(&self.head.iter().map(ToString::to_string).collect::<Vec<_>>());
        text += &format!("|{}\n", "---|".repeat(self.head.len()));
        self.rows.iter().for_each(|row| text += &line(row));
        text.push('\n');
        for Target { what, reached, asked, met } in &self.targets {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "- {what}: **{reached}** (asked: {asked}) {}", if *met { "✓" } else { "✗ not reached" });
        }
        let _ = write!(text, "\n<sub>{}; `cargo xtask bench`</sub>\n", machine::facts());
        text
    }
}

/// Puts each section between its markers; a page without them gets them at its end.
pub fn write(page: &Path, sections: &[Section]) -> Result<()> {
    let mut text = std::fs::read_to_string(page).unwrap_or_else(|_| "# Benchmarks\n".to_owned());
    for section in sections {
        let (from, to) = (format!("<!-- bench:{} -->\n", section.name), format!("<!-- /bench:{} -->\n", section.name));
        if !text.contains(&from) || !text.contains(&to) {
            let _ = write!(text, "\n{from}{to}"); // Writing to a String cannot fail.
        }
        if let (Some((before, _)), Some((_, after))) = (text.split_once(&from), text.split_once(&to)) {
            text = format!("{before}{from}{}{to}{after}", section.text());
        }
    }
    std::fs::write(page, text).map_err(|error| format!("{} cannot be written: {error}", page.display()))
}

/// The middle one; of an even number the lower of the two.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}
