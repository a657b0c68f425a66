//! Fifty phones in one game: when a reel opens they all vote at once, change their mind once, and the big screen waits for the
//! count. Every vote is on the disk before it is acknowledged.

use crate::child::Server;
use crate::line::Line;
use crate::options::Options;
use crate::parlor::hello;
use crate::report::{Section, median};
use crate::{Result, machine};
use hdrhistogram::Histogram;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

const PHONES: usize = 50;
const ITEMS: usize = 100;
const LOOKED_WITHIN: Duration = Duration::from_secs(30);

struct Evening {
    votes: Histogram<u64>,
    /// From the last vote that was sent until the big screen has the results.
    reveals: Histogram<u64>,
    took: Duration,
    server_cpu: Duration,
}

pub fn run(options: &Options) -> Result<Section> {
    machine::pin(machine::GENERATOR)?;
    let mut evenings = Vec::new();
    for number in 1..=options.rounds {
        let folder = options.scratch.join("reels");
        let _ = std::fs::remove_dir_all(&folder); // There may be none.
        let server = Server::parlor(options, &format!("embedded:{}", folder.display()))?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
        let evening = runtime.block_on(evening(&server))?;
        drop(server);
        let _ = std::fs::remove_dir_all(&folder); // What is left is left for the next.
        eprintln!("reels {number}/{}: {}", options.rounds, cells(&[&evening]).join(" · "));
        evenings.push(evening);
    }
    Ok(Section {
        name: "reels",
        title: "Fifty phones in one game",
        about: format!(
            "{PHONES} phones and a big screen, each on a socket of its own, {ITEMS} reels. When a reel opens every phone votes at once and then votes again; \
             acknowledged means durable. Nothing is compared here: it shows that a full room is far from any limit. Medians of {} evenings.",
            options.rounds
        ),
        head: vec!["votes/s", "vote p50, ms", "vote p99, ms", "reveal p50, ms", "reveal p99, ms", "of a core"],
        rows: vec![cells(&evenings.iter().collect::<Vec<_>>())],
        targets: vec![],
    })
}

fn cells(evenings: &[&Evening]) -> Vec<String> {
    let middle = |of: &dyn Fn(&Evening) -> f64| median(evenings.iter().map(|evening| of(evening)).collect());
    let ms = |histogram: &Histogram<u64>, quantile| histogram.value_at_quantile(quantile) as f64 / 1000.0;
    vec![
        format!("{:.0}", middle(&|evening| evening.votes.len() as f64 / evening.took.as_secs_f64())),
        format!("{:.2}", middle(&|evening| ms(&evening.votes, 0.5))),
        format!("{:.2}", middle(&|evening| ms(&evening.votes, 0.99))),
        format!("{:.2}", middle(&|evening| ms(&evening.reveals, 0.5))),
        format!("{:.2}", middle(&|evening| ms(&evening.reveals, 0.99))),
        format!("{:.0} %", middle(&|evening| 100.0 * evening.server_cpu.as_secs_f64() / evening.took.as_secs_f64())),
    ]
}

fn wish() -> Value {
    let senders: Vec<Value> =
        (1..=PHONES).map(|n| json!({ "sender_id": format!("s{n}"), "name": format!("Friend {n}") })).collect();
    let item = |n: usize| {
        let reel = json!({ "reel_id": format!("r{n}"), "url": format!("https://example.org/reel/{n}") });
        json!({ "item_id": format!("i{n}"), "reel": reel, "true_sender_ids": [format!("s{}", n % PHONES + 1)] })
    };
    let items: Vec<Value> = (0..ITEMS).map(item).collect();
    json!({ "kind": "reels", "senders": senders, "rounds": [{ "round_id": "r1", "items": items }] })
}

