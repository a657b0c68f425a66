//! A map of 100,000 keys and a list of 100,000 items beside small ones: what an edit costs, what joining is like, and
//! how much memory the space takes after a restart.

use super::join;
use crate::child::Server;
use crate::idle::clear;
use crate::line::{Line, push_frame};
use crate::options::Options;
use crate::report::{Section, Target, median};
use crate::{Result, machine};
use std::path::Path;
use std::time::{Duration, Instant};

const SMALL: usize = 100;
const LARGE: usize = 100_000;
/// Operations of one batch, and batches under way while a space is filled.
const BATCH: usize = 64;
const BATCHES_UNDER_WAY: usize = 16;
const WARM_UP: Duration = Duration::from_secs(1);
const SETTLE: Duration = Duration::from_secs(2);
const SETTLE_WITHIN: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, PartialEq)]
enum Part {
    Map,
    List,
}

struct Edits {
    per_second: f64,
    cpu_us: f64,
}

struct Joined {
    frames: usize,
    bytes: usize,
    largest: usize,
    took: Duration,
}

pub fn run(options: &Options) -> Result<Section> {
    machine::pin(machine::GENERATOR)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    let folder = options.scratch.join("space-large");
    let (mut rows, mut targets) = (Vec::new(), Vec::new());
    for (part, name) in [(Part::Map, "map"), (Part::List, "list")] {
        let (rooms, costs, joined) = runtime.block_on(edits(options, &folder, part))?;
        let (base, loaded) = runtime.block_on(memory(options, &folder, &rooms[1]))?;
        let json = json_bytes(part, LARGE);
        let grown = (loaded as f64 - base as f64) * 1024.0;
        let (small, large) = (&costs[0], &costs[1]);
        for (count, edits) in [(SMALL, small), (LARGE, large)] {
            let mut row =
                vec![format!("a {name} of {count}"), format!("{:.1}", edits.cpu_us), format!("{:.0}", edits.per_second)];
            row.extend(if count == LARGE {
                [
                    format!("{:.0}", joined.took.as_secs_f64() * 1000.0),
                    format!("{} of at most {} KiB", joined.frames, joined.largest.div_ceil(1024)),
                    format!("{:.1}", json as f64 / 1024.0 / 1024.0),
                    format!("{:.1}", grown / 1024.0 / 1024.0),
                ]
            } else {
                ["", "", "", ""].map(str::to_owned)
            });
            rows.push(row);
        }
        eprintln!(
            "space-large: {name}: a snapshot of {} bytes in {} frames, {base} KiB before, {loaded} KiB after",
            joined.bytes, joined.frames
        );
        let (cost, held) = (large.cpu_us / small.cpu_us, grown / json as f64);
        let target = |of: &str, reached: f64, asked, met| Target {
            what: format!("{name}: {of}").into(),
            reached: format!("{reached:.2}"),
            asked,
            met,
        };
        targets.push(target("CPU of an edit, large / small", cost, "≤ 2", cost <= 2.0));
        targets.push(target(
            "edits/s, small / large",
            small.per_second / large.per_second,
            "≤ 2",
            small.per_second / large.per_second <= 2.0,
        ));
        targets.push(target("memory / JSON", held, "≤ 3", held <= 3.0));
    }
    clear(&folder)?;
    Ok(Section {
        name: "space-large",
        title: "Large spaces",
        about: format!(
            "A space with a map of {LARGE} keys and one with a list of {LARGE} items, values of about 100 bytes, beside ones of {SMALL}; \
             embedded, fsync. One client edits, one command at a time, for {} s after {} s of warm-up: `map_set` of any key, or in turn \
             `list_insert` after any item, `list_move` and `list_remove`; medians of {} alternating rounds. JSON is the size of the plain \
             value (an object, an array of the values); memory is what the server's resident set grew by when it loaded the space \
             after a restart and read it to one client, from one moment of rest to the next.",
            options.seconds.as_secs(),
            WARM_UP.as_secs(),
            options.rounds
        ),
        head: vec!["space", "CPU µs per edit", "edits/s", "join ms", "frames", "JSON MiB", "memory MiB"],
        rows,
        targets,
    })
}

