//! Scripts of what happens to a connection and what it does: `input => effect; effect`.

use super::*;
use parlor_rules::ClientId;

const ROOM: &str = "poker/r";

/// Plays the inputs one after the other; each line names the effects it must have, `-` for none.
fn check(script: &str) {
    check_with(None, script);
}

fn check_with(token: Option<&str>, script: &str) {
    let client: ClientId = "c".parse().unwrap();
    let token = token.map(|token| Arc::new(Secret::new(token.to_owned())));
    let mut connection = Connection::new(None, client, 1, 2).with_token(token);
    let mut token = 0;
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (input, expected) = line.split_once("=>").unwrap_or_else(|| panic!("no => in {line}"));
        let input = input.trim();
        let effects = connection.step(read(input, &mut token), u64::MAX);
        let shown = effects.iter().map(show).collect::<Vec<_>>().join("; ");
        let shown = if shown.is_empty() { "-".to_owned() } else { shown };
        assert_eq!(shown, expected.trim(), "\nafter {input}\nin {script}");
    }
}

fn read(input: &str, token: &mut Token) -> Input {
    let room: Address = ROOM.parse().unwrap();
    let (word, rest) = input.split_once(' ').unwrap_or((input, ""));
    if matches!(word, "start" | "enters" | "enters-as-host" | "votes" | "looks") {
        *token += 1;
    }
    let token = *token;
    let secret = || Some(Arc::new(Secret::new("hhh".into())));
    match word {
        "start" => Input::Start(token),
        "opened" => Input::Opened,
        "lost" => Input::Lost("cut".into()),
        "enters" => Input::Enter { token, room, host_key: None },
        "enters-as-host" => Input::Enter { token, room, host_key: secret() },
        "votes" => Input::Act { token, room, verb: "vote", with: json!({ "card": rest }) },
        "looks" => Input::Ask { token, verb: "look", room: Some(room), with: None },
        "says" => Input::Say { room, data: rest.into() },
        "exits" => Input::Exit(room),
        "rings" => Input::Rang(match rest {
            "reopen" => Alarm::Reopen,
            "retry" => Alarm::Retry(room),
            beat => Alarm::Beat(beat.parse().unwrap()),
        }),
        "hears" => Input::Heard(frame(rest)),
        other => panic!("what is {other}?"),
    }
}