async fn evening(server: &Server) -> Result<Evening> {
    let mut screen = Line::open(server.address, "/v1/ws").await?;
    screen.ask(1, &hello(0)).await?;
    let made = screen.ask(2, &json!({ "id": 2, "do": "create", "with": wish() }).to_string()).await?;
    let made: Value = serde_json::from_str(&made).map_err(|error| error.to_string())?;
    let room = made["ok"]["room"].as_str().ok_or_else(|| format!("no game was made: {made}"))?.to_owned();
    let key = &made["ok"]["master_key"];
    screen.ask(3, &json!({ "id": 3, "do": "JOIN_ROOM", "room": room, "with": { "master_key": key } }).to_string()).await?;
    let mut phones = Vec::new();
    for n in 1..=PHONES {
        let mut phone = Line::open(server.address, "/v1/ws").await?;
        phone.ask(1, &hello(n)).await?;
        phone.ask(2, &json!({ "id": 2, "do": "JOIN_ROOM", "room": room }).to_string()).await?;
        let take = json!({ "id": 3, "do": "TAKE_PLAYER", "room": room, "with": { "player_id": format!("p{n}") } });
        phone.ask(3, &take.to_string()).await?;
        phones.push(phone);
    }
    screen.ask(4, &json!({ "id": 4, "do": "START_GAME", "room": room }).to_string()).await?;
    let times = || Histogram::new_with_bounds(1, LOOKED_WITHIN.as_micros() as u64, 3).map_err(|error| error.to_string());
    let (mut votes, mut reveals) = (times()?, times()?);
    let (begun, cpu) = (Instant::now(), server.cpu()?);
    for number in 0..ITEMS {
        let item = json!({ "round_id": "r1", "item_id": format!("i{number}") });
        let id = 10 + number as u64 * 2;
        screen.ask(id, &json!({ "id": id, "do": "REEL_OPENED", "room": room, "with": item }).to_string()).await?;
        let mut voting = JoinSet::new();
        for (n, phone) in phones.drain(..).enumerate() {
            voting.spawn(vote(phone, room.clone(), number, n));
        }
        let mut last = begun;
        while let Some(voted) = voting.join_next().await {
            let (phone, took, sent) = voted.map_err(|error| error.to_string())??;
            took.iter().for_each(|took| votes.saturating_record(took.as_micros() as u64));
            last = last.max(sent);
            phones.push(phone);
        }
        let seen = tokio::time::timeout(LOOKED_WITHIN, counted(&mut screen)).await.map_err(|_| "no results came")??;
        reveals.saturating_record(seen.saturating_duration_since(last).as_micros() as u64);
        screen.ask(id + 1, &json!({ "id": id + 1, "do": "END_ITEM", "room": room, "with": item }).to_string()).await?;
    }
    Ok(Evening { votes, reveals, took: begun.elapsed(), server_cpu: server.cpu()?.saturating_sub(cpu) })
}

/// Two votes of one phone, how long each took, and when the last was sent.
async fn vote(mut phone: Line, room: String, number: usize, n: usize) -> Result<(Line, Vec<Duration>, Instant)> {
    let (mut took, mut sent) = (Vec::new(), Instant::now());
    for again in 0..2 {
        let id = 100 + (number * 2 + again) as u64;
        let choice = format!("s{}", (n + number + again) % PHONES + 1);
        let with = json!({ "round_id": "r1", "item_id": format!("i{number}"), "selections": [choice] });
        sent = Instant::now();
        let text = json!({ "id": id, "do": "SUBMIT_VOTE", "room": room, "with": with }).to_string();
        match phone.ask(id, &text).await {
            Ok(_) => took.push(sent.elapsed()),
            // Everybody had voted: the second thought came too late.
            Err(sentence) if sentence.contains("\"late\"") => break,
            Err(sentence) => return Err(sentence),
        }
    }
    Ok((phone, took, sent))
}

/// When the big screen has the results.
async fn counted(screen: &mut Line) -> Result<Instant> {
    loop {
        while let Some(frame) = screen.frames.take()? {
            if memchr::memmem::find(frame, b"\"VOTE_RESULTS\"").is_some() {
                return Ok(Instant::now());
            }
        }
        if !screen.fill().await? {
            return Err("the server closed the big screen's line".to_owned());
        }
    }
}