/// Fills a small and a large space, edits both by turns and joins the large one.
async fn edits(options: &Options, folder: &Path, part: Part) -> Result<([String; 2], [Edits; 2], Joined)> {
    clear(folder)?;
    let server = Server::parlor(options, &format!("embedded:{}", folder.display()))?;
    let mut maker = join::open(server.address, 0).await?;
    let mut rooms = [const { String::new() }; 2];
    for (room, count) in rooms.iter_mut().zip([SMALL, LARGE]) {
        *room = join::create(&mut maker).await?;
        let begun = Instant::now();
        fill(&mut maker, room, part, count).await?;
        eprintln!("space-large: {count} in {:.1} s", begun.elapsed().as_secs_f64());
    }
    let mut found: [Vec<Edits>; 2] = Default::default();
    let mut joins = Vec::new();
    for round in 0..options.rounds {
        for ((room, count), found) in rooms.iter().zip([SMALL, LARGE]).zip(&mut found) {
            let mut line = join::open(server.address, 1).await?;
            let joined = read_out(&mut line, room).await?;
            if count == LARGE {
                joins.push(joined);
            }
            let edits = edit(&server, &mut line, (room, part, count), round, options.seconds).await?;
            eprintln!("space-large: edits among {count}: {:.1} µs, {:.0}/s", edits.cpu_us, edits.per_second);
            found.push(edits);
        }
    }
    let costs = found.map(|rounds| Edits {
        per_second: median(rounds.iter().map(|edits| edits.per_second).collect()),
        cpu_us: median(rounds.iter().map(|edits| edits.cpu_us).collect()),
    });
    joins.sort_by_key(|joined| joined.took);
    let joined = joins.into_iter().next_back().ok_or("nobody joined")?;
    Ok((rooms, costs, joined))
}

/// Base and loaded resident KiB of a new process on the folder.
async fn memory(options: &Options, folder: &Path, room: &str) -> Result<(u64, u64)> {
    let store = format!("embedded:{}", folder.display());
    // After the kill the first start has work to do with what was written last; the second finds it done.
    let server = Server::parlor(options, &store)?;
    settled(&server).await?;
    server.stop()?;
    let server = Server::parlor(options, &store)?;
    let mut line = join::open(server.address, 1).await?;
    let base = settled(&server).await?;
    read_out(&mut line, room).await?;
    Ok((base, settled(&server).await?))
}

/// Resident KiB once they have been the same for a while, give or take little.
async fn settled(server: &Server) -> Result<u64> {
    let begun = Instant::now();
    let mut before = 0;
    loop {
        tokio::time::sleep(SETTLE).await;
        let now = server.resident_kib()?;
        if now.abs_diff(before) < 512 || begun.elapsed() > SETTLE_WITHIN {
            return Ok(now);
        }
        before = now;
    }
}

