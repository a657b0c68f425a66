//! Stories from a table of cells: one with a header of ours, Jira's, or none at all.
//!
//! What a tracker wrote is taken as well as it can be: a title that is too long is cut, a link or an estimate that is
//! none is left out, a row without a title is passed over.

use crate::ask::Fault;
use crate::csv;
use parlor_rules::names::{TITLE_CHARS_MAX, hides};
use parlor_rules::poker::NewStory;

const TITLES: [&str; 4] = ["title", "summary", "story", "name"];
const LINKS: [&str; 2] = ["link", "url"];
const ESTIMATES: [&str; 5] =
    ["estimate", "points", "story points", "custom field (story points)", "custom field (story point estimate)"];
/// Jira's own name for a story, which people say aloud.
const KEYS: [&str; 1] = ["issue key"];
/// Our own export has a row for each vote as well.
const ROUNDS: [&str; 1] = ["round"];

pub(super) fn stories(text: &str) -> Result<Vec<NewStory>, Fault> {
    let mut rows = csv::read(text).ok_or_else(|| Fault::bad("this is no CSV: a quoted cell is not closed"))?;
    let columns = rows.first().map(|row| Columns::of(row)).unwrap_or_default();
    let columns = match columns.title {
        Some(_) => {
            rows.remove(0);
            columns
        }
        None => Columns { title: Some(0), ..Columns::default() },
    };
    let stories: Vec<NewStory> = rows.iter().filter_map(|row| columns.story(row)).collect();
    if stories.is_empty() { Err(Fault::bad("there is no story in this CSV; a row is a story")) } else { Ok(stories) }
}

#[derive(Default)]
struct Columns {
    title: Option<usize>,
    link: Option<usize>,
    estimate: Option<usize>,
    key: Option<usize>,
    round: Option<usize>,
}

impl Columns {
    fn of(header: &[String]) -> Columns {
        let names: Vec<String> = header.iter().map(|cell| cell.trim().to_lowercase()).collect();
        let find = |known: &[&str]| known.iter().find_map(|known| names.iter().position(|name| name == known));
        Columns { title: find(&TITLES), link: find(&LINKS), estimate: find(&ESTIMATES), key: find(&KEYS), round: find(&ROUNDS) }
    }

    fn story(&self, row: &[String]) -> Option<NewStory> {
        let cell = |column: Option<usize>| column.and_then(|column| row.get(column)).map(|cell| csv::unguarded(cell.trim()));
        if cell(self.round).is_some_and(|round| !round.is_empty()) {
            return None;
        }
        let title = [cell(self.key), cell(self.title)].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let title = title.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| !hides(*c));
        let title: String = title.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ");
        // Trackers write whole numbers as 3.0.
        let estimate = cell(self.estimate).map(|estimate| estimate.strip_suffix(".0").unwrap_or(estimate));
        Some(NewStory {
            title: title.chars().take(TITLE_CHARS_MAX).collect::<String>().parse().ok()?,
            link: cell(self.link).and_then(|link| link.parse().ok()),
            estimate: estimate.and_then(|estimate| estimate.parse().ok()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `title <link> =estimate`, a line a story.
    fn check(csv: &str, expected: &str) {
        let told = match stories(csv) {
            Err(fault) => fault.message,
            Ok(stories) => {
                let told = stories.iter().map(|NewStory { title, link, estimate }| {
                    let link = link.as_ref().map_or_else(String::new, |link| format!(" <{link}>"));
                    let estimate = estimate.as_ref().map_or_else(String::new, |card| format!(" ={card}"));
                    format!("{title}{link}{estimate}")
                });
                told.collect::<Vec<_>>().join("\n")
            }
        };
        assert_eq!(told, expected, "{csv:?}");
    }

    #[test]
    fn a_header_says_what_is_what() {
        check("Title,Link,Estimate\nLog in,https://a/1,5\nLog out,,\n", "Log in <https://a/1> =5\nLog out");
        check("points;name;url\r\n3;Search;http://b\r\n", "Search <http://b> =3");
        check("id\tsummary\n1\tFirst\n2\tSecond", "First\nSecond");
        check("\u{feff}STORY\nOnly one\n", "Only one");
    }

    #[test]
    fn without_a_header_the_first_cell_is_the_title() {
        check("Log in\nLog out", "Log in\nLog out");
        check("Log in,whatever\n\"Log out, then in\",x", "Log in\nLog out, then in");
    }

    #[test]
    fn jira_as_it_exports() {
        let jira = "\u{feff}Summary,Issue key,Issue id,Issue Type,Status,Sprint,Sprint,Description,Custom field (Story Points)\r\n\
            \"As a user, I want to \"\"log in\"\"\",ABC-12,10012,Story,To Do,S1,S2,\"Given a user\r\nWhen, then;\r\n\r\n- one\",3.0\r\n\
            Search,ABC-13,10013,Story,Done,,,,\r\n\
            \"Two\nlines\",ABC-14,10014,Bug,To Do,S1,,x,0.5\r\n";
        check(jira, "ABC-12 As a user, I want to \"log in\" =3\nABC-13 Search\nABC-14 Two lines =0.5");
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        check("title,link,estimate\nA,javascript:alert(1),a lot of points\n,https://a,1\n \u{200b},,\nB\u{202e}C,,", "A\nBC");
        let long = "x".repeat(500);
        check(&long, &"x".repeat(TITLE_CHARS_MAX));
        check("", "there is no story in this CSV; a row is a story");
        check("title\n", "there is no story in this CSV; a row is a story");
        check("title\n\"open", "this is no CSV: a quoted cell is not closed");
    }

    #[test]
    fn formulas_come_back_as_text() {
        check("title\n'=1+1\n=2+2\n", "=1+1\n=2+2");
    }

    proptest! {
        #[test]
        fn any_text_gives_stories_or_a_complaint(text in "\\PC{0,80}|[title,;\"\n\r\t\u{feff}\u{200b}]{0,80}") {
            let _ = stories(&text);
        }
    }
}
