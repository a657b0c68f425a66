//! Rooms in the terminal: make one, watch one, play in one.

use parlor_client::{Client, ClientError, Options, Room, Status, Update, View, screen, told};
use parlor_rules::poker::Command as Poker;
use parlor_rules::{Address, Command};
use parlor_wire::Secret;
use std::fmt::Write;
use tokio::io::{AsyncBufReadExt, BufReader};

const HELP: &str = "type a card to vote · back · show · reset · timer SECONDS · kick USER_ID · leave · help";

pub async fn new_room(server: &str, deck: Option<String>) -> Result<(), String> {
    let client = connect(server).await?;
    let made = client.create(deck.as_deref()).await.map_err(sentence)?;
    println!("room      {}", made.room);
    println!("host key  {}   (private: whoever has it is the host)", made.host_key.expose());
    println!("cards     {}", made.valid_sizes);
    println!();
    println!("parlor watch {}", made.room);
    println!("parlor sit {} YOUR-NAME", made.room);
    Ok(())
}

pub async fn watch(server: &str, room: &str) -> Result<(), String> {
    let client = connect(server).await?;
    let room = client.enter(&address(room)?, None).await.map_err(sentence)?;
    loop {
        tokio::select! {
            update = room.next() => match update {
                Some(update) => if show(&update) { return Ok(()) },
                None => return Err("the connection is gone for good".to_owned()),
            },
            _ = tokio::signal::ctrl_c() => return Ok(()),
        }
    }
}

pub async fn sit(server: &str, room: &str, name: &str, host_key: Option<String>) -> Result<(), String> {
    let name = name.parse().map_err(|error: parlor_rules::names::NotAName| error.to_string())?;
    let client = connect(server).await?;
    let host_key = host_key.map(Secret::new);
    let room = client.enter(&address(room)?, host_key.as_ref()).await.map_err(sentence)?;
    room.act(&Command::Poker(Poker::Join { name: Some(name), observer: None })).await.map_err(sentence)?;
    println!("{HELP}");
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    loop {
        tokio::select! {
            update = room.next() => match update {
                Some(update) => if show(&update) { return Ok(()) },
                None => return Err("the connection is gone for good".to_owned()),
            },
            line = lines.next_line() => match line {
                Ok(Some(line)) => if play(&room, line.trim()).await { return Ok(()) },
                Ok(None) | Err(_) => return Ok(()),
            },
            _ = tokio::signal::ctrl_c() => return Ok(()),
        }
    }
}

/// Does what a line says; true when that was to leave.
async fn play(room: &Room, line: &str) -> bool {
    let command = match line.split_once(' ').unwrap_or((line, "")) {
        ("", "") => return false,
        ("help", "") => {
            println!("{HELP}");
            return false;
        }
        ("back", "") => Ok(Poker::TakeBack),
        ("show", "") => Ok(Poker::Show),
        ("reset", "") => Ok(Poker::Reset),
        ("leave", "") => Ok(Poker::Leave),
        ("timer", seconds) => seconds
            .parse()
            .map(|seconds| Poker::StartTimer { seconds, reveal: true })
            .map_err(|_| "timer takes seconds, e.g. timer 60".to_owned()),
        ("kick", user) => user
            .parse()
            .map(|user| Poker::Kick { user, ban: false })
            .map_err(|error: parlor_rules::ids::NotAnId| error.to_string()),
        (_, "") => line.parse().map(Poker::Vote).map_err(|error: parlor_rules::poker::deck::NotADeck| error.to_string()),
        _ => Err(HELP.to_owned()),
    };
    match command {
        Ok(command) => match room.act(&Command::Poker(command.clone())).await {
            Ok(_) => return command == Poker::Leave,
            Err(error) => println!("! {}", sentence(error)),
        },
        Err(complaint) => println!("! {complaint}"),
    }
    false
}

/// Prints an update; true when there will be no more.
fn show(update: &Update) -> bool {
    match update {
        Update::View(view) => println!("{}", picture(view)),
        Update::Screen(screened) => screen::lines(screened).iter().for_each(|line| println!("{line}")),
        Update::Told(told) => told::lines(told).iter().for_each(|line| println!("{line}")),
        Update::Now(messages) => {
            for heard in messages {
                println!("  {} says {}", heard.from.as_deref().unwrap_or("the host"), heard.data);
            }
        }
        Update::Closing { .. } => println!("  this room closes soon unless somebody uses it"),
        Update::Ended(reason) => {
            println!("  the room is over for you: {reason}");
            return true;
        }
        Update::Status(Status::Online { .. }) => println!("  connected"),
        Update::Status(_) => println!("  the connection is lost; trying again"),
    }
    false
}

fn picture(view: &View) -> String {
    let mut picture = format!("── {} · round {} · cards {}", view.table.room_id, view.table.round, view.table.valid_sizes);
    if view.table.users.is_empty() {
        picture.push_str("\n   nobody sits here yet");
    }
    for user in &view.table.users {
        let mine = view.me.user_id.as_deref() == Some(&*user.user_id);
        let hand = match (&user.vote, user.has_vote, mine) {
            (Some(card), _, _) => format!("[{card}]"),
            (None, true, true) => format!("[{}] face down", view.me.vote.as_deref().unwrap_or("?")),
            (None, true, false) => "[■]".to_owned(),
            (None, false, _) => " · ".to_owned(),
        };
        let admin = if view.table.admin_user_id == user.user_id { " (admin)" } else { "" };
        let you = if mine { " (you)" } else { "" };
        // Writing to a String cannot fail.
        let _ = write!(picture, "\n   {:<20} {hand}{admin}{you}  {}", user.user_name, user.user_id);
    }
    if view.table.is_revealed {
        picture.push_str("\n   the cards are open");
    }
    picture
}

async fn connect(server: &str) -> Result<Client, String> {
    Client::connect(socket_url(server)?, Options::default()).await.map_err(sentence)
}

fn socket_url(server: &str) -> Result<String, String> {
    let base = server.trim_end_matches('/');
    let socket = match base.split_once("://") {
        Some(("http" | "ws", host)) => format!("ws://{host}"),
        Some(_) => return Err(format!("{server} is no address this can reach; use http://host:port")),
        None => format!("ws://{base}"),
    };
    Ok(format!("{socket}/v1/ws"))
}

fn address(room: &str) -> Result<Address, String> {
    // A bare id is taken for a poker room, since that is what people copy.
    let full = if room.contains('/') { room.to_owned() } else { format!("poker/{room}") };
    full.parse().map_err(|error: parlor_rules::kinds::NotAnAddress| error.to_string())
}

fn sentence(error: ClientError) -> String {
    format!("{} ({})", error.message, error.code)
}
