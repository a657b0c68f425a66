//! What was played, to take home: every story with its estimate, every shown round with its votes by name.

use super::view::{self, Round, Story};
use crate::csv;
use parlor_rules::Millis;
use parlor_rules::poker::Export;
use serde::Serialize;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub struct Played {
    room_id: String,
    name: Option<String>,
    stories: Vec<Story>,
    rounds: Vec<PlayedRound>,
}

#[derive(Serialize, ToSchema)]
pub struct PlayedRound {
    #[serde(flatten)]
    round: Round,
    votes: Vec<PlayedVote>,
}

/// Without a name: somebody who asked to be forgotten.
#[derive(Serialize, ToSchema)]
pub struct PlayedVote {
    #[serde(skip_serializing_if = "Option::is_none")]
    user_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_name: Option<String>,
    vote: String,
}

pub(crate) fn json(export: &Export) -> String {
    let rounds = export.rounds.iter().map(|round| PlayedRound {
        round: view::round(round),
        votes: round
            .ballots
            .iter()
            .map(|ballot| PlayedVote {
                user_id: ballot.by.as_ref().map(|voter| voter.id.to_string()),
                user_name: ballot.by.as_ref().map(|voter| voter.name.to_string()),
                vote: ballot.card.to_string(),
            })
            .collect(),
    });
    let played = Played {
        room_id: export.room.to_string(),
        name: export.settings.name.as_ref().map(ToString::to_string),
        stories: export.stories.iter().map(view::story).collect(),
        rounds: rounds.collect(),
    };
    serde_json::to_string(&played).expect("an export has text keys only")
}

/// First the stories, a row each; then the votes, a row each.
pub(crate) fn csv(export: &Export) -> String {
    // Without the mark spreadsheets take the text for another encoding.
    let mut text = String::from("\u{feff}");
    text += &csv::write(&["story_id", "title", "link", "estimate", "round", "at", "user_name", "vote"]);
    for story in &export.stories {
        let link = story.link.as_ref().map_or("", |link| link.as_str());
        let estimate = story.estimate.as_ref().map_or("", |card| card.as_str());
        text += &csv::write(&[&story.id.to_string(), story.title.as_str(), link, estimate, "", "", "", ""]);
    }
    for round in &export.rounds {
        let (id, title) = round.story.as_ref().map_or((String::new(), ""), |(id, title)| (id.to_string(), title.as_str()));
        let (number, at) = (round.number.to_string(), date(round.at));
        for ballot in round.ballots.iter() {
            let name = ballot.by.as_ref().map_or("", |voter| voter.name.as_str());
            text += &csv::write(&[&id, title, "", "", &number, &at, name, ballot.card.as_str()]);
        }
    }
    text
}

/// `2026-01-31T12:00:00Z`, by the calendar that repeats every 400 years.
fn date(at: Millis) -> String {
    let (seconds, days) = (at.0 / 1000 % 86_400, at.0 / 86_400_000 + 719_468);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Counted from March, so that the leap day is the last of the year.
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_the_calendars() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_767_225_600, "2026-01-01T00:00:00Z"),
            (1_798_761_599, "2026-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(date(Millis(seconds * 1000)), expected);
        }
    }
}
