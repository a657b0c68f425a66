//! Votes through the engine on Redis beside a bare script that adds the very entries votes become, with the same client
//! library, the same number of writers and the same trimming.

use crate::inside::{Counting, ROOMS};
use crate::options::Options as Wishes;
use crate::report::{Section, Target, median};
use crate::{Result, fill, machine};
use parlor_store::redis::Options;
use redis::IntoConnectionInfo;
use redis::aio::MultiplexedConnection;
use redis::io::tcp::TcpSettings;
use redis::streams::StreamRangeReply;
use std::sync::Arc;

/// One entry and one deadline: the least that document 000 asks of a vote.
const BARE: &str = "\
redis.call('XADD', KEYS[1], 'MAXLEN', '~', '256', '*', unpack(ARGV, 2))
return redis.call('PEXPIREAT', KEYS[1], ARGV[1])";

const LIFE_MS: u64 = 3_600_000;

/// People in each room: alone, where every vote is a commit, and a small team, whose votes share commits.
const TEAMS: [usize; 2] = [1, 4];

struct Rate {
    per_second: f64,
    /// Of the server's core.
    server_us: f64,
}

pub fn run(options: &Wishes) -> Result<Section> {
    machine::pin(machine::GENERATOR)?;
    let (mut rows, mut targets) = (Vec::new(), Vec::new());
    for (team, what) in
        TEAMS.into_iter().zip(["votes / bare script, one voter a room", "votes / bare script, four voters a room"])
    {
        let (bare, votes, entry_bytes) = compare(options, team)?;
        let of = |rates: &[Rate], pick: fn(&Rate) -> f64| median(rates.iter().map(pick).collect());
        let bare_rate = of(&bare, |rate| rate.per_second);
        for (name, rates) in [("XADD and PEXPIREAT in a script", bare), ("a vote through the engine", votes)] {
            let (rate, us) = (of(&rates, |rate| rate.per_second), of(&rates, |rate| rate.server_us));
            let ratio = rate / bare_rate;
            let cells = [team.to_string(), name.to_owned(), entry_bytes.to_string()];
            rows.push(cells.into_iter().chain([format!("{rate:.0}"), format!("{us:.1}"), format!("{ratio:.2}")]).collect());
            if name.starts_with("a vote") {
                targets.push(Target { what: what.into(), reached: format!("{ratio:.2}"), asked: "≥ 0.6", met: ratio >= 0.6 });
            }
        }
    }
    Ok(Section {
        name: "redis-votes",
        title: "Votes on Redis",
        about: format!(
            "Votes spread over {ROOMS} rooms through the engine in process, on a redis-server of its own core, beside a bare script that \
             adds the entry of one such vote to as many streams with the same client library, as many writers and the same trimming; {} s \
             after 2 s of warm-up, medians of {} rounds. A vote writes a seat and a receipt besides its entry, and moves the deadline of \
             every key of the room once a second; votes of one room that wait together share a commit, as they do in life.",
            options.seconds.as_secs(),
            options.rounds,
        ),
        head: vec!["voters a room", "through", "bytes of an entry", "a second", "redis-server µs each", "of the bare script"],
        rows,
        targets,
    })
}

fn compare(options: &Wishes, team: usize) -> Result<(Vec<Rate>, Vec<Rate>, usize)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    let (mut bare, mut votes) = (Vec::new(), Vec::new());
    let entry = runtime.block_on(one_entry(team))?;
    let entry_bytes = entry.iter().map(Vec::len).sum::<usize>();
    for round in 1..=options.rounds {
        let (one, two) = (runtime.block_on(write_bare(options, team, entry.clone()))?, vote(options, team)?);
        eprintln!(
            "redis votes {round}/{}, {team} a room: bare {:.0}/s ({:.1} µs of the server), Parlor {:.0}/s ({:.1} µs)",
            options.rounds, one.per_second, one.server_us, two.per_second, two.server_us
        );
        bare.push(one);
        votes.push(two);
    }
    Ok((bare, votes, entry_bytes))
}

