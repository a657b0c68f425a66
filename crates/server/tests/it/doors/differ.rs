//! The same random script on every store, by seed: every answer and every view is the same. By REST, where nobody is
//! connected, so that nothing depends on who is here.

use super::script::improvise;
use super::session_script;
use super::shelves::Shelves;
use crate::support::dice::Dice;

const SEEDS: u64 = 4;
const LINES: u64 = 120;

fn one_of<'a>(dice: &mut Dice, words: &[&'a str]) -> &'a str {
    words[dice.below(words.len() as u64) as usize]
}

/// Something somebody might do at a table, allowed or not.
fn poker(dice: &mut Dice, numbers: &mut [u64; 3]) -> String {
    const PEOPLE: [&str; 3] = ["ana", "bo", "cy"];
    let place = dice.below(3) as usize;
    let who = match dice.below(12) {
        0 => "host",
        1 => "nobody",
        2 => "bo+key",
        3 => "cy+wrong",
        _ => PEOPLE[place],
    };
    let wish = match dice.below(24) {
        0..=3 => "joins".to_owned(),
        4..=9 => format!("votes {}", one_of(dice, &["1", "2", "3", "5", "8", "∞", "?", "M", "no-such-card"])),
        10 => "takes back".to_owned(),
        11 | 12 => "shows".to_owned(),
        13 | 14 => "resets".to_owned(),
        15 => format!("deals {}", one_of(dice, &["1 2 3 5 8", "XS S M L", "", "1 1"])),
        16 => format!("starts {}", one_of(dice, &["1", "30", "600", "0"])),
        17 => "stops".to_owned(),
        18 => format!("kicks {}", one_of(dice, &PEOPLE)),
        19 => "leaves".to_owned(),
        20 => return format!("after {}", one_of(dice, &["1ms", "1s", "45s", "9m"])),
        21 if dice.below(4) == 0 => return "restart".to_owned(),
        _ => return format!("{who} {}", one_of(dice, &["sees", "is"])),
    };
    if who != PEOPLE[place] || dice.below(2) == 0 {
        return format!("{who} {wish}");
    }
    // Numbered, and now and then with the number of the command before.
    numbers[place] += u64::from(dice.below(4) > 0 || numbers[place] == 0);
    format!("{who} {wish} #{}", numbers[place])
}

fn session(dice: &mut Dice) -> String {
    let who = one_of(dice, &["ana", "bo", "cy"]);
    let name = one_of(dice, &["Ana", "ANA", "Bo", "Ｂｏ", "Cy", ""]);
    match dice.below(16) {
        0..=3 => format!("{who} logs in as {name}"),
        4 | 5 => format!("{who} again as {name}"),
        6..=8 => format!("{who} verifies"),
        9 => format!("{who} finds {}", one_of(dice, &["ana", "bo", "cy"])),
        10 => format!("{who} logs out"),
        11 => format!("{who} joins"),
        12 => format!("guest {who} joins as {}", one_of(dice, &["Ana", "Bo", "Dee"])),
        13 => format!("{who} sees"),
        14 => one_of(dice, &["after 1", "after 600000", "after 3599999", "after 3600000"]).to_owned(),
        _ => one_of(dice, &["a second passes", "a second passes", "restart"]).to_owned(),
    }
}

#[track_caller]
fn alike(transcripts: &[Vec<String>]) {
    for other in &transcripts[1..] {
        for (line, (one, other)) in transcripts[0].iter().zip(other).enumerate() {
            assert_eq!(one, other, "line {line}");
        }
        assert_eq!(transcripts[0].len(), other.len());
    }
}

#[tokio::test]
async fn x48_the_same_random_game_goes_alike_on_every_store() {
    let mut dice = Dice::new("a random game");
    let shelves = Shelves::new().await;
    for _ in 0..SEEDS {
        let mut numbers = [0; 3];
        let lines: Vec<String> = (0..LINES).map(|_| poker(&mut dice, &mut numbers)).collect();
        let mut transcripts = Vec::new();
        for store in shelves.all() {
            shelves.clear().await;
            transcripts.push(improvise(store, &lines).await);
        }
        alike(&transcripts);
    }
}

#[tokio::test]
async fn x48_the_same_random_comings_and_goings_of_sessions_go_alike_on_every_store() {
    let mut dice = Dice::new("random sessions");
    let shelves = Shelves::new().await;
    for _ in 0..SEEDS {
        let lines: Vec<String> = (0..LINES).map(|_| session(&mut dice)).collect();
        let mut transcripts = Vec::new();
        for store in shelves.all() {
            shelves.clear().await;
            transcripts.push(session_script::improvise(store, &lines).await);
        }
        alike(&transcripts);
    }
}