/// Short forms of the server's frames.
fn frame(short: &str) -> String {
    let words: Vec<_> = short.split(' ').collect();
    match words[..] {
        ["ok", id] => format!(r#"{{"id":{id},"ok":{{}}}}"#),
        ["hello", id] => format!(r#"{{"id":{id},"ok":{{"protocol":1,"user_key":"kkk"}}}}"#),
        ["welcome", id, seq, resumed] => {
            format!(
                r#"{{"id":{id},"ok":{{"room":"poker/r","at":"1-{seq}","mark":"000000000000000a","resumed":{resumed},"user_id":"u"}}}}"#
            )
        }
        ["acted", id, seq] => format!(r#"{{"id":{id},"ok":{{"at":"1-{seq}"}}}}"#),
        ["acted", id, seq, "again"] => format!(r#"{{"id":{id},"ok":{{"at":"1-{seq}","again":true}}}}"#),
        ["refused", id, code] => format!(r#"{{"id":{id},"error":{{"code":"{code}","message":"no","retry":false}}}}"#),
        ["later", id, code] => format!(r#"{{"id":{id},"error":{{"code":"{code}","message":"no","retry":true}}}}"#),
        ["come_back"] => r#"{"push":"come_back","room":"poker/r"}"#.into(),
        ["ended", reason] => format!(r#"{{"push":"ended","room":"poker/r","reason":"{reason}"}}"#),
        ["bye", millis] => format!(r#"{{"push":"bye","reason":"restart","retry_ms_max":{millis}}}"#),
        ["view", seq] => format!(
            r#"{{"push":"view","room":"poker/r","at":"1-{seq}","mark":"000000000000000b","view":{{"room_id":"r","name":null,
            "valid_sizes":"1 2","admin_user_id":"","is_revealed":false,"sealed":false,"round":1,"timer_ends":null,"timer_reveals":false,
            "auto_reveal":false,"reveal_by":"host","life_minutes":60,"users":[],"story_id":null,"stories":[],"history":[]}},
            "me":{{"user_id":null,"seated":false,"host":false,"may_reveal":false,"observer":false}}}}"#
        ),
        _ => short.to_owned(),
    }
}

fn show(effect: &Effect) -> String {
    match effect {
        Effect::Open => "open".into(),
        Effect::Close => "close".into(),
        Effect::GiveUp => "give up".into(),
        Effect::Send(text) => {
            let value: Value = serde_json::from_str(text).unwrap();
            let part = |name: &str| value.get(name).map(|part| format!(" {name}={}", part.to_string().replace('"', "")));
            let parts: String = ["n", "id", "with"].into_iter().filter_map(part).collect();
            format!("send {}{parts}", value["do"].as_str().unwrap()).replace("with={}", "").trim().to_owned()
        }
        Effect::Ring(wait, Alarm::Reopen) => format!("reopen in {}", wait.as_millis()),
        Effect::Ring(wait, Alarm::Retry(_)) => format!("retry in {}", wait.as_millis()),
        Effect::Ring(_, Alarm::Beat(connection)) => format!("beat {connection}"),
        Effect::Answer(token, Ok(Answer::Hello)) => format!("{token}: hello"),
        Effect::Answer(token, Ok(Answer::Entered(entered))) => format!("{token}: in at {}", entered.place.position),
        Effect::Answer(token, Ok(Answer::Acted(Acted { at, again }))) => {
            format!("{token}: at {at}{}", if *again { " again" } else { "" })
        }
        Effect::Answer(token, Ok(Answer::Other(_))) => format!("{token}: ok"),
        Effect::Answer(token, Err(error)) => format!("{token}: {}", error.code),
        Effect::Tell(_, Update::View(view)) => format!("view {}", view.place.position),
        Effect::Tell(_, Update::Screen(screened)) => format!("screen {}", screened.place.position),
        Effect::Tell(_, Update::Told(told)) => format!("told {}", told["push"].as_str().unwrap_or_default()),
        Effect::Tell(_, Update::Now(messages)) => format!("now {}", messages.len()),
        Effect::Tell(_, Update::Closing { .. }) => "closing".into(),
        Effect::Tell(_, Update::Ended(reason)) => format!("ended {reason}"),
        Effect::Tell(_, Update::Status(Status::Connecting)) => "connecting".into(),
        Effect::Tell(_, Update::Status(Status::Online { resumed })) => format!("online resumed={resumed}"),
    }
}

/// The lines that bring a client into the room, with ids up to 2.
const INSIDE: &str = "
    start                       => open
    opened                      => send hello id=1 with={client:c}; beat 1
    hears hello 1               => 1: hello
    enters                      => send enter id=2
    hears welcome 2 5 false     => 2: in at 1-5
    hears view 5                => view 1-5
";

fn check_inside(script: &str) {
    check(&format!("{INSIDE}{script}"));
}

#[test]
fn an_act_is_answered_and_the_next_one_waits_for_that() {
    check_inside(
        "votes 1            => send vote n=1 id=3 with={card:1}
         votes 2            => -
         hears acted 3 6    => 3: at 1-6; send vote n=2 id=4 with={card:2}
         hears acted 4 7    => 4: at 1-7",
    );
}

#[test]
fn after_a_cut_unanswered_acts_are_sent_again_in_order_with_their_numbers() {
    check_inside(
        "votes 1                    => send vote n=1 id=3 with={card:1}
         votes 2                    => -
         lost                       => connecting; reopen in 100
         votes 3                    => -
         rings reopen               => open
         opened                     => send hello id=4 with={client:c,user_key:kkk}; beat 2
         hears ok 4                 => send enter id=5 with={at:1-5,mark:000000000000000b}
         hears welcome 5 6 true     => online resumed=true; send vote n=1 id=6 with={card:1}
         hears acted 6 6 again      => 3: at 1-6 again; send vote n=2 id=7 with={card:2}
         hears acted 7 7            => 4: at 1-7; send vote n=3 id=8 with={card:3}
         hears acted 8 8            => 5: at 1-8",
    );
}

#[test]
fn a_late_or_doubled_reply_is_nobodys() {
    check_inside(
        "votes 1                    => send vote n=1 id=3 with={card:1}
         lost                       => connecting; reopen in 100
         hears acted 3 6            => -
         rings reopen               => open
         opened                     => send hello id=4 with={client:c,user_key:kkk}; beat 2
         hears ok 4                 => send enter id=5 with={at:1-5,mark:000000000000000b}
         hears welcome 5 6 true     => online resumed=true; send vote n=1 id=6 with={card:1}
         hears acted 3 6            => -
         hears acted 6 6 again      => 3: at 1-6 again
         hears acted 6 6 again      => -
         hears ok 99                => -",
    );
}

#[test]
fn connecting_again_waits_longer_each_time_and_starts_afresh_when_it_worked() {
    check_inside(
        "lost            => connecting; reopen in 100
         rings reopen    => open
         lost            => reopen in 200
         rings reopen    => open
         opened          => send hello id=3 with={client:c,user_key:kkk}; beat 2
         lost            => reopen in 400
         rings reopen    => open
         opened          => send hello id=4 with={client:c,user_key:kkk}; beat 3
         hears ok 4      => send enter id=5 with={at:1-5,mark:000000000000000b}
         lost            => connecting; reopen in 100",
    );
}

#[test]
fn a_server_that_says_goodbye_chooses_the_wait() {
    check_inside(
        "hears bye 2500  => -
         lost            => connecting; reopen in 2500
         rings reopen    => open
         lost            => reopen in 200",
    );
}

#[test]
fn another_history_is_told_as_not_resumed() {
    check_inside(
        "lost                       => connecting; reopen in 100
         rings reopen               => open
         opened                     => send hello id=3 with={client:c,user_key:kkk}; beat 2
         hears ok 3                 => send enter id=4 with={at:1-5,mark:000000000000000b}
         hears welcome 4 3 false    => online resumed=false
         hears view 3               => view 1-3",
    );
}

#[test]
fn a_room_that_moved_is_entered_again_and_its_act_goes_on() {
    check_inside(
        "votes 1                    => send vote n=1 id=3 with={card:1}
         hears come_back            => connecting; send enter id=4 with={at:1-5,mark:000000000000000b}
         hears later 3 unavailable  => retry in 100
         hears welcome 4 5 true     => online resumed=true
         rings retry                => send vote n=1 id=5 with={card:1}
         hears acted 5 6            => 3: at 1-6",
    );
}

#[test]
fn what_may_be_tried_again_is_with_the_same_number_and_not_for_ever() {
    check_inside(
        "votes 1                    => send vote n=1 id=3 with={card:1}
         votes 2                    => -
         hears later 3 unavailable  => retry in 100
         rings retry                => send vote n=1 id=4 with={card:1}
         hears later 4 unavailable  => retry in 200
         rings retry                => send vote n=1 id=5 with={card:1}
         hears later 5 unavailable  => 3: unavailable; send vote n=2 id=6 with={card:2}
         hears refused 6 not_seated => 4: not_seated",
    );
}

#[test]
fn the_end_of_a_room_lets_the_act_that_ended_it_be_answered() {
    check_inside(
        "votes 1                => send vote n=1 id=3 with={card:1}
         votes 2                => -
         hears ended deleted    => 4: ended; ended deleted
         hears view 9           => -
         votes 3                => 5: ended
         hears acted 3 6        => 3: at 1-6
         votes 4                => 6: outside
         enters                 => send enter id=4",
    );
}

#[test]
fn a_room_that_is_gone_when_we_come_back_has_ended() {
    check_inside(
        "votes 1                        => send vote n=1 id=3 with={card:1}
         lost                           => connecting; reopen in 100
         rings reopen                   => open
         opened                         => send hello id=4 with={client:c,user_key:kkk}; beat 2
         hears ok 4                     => send enter id=5 with={at:1-5,mark:000000000000000b}
         hears refused 5 room_not_found => ended room_not_found; 3: room_not_found",
    );
}

#[test]
fn a_host_key_opens_the_room_each_time() {
    check(
        "start                      => open
         opened                     => send hello id=1 with={client:c}; beat 1
         enters-as-host             => -
         hears hello 1              => 1: hello; send enter id=2 with={host_key:hhh}
         hears later 2 unavailable  => retry in 100
         rings retry                => send enter id=3 with={host_key:hhh}
         hears welcome 3 1 false    => 2: in at 1-1
         enters                     => 3: inside
         lost                       => connecting; reopen in 100
         rings reopen               => open
         opened                     => send hello id=4 with={client:c,user_key:kkk}; beat 2
         hears ok 4                 => send enter id=5 with={at:1-1,host_key:hhh,mark:000000000000000a}",
    );
}

#[test]
fn the_first_connection_fails_plainly() {
    check("start => open\n lost => 1: offline; give up");
    check(
        "start                          => open
         opened                         => send hello id=1 with={client:c}; beat 1
         hears refused 1 bad_request    => close; 1: bad_request; give up",
    );
}

#[test]
fn questions_are_not_repeated_and_nothing_is_said_to_an_empty_line() {
    check_inside(
        "says hi     => send say with=hi
         looks       => send look id=3
         lost        => 3: interrupted; connecting; reopen in 100
         says hi     => -
         looks       => 4: offline",
    );
}

#[test]
fn a_silent_server_is_given_up() {
    check_inside(
        "rings 1     => send ping id=3; beat 1
         hears ok 3  => -
         rings 1     => send ping id=4; beat 1
         rings 1     => close; connecting; reopen in 100
         lost        => -
         rings 1     => -",
    );
}

#[test]
fn leaving_fails_what_waits() {
    check_inside(
        "votes 1         => send vote n=1 id=3 with={card:1}
         exits           => send exit id=4; 3: closed
         hears acted 3 6 => -
         hears view 6    => -
         lost            => reopen in 100",
    );
}

#[test]
fn what_is_not_understood_is_passed_over() {
    check_inside(
        r#"hears nonsense                        => -
           hears {"push":"novelty"}              => -
           hears {"push":"view","room":"x"}      => -
           hears {"id":"seven"}                  => -"#,
    );
}

#[test]
fn replies_to_an_earlier_visit_are_not_taken_for_this_one() {
    check_inside(
        "votes 1                    => send vote n=1 id=3 with={card:1}
         exits                      => send exit id=4; 3: closed
         enters                     => send enter id=5
         votes 2                    => -
         hears acted 3 6            => -
         hears welcome 2 5 false    => -
         hears welcome 5 6 false    => 4: in at 1-6; send vote n=2 id=6 with={card:2}
         hears acted 6 7            => 5: at 1-7",
    );
}

#[test]
fn a_member_whose_session_has_ended_hears_so_in_every_room_and_does_not_come_back() {
    check_with(
        Some("ttt"),
        "start                             => open
         opened                            => send hello id=1 with={client:c,token:ttt}; beat 1
         hears ok 1                        => 1: hello
         enters                            => send enter id=2
         hears welcome 2 5 false           => 2: in at 1-5
         votes 1                           => send vote n=1 id=3 with={card:1}
         lost                              => connecting; reopen in 100
         rings reopen                      => open
         opened                            => send hello id=4 with={client:c,token:ttt}; beat 2
         hears later 4 unavailable         => close; reopen in 200
         rings reopen                      => open
         opened                            => send hello id=5 with={client:c,token:ttt}; beat 3
         hears refused 5 unauthenticated   => close; ended session_ended; 3: unauthenticated; give up",
    );
}