/// The fields and values of a vote's entry, as the engine writes them.
async fn one_entry(team: usize) -> Result<Vec<Vec<u8>>> {
    let server = super::server()?;
    let engine = fill::engine(Arc::new(super::store(&server.url()).await?));
    fill::create(&engine, 0).await?;
    for request in (0..team).map(fill::join).chain((0..team).map(|person| fill::vote(person, 1))) {
        engine.act(&fill::address(0), request).await.map_err(|error| error.to_string())?;
    }
    let mut connection = connect(&server.url()).await?;
    let key = format!("room_condition:{}", fill::address(0).id);
    let asked = redis::cmd("XREVRANGE").arg(key).arg("+").arg("-").arg("COUNT").arg(1).query_async(&mut connection).await;
    let reply: StreamRangeReply = asked.map_err(|error| error.to_string())?;
    let entry = reply.ids.into_iter().next().ok_or("the vote left no entry")?;
    let mut words = Vec::new();
    for (field, value) in entry.map {
        words.push(field.into_bytes());
        words.push(redis::from_redis_value::<Vec<u8>>(value).map_err(|error| error.to_string())?);
    }
    Ok(words)
}

async fn write_bare(options: &Wishes, team: usize, entry: Vec<Vec<u8>>) -> Result<Rate> {
    let server = super::server()?;
    let connection = connect(&server.url()).await?;
    let hash: String = redis::cmd("SCRIPT")
        .arg("LOAD")
        .arg(BARE)
        .query_async(&mut connection.clone())
        .await
        .map_err(|error| error.to_string())?;
    let counting = Counting::new();
    let entry = Arc::new(entry);
    let mut writers = tokio::task::JoinSet::new();
    for room in (0..ROOMS * team).map(|writer| writer % ROOMS) {
        let (mut connection, hash, entry, counting) = (connection.clone(), hash.clone(), entry.clone(), counting.clone());
        writers.spawn(async move {
            let key = format!("room_condition:{}", fill::address(room).id);
            loop {
                let mut script = redis::cmd("EVALSHA");
                script.arg(&hash).arg(1).arg(&key).arg(fill::now().0 + LIFE_MS).arg(&*entry);
                if let Err(error) = script.query_async::<i64>(&mut connection).await {
                    eprintln!("a write failed: {error}");
                    return;
                }
                counting.one();
            }
        });
    }
    measure(&counting, options, server.pid()).await
}

fn vote(options: &Wishes, team: usize) -> Result<Rate> {
    let server = super::server()?;
    // One thread, as the bare writers have.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let engine = fill::engine(Arc::new(super::store(&server.url()).await?));
        let counting = Counting::new();
        let mut voters = tokio::task::JoinSet::new();
        for room in 0..ROOMS {
            fill::create(&engine, room).await?;
            for person in 0..team {
                let joined = engine.act(&fill::address(room), fill::join(room * team + person)).await;
                joined.map_err(|error| error.to_string())?;
            }
        }
        for person in 0..ROOMS * team {
            let (engine, counting, address) = (engine.clone(), counting.clone(), fill::address(person / team));
            voters.spawn(async move {
                for number in 1.. {
                    if let Err(error) = engine.act(&address, fill::vote(person, number)).await {
                        eprintln!("a vote failed: {error}");
                        return;
                    }
                    counting.one();
                }
            });
        }
        let before = machine::cpu(std::process::id())?;
        let rate = measure(&counting, options, server.pid()).await?;
        let own = machine::cpu(std::process::id())? - before;
        let all = rate.per_second * (options.seconds + crate::inside::WARM_UP).as_secs_f64();
        eprintln!("the engine's process: {:.1} µs a vote", own.as_secs_f64() * 1e6 / all.max(1.0));
        Ok(rate)
    })
}

async fn measure(counting: &Counting, options: &Wishes, server: u32) -> Result<Rate> {
    let before = machine::cpu(server)?;
    let per_second = counting.measure(options.seconds).await;
    let used = machine::cpu(server)? - before;
    // The server worked through the warm-up too, at about the same rate.
    let all = per_second * (options.seconds + crate::inside::WARM_UP).as_secs_f64();
    Ok(Rate { per_second, server_us: used.as_secs_f64() * 1e6 / all.max(1.0) })
}

async fn connect(url: &str) -> Result<MultiplexedConnection> {
    let info = url.into_connection_info().map_err(|error| error.to_string())?;
    let client = redis::Client::open(info.set_tcp_settings(TcpSettings::default().set_nodelay(true)));
    let client = client.map_err(|error| error.to_string())?;
    // As patient as the store: a machine that is busy elsewhere is no failure.
    let config = redis::AsyncConnectionConfig::new().set_response_timeout(Some(Options::default().answer_within));
    client.get_multiplexed_async_connection_with_config(&config).await.map_err(|error| error.to_string())
}
