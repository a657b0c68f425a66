//! A card belongs to one round, whatever happens at the same moment.

use super::halls;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn h16_a_vote_that_races_the_show_is_shown_with_the_others_or_refused() {
    for hall in halls() {
        for n in 0..60 {
            let room = format!("room-{n}");
            let [here, there] = hall.room(&room);
            here.create().await;
            here.act("ana", "join").await.unwrap();
            there.act("bo", "join").await.unwrap();
            let voting = tokio::spawn(async move { there.act("bo", "vote 5").await });
            let shown = here.act("ana", "show").await.unwrap().position;
            let voted = voting.await.unwrap();
            let seen = hall.kept(&room).sees("ana").await.unwrap();
            match voted {
                Ok(voted) => {
                    assert!(voted.position <= shown, "{}: a vote after the show was taken", hall.name);
                    assert!(seen.contains(" bo:5"), "{}: {seen}", hall.name);
                }
                Err(refused) => {
                    assert_eq!(refused.code(), parlor_rules::Code::WrongPhase);
                    assert!(seen.contains(" bo:_"), "{}: {seen}", hall.name);
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn h124_a_vote_that_races_the_reset_belongs_to_exactly_one_round() {
    for hall in halls() {
        for n in 0..60 {
            let room = format!("room-{n}");
            let [here, there] = hall.room(&room);
            here.create().await;
            for (who, wish) in [("ana", "join"), ("bo", "join"), ("bo", "vote 3")] {
                here.act(who, wish).await.unwrap();
            }
            let voting = tokio::spawn(async move { there.act("bo", "vote 5").await });
            let reset = here.act("ana", "reset").await.unwrap().position;
            let voted = voting.await.unwrap().unwrap().position;
            let seen = hall.kept(&room).sees("bo").await.unwrap();
            // In one commit either may have come first.
            let kept = seen.ends_with(" bo:? mine:5");
            assert!(kept || seen.ends_with(" bo:_"), "{}: an old card in a new round: {seen}", hall.name);
            assert!(voted == reset || kept == (voted > reset), "{}: {voted} and {reset}, but {seen}", hall.name);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn h123_while_a_round_is_cleared_nobody_sees_a_card_of_the_next() {
    let people = ["ana", "bo", "cy", "dee"];
    for hall in halls() {
        let [here, there] = &hall.tables;
        here.create().await;
        for who in people {
            here.act(who, "join").await.unwrap();
        }
        let cards = ["2", "3", "5", "8"];
        for who in people {
            here.act(who, "vote 13").await.unwrap();
        }
        for round in 0..30 {
            here.act("ana", "show").await.unwrap();
            let next = cards[round % cards.len()];
            let voting: Vec<_> = people
                .map(|who| {
                    let there = there.clone();
                    tokio::spawn(async move {
                        // Refused until the reset is there: that is the race.
                        while there.act(who, &format!("vote {next}")).await.is_err() {
                            tokio::task::yield_now().await;
                        }
                    })
                })
                .into();
            let looking = tokio::spawn({
                let here = here.clone();
                async move {
                    for _ in 0..20 {
                        let seen = here.sees("nobody").await.unwrap();
                        assert!(!seen.contains(&format!(":{next}")), "{seen} while the cards are down");
                        tokio::task::yield_now().await;
                    }
                }
            });
            here.act("ana", "reset").await.unwrap();
            for vote in voting {
                vote.await.unwrap();
            }
            looking.await.unwrap();
        }
        here.act("ana", "show").await.unwrap();
        let seen = hall.kept("table").sees("nobody").await.unwrap();
        assert_eq!(seen.matches(":3").count(), 4, "{}: {seen}", hall.name);
    }
}
