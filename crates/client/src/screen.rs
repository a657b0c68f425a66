//! A party game in lines for people to read.

use crate::update::Screened;
use parlor_wire::reels::SeatWords;

/// Where the game stands and who plays, a line each.
pub fn lines(screened: &Screened) -> Vec<String> {
    let Screened { screen, me, .. } = screened;
    let stands = match (screen.round_number, screen.current_item_index, screen.items_total) {
        (Some(round), Some(item), Some(items)) => {
            format!("round {round} of {} · reel {} of {items} · {}", screen.rounds_total, (item + 1).min(items), screen.status)
        }
        _ => screen.phase.clone(),
    };
    let voted = screen.broadcasts.player_voted.iter().flat_map(|voted| &voted.player_ids);
    let voted: Vec<&String> = voted.collect();
    let seat = |seat: &SeatWords| {
        let (who, has) = (&seat.player_id, voted.contains(&&seat.player_id));
        let hand = if has {
            "voted"
        } else if seat.status == "free" {
            "free"
        } else if seat.here {
            "here"
        } else {
            "away"
        };
        let you = if me.player_id.as_ref() == Some(who) { " (you)" } else { "" };
        format!("   {:<20} {:>4}  {hand}{you}  {who}", seat.name, seat.score_total)
    };
    let mut lines = vec![format!("── {} · {stands}", screen.code)];
    lines.extend(screen.players_visible.iter().map(seat));
    let awards = screen.broadcasts.game_over.iter().flat_map(|over| &over.awards);
    lines.extend(awards.map(|award| format!("   {}: {} ({})", award.award.replace('_', " "), award.name, award.value)));
    lines
}
