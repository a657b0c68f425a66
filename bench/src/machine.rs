//! The machine: what it is, where a process runs, and what it has used so far.

use crate::Result;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CpuSet, sched_setaffinity};
use std::time::Duration;

/// The server's core and the generator's.
pub const SERVER: usize = 0;
pub const GENERATOR: usize = 1;

pub fn cores() -> usize {
    let list = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    list.lines().filter(|line| line.starts_with("processor")).count().max(1)
}

/// From now on this thread, and what it starts, runs on one core; on a machine with one there is no choice.
pub fn pin(core: usize) -> Result<()> {
    if cores() < 2 {
        return Ok(());
    }
    let mut set = CpuSet::new();
    set.set(core);
    sched_setaffinity(None, &set).map_err(|error| format!("this process cannot be pinned to core {core}: {error}"))
}

/// On any core again.
pub fn unpin() -> Result<()> {
    let mut set = CpuSet::new();
    (0..cores()).for_each(|core| set.set(core));
    sched_setaffinity(None, &set).map_err(|error| format!("this process cannot be unpinned: {error}"))
}

/// As many open files as the system lets us; children inherit it.
pub fn raise_open_files() -> Result<()> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })
        .map_err(|error| format!("open files cannot be raised: {error}"))
}

/// Processor time a process has used, its threads included.
pub fn cpu(pid: u32) -> Result<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).map_err(|error| format!("process {pid} is gone: {error}"))?;
    // The name in brackets may contain anything; the numbers follow the last bracket.
    let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
    let ticks = |field: usize| after.split_whitespace().nth(field).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    let per_second = rustix::param::clock_ticks_per_second();
    Ok(Duration::from_secs_f64((ticks(11) + ticks(12)) as f64 / per_second as f64))
}

/// Resident memory of a process in KiB.
pub fn resident_kib(pid: u32) -> Result<u64> {
    let status =
        std::fs::read_to_string(format!("/proc/{pid}/status")).map_err(|error| format!("process {pid} is gone: {error}"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("");
    line.split_whitespace().next().and_then(|text| text.parse().ok()).ok_or_else(|| format!("process {pid} has no memory"))
}

/// One line for the head of a table.
pub fn facts() -> String {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")).and_then(|rest| rest.split_once(':'));
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib: u64 = memory.split_whitespace().nth(1).and_then(|text| text.parse().ok()).unwrap_or(0);
    format!(
        "{} cores of {}, {} GiB, Linux {}",
        cores(),
        model.map_or("an unknown processor", |(_, name)| name.trim()),
        kib / 1024 / 1024,
        kernel.trim()
    )
}