fn value(number: usize) -> String {
    format!(r#"{{"text":"{number:0>8}{:x<62}","x":{:0>4},"done":false}}"#, "", 1000 + number % 9000)
}

fn json_bytes(part: Part, count: usize) -> usize {
    let entry = |number: usize| match part {
        Part::Map => format!(r#""key-{number}":{},"#, value(number)),
        Part::List => format!("{},", value(number)),
    };
    (0..count).map(|number| entry(number).len()).sum::<usize>() + 1
}

/// So many batches at a time; those of one room keep their order.
async fn fill(line: &mut Line, room: &str, part: Part, count: usize) -> Result<()> {
    let operation = |number: usize| match part {
        Part::Map => format!(r#"{{"do":"map_set","with":{{"map":"board","key":"key-{number}","value":{}}}}}"#, value(number)),
        Part::List => {
            format!(r#"{{"do":"list_insert","with":{{"list":"board","id":"item-{number}","value":{}}}}}"#, value(number))
        }
    };
    let mut numbers = (0..count).step_by(BATCH);
    let mut under_way = 0;
    loop {
        let mut frames = Vec::new();
        for from in numbers.by_ref().take(BATCHES_UNDER_WAY - under_way) {
            let operations: Vec<String> = (from..count.min(from + BATCH)).map(operation).collect();
            let text = format!(r#"{{"id":9,"do":"batch","room":"{room}","with":{{"ops":[{}]}}}}"#, operations.join(","));
            push_frame(&mut frames, text.as_bytes());
            under_way += 1;
        }
        if under_way == 0 {
            return Ok(());
        }
        line.write(&frames).await?;
        under_way -= answers(line).await?;
    }
}

/// How many commands were acknowledged, at least one.
async fn answers(line: &mut Line) -> Result<usize> {
    let mut count = 0;
    loop {
        while let Some(frame) = line.frames.take()? {
            if frame.starts_with(br#"{"id":"#) {
                let head = &frame[..frame.len().min(200)];
                if memchr::memmem::find(&head[..head.len().min(32)], br#","ok":"#).is_none() {
                    return Err(String::from_utf8_lossy(head).into_owned());
                }
                count += 1;
            }
        }
        if count > 0 {
            return Ok(count);
        }
        if !line.fill().await? {
            return Err("the server closed the line".to_owned());
        }
    }
}

/// Enters and reads until the last piece of the snapshot.
async fn read_out(line: &mut Line, room: &str) -> Result<Joined> {
    let begun = Instant::now();
    line.send(&format!(r#"{{"id":3,"do":"enter","room":"{room}"}}"#)).await?;
    let mut joined = Joined { frames: 0, bytes: 0, largest: 0, took: Duration::ZERO };
    loop {
        while let Some(frame) = line.frames.take()? {
            if frame.starts_with(br#"{"id":3,"error""#) {
                return Err(String::from_utf8_lossy(frame).into_owned());
            }
            if frame.starts_with(br#"{"push":"snapshot""#) {
                joined.frames += 1;
                joined.bytes += frame.len();
                joined.largest = joined.largest.max(frame.len());
                if frame.ends_with(br#","last":true}"#) {
                    joined.took = begun.elapsed();
                    return Ok(joined);
                }
            }
        }
        if !line.fill().await? {
            return Err("the server closed the line while it read the space out".to_owned());
        }
    }
}

/// One command at a time, for so long.
async fn edit(
    server: &Server,
    line: &mut Line,
    (room, part, count): (&str, Part, usize),
    round: usize,
    seconds: Duration,
) -> Result<Edits> {
    let begun = Instant::now();
    let (mut before, mut edits, mut number) = (None, 0u64, 0usize);
    loop {
        let elapsed = begun.elapsed();
        match before {
            None if elapsed >= WARM_UP => before = Some((server.cpu()?, Instant::now())),
            Some((cpu, from)) if elapsed >= WARM_UP + seconds => {
                let (cpu, took) = (server.cpu()? - cpu, from.elapsed());
                return Ok(Edits {
                    per_second: edits as f64 / took.as_secs_f64(),
                    cpu_us: cpu.as_secs_f64() * 1e6 / edits.max(1) as f64,
                });
            }
            _ => {}
        }
        number += 1;
        line.send(&command(room, part, count, round, number)).await?;
        answers(line).await?;
        edits += u64::from(before.is_some());
    }
}

fn command(room: &str, part: Part, count: usize, round: usize, number: usize) -> String {
    // Any of them, and each time another: a step that has no divisor with the count goes through all.
    let any = |number: usize| number.wrapping_mul(7919) % count;
    let (verb, with) = match (part, number % 3) {
        (Part::Map, _) => ("map_set", format!(r#"{{"map":"board","key":"key-{}","value":{}}}"#, any(number), value(number))),
        (Part::List, 1) => (
            "list_insert",
            format!(r#"{{"list":"board","id":"new-{round}-{number}","after":"item-{}","value":{}}}"#, any(number), value(number)),
        ),
        (Part::List, 2) => {
            ("list_move", format!(r#"{{"list":"board","id":"new-{round}-{}","after":"item-{}"}}"#, number - 1, any(number * 3)))
        }
        (Part::List, _) => ("list_remove", format!(r#"{{"list":"board","id":"new-{round}-{}"}}"#, number - 2)),
    };
    format!(r#"{{"id":9,"do":"{verb}","room":"{room}","with":{with}}}"#)
}
