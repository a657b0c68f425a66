//! Closing a room among a thousand other keys and among a million: nothing is searched for, so it costs the same.

use crate::options::Options;
use crate::report::{Section, Target, median};
use crate::{Result, fill, machine};
use parlor_rules::Address;
use parlor_store::{NodeId, Rooms};
use std::sync::Arc;
use std::time::Instant;

const FEW: usize = 1_000;
const MANY: usize = 1_000_000;
const CLOSED: usize = 2_000;

pub fn run(options: &Options) -> Result<Section> {
    machine::pin(machine::GENERATOR)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    let servers = [super::server()?, super::server()?];
    for (server, keys) in servers.iter().zip([FEW, MANY]) {
        let fill = format!("for n = 1, {keys} do redis.call('SET', 'other:' .. n, n, 'PX', 3600000) end return 1");
        // In parts: a server that is busy for seconds answers nobody.
        for part in 0..keys.div_ceil(50_000) {
            let (from, to) = (part * 50_000 + 1, ((part + 1) * 50_000).min(keys));
            let fill = fill.replace(&format!("n = 1, {keys}"), &format!("n = {from}, {to}"));
            server.ask(&["EVAL", &fill, "0"]);
        }
    }
    let mut micros = [Vec::new(), Vec::new()];
    for round in 1..=options.rounds {
        for (server, into) in servers.iter().zip(&mut micros) {
            into.push(runtime.block_on(close(&server.url(), round))?);
        }
        let last = |values: &[f64]| values.last().copied().unwrap_or(f64::NAN);
        eprintln!("redis close {round}/{}: {:.1} µs, {:.1} µs", options.rounds, last(&micros[0]), last(&micros[1]));
    }
    let [few, many] = micros.map(median);
    let more = (many / few - 1.0) * 100.0;
    Ok(Section {
        name: "redis-close",
        title: "Closing a room on Redis",
        about: format!(
            "{CLOSED} rooms with a seat and a vote each are closed one after the other; the median of {} rounds of the mean time of one, \
             round trip included.",
            options.rounds
        ),
        head: vec!["other keys on the server", "µs a room"],
        rows: vec![vec![FEW.to_string(), format!("{few:.1}")], vec![MANY.to_string(), format!("{many:.1}")]],
        targets: vec![Target {
            what: "among a million keys against among a thousand".into(),
            reached: format!("{more:+.0} %"),
            asked: "within 20 %",
            met: more.abs() <= 20.0,
        }],
    })
}

async fn close(url: &str, round: usize) -> Result<f64> {
    let store = Arc::new(super::store(url).await?);
    let engine = fill::engine(store.clone());
    let mut rooms: Vec<Address> = Vec::new();
    for number in 0..CLOSED {
        let number = round * CLOSED + number;
        fill::create(&engine, number).await?;
        let address = fill::address(number);
        for request in [fill::join(number), fill::vote(number, 1)] {
            engine.act(&address, request).await.map_err(|error| error.to_string())?;
        }
        rooms.push(address);
    }
    engine.kill();
    let mut places = Vec::new();
    for address in &rooms {
        let key = parlor_layout::room_key(address);
        let place = store.load(&key).await.map_err(|error| error.to_string())?.ok_or("a room is gone")?.place;
        places.push((key, place));
    }
    let begun = Instant::now();
    for (key, place) in &places {
        store.close(key, *place, NodeId(1)).await.map_err(|error| error.to_string())?;
    }
    Ok(begun.elapsed().as_secs_f64() * 1e6 / CLOSED as f64)
}
