//! Everything a view says, in words that can be compared. A field that is added to a view has to be added here.

use crate::reels::view::{Honour, ItemView, OpenItem, Ranked, Results, SeatView};
use crate::reels::{Guess, Honoured, Mine, Player, SenderId, Shared, Vote};
use std::fmt::Write;

pub(super) fn shared(view: &Shared) -> String {
    let Shared { code, settings, stage, round_order, round, item_index, items_total, .. } = view;
    let Shared { seats, senders, item, vote, voted, results, ranking, awards, .. } = view;
    let mut told = format!("{code} {settings:?} {stage:?} {round_order:?} {round:?} {item_index:?} {items_total:?}\n");
    seats.iter().for_each(|one| seat(&mut told, one));
    line(&mut told, format!("senders {senders:?} voted {voted:?}"));
    if let Some(ItemView { round, id, index, open }) = item {
        line(&mut told, format!("item {round} {id} {index}"));
        if let Some(OpenItem { reel, k, selectable }) = open {
            line(&mut told, format!("reel {reel:?} {k} {selectable:?}"));
        }
    }
    if let Some(Vote { expected, opened, closes, forced, left }) = vote {
        line(&mut told, format!("vote {expected:?} {opened} {closes:?} {forced} {left:?}"));
    }
    if let Some(Results { true_senders, guesses }) = results {
        line(&mut told, format!("truth {true_senders:?}"));
        for (Guess { player, selections, correct, incorrect }, total) in guesses {
            line(&mut told, format!("{player} {selections:?} {correct:?} {incorrect:?} {total}"));
        }
    }
    for Ranked { rank, player, name, score, delta } in ranking {
        line(&mut told, format!("{rank} {player} {name} {score} {delta}"));
    }
    for Honour { given, name } in awards {
        let (Honoured::Player(_) | Honoured::Sender(_)) = &given.to;
        line(&mut told, format!("{given:?} {name}"));
    }
    told
}

fn seat(told: &mut String, seat: &SeatView) {
    let SeatView { player: Player { id, sender, active, name }, avatar, taken, holder, here, score, delta } = seat;
    line(told, format!("{id} {sender:?} {active} {name} {avatar:?} {taken} {holder:?} {here} {score} {delta}"));
}

pub(super) fn mine(view: &Mine) -> String {
    let Mine { user, host, player, expected, selections, lost } = view;
    let selections = selections.as_ref().map(|senders| senders.iter().map(SenderId::as_str).collect::<Vec<_>>().join(" "));
    format!("{user:?} {host} {player:?} {expected} {selections:?} {lost:?}")
}

fn line(told: &mut String, words: String) {
    writeln!(told, "{words}").expect("a text takes all words");
}
