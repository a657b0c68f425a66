//! Room on the disk: a test of durability on a full disk fails in a hundred ways, none of which says why.

use crate::Outcome;
use std::path::Path;
use std::process::Command;

/// Below this, what only makes the next build faster is thrown away.
const PLENTY_GIB: u64 = 20;
/// What a build of everything and the stores of the tests take at most, beside what is there already.
const LEAST_GIB: u64 = 8;

pub(crate) fn lane() -> Outcome {
    let here = std::env::current_exe().map_err(|error| format!("cannot find out where xtask lies: {error}"))?;
    let builds = here.parent().unwrap_or(Path::new("."));
    let mut free = free_gib(builds)?;
    if free < PLENTY_GIB {
        let half_built = builds.join("incremental");
        println!("only {free} GiB are free; dropping {}", half_built.display());
        let _ = std::fs::remove_dir_all(half_built); // There may be none.
        free = free_gib(builds)?;
    }
    if free < LEAST_GIB {
        let cache = builds.display();
        return Err(format!("the tests need {LEAST_GIB} GiB of disk and {free} are free; old builds in {cache} can go"));
    }
    println!("{free} GiB are free");
    Ok(())
}

fn free_gib(folder: &Path) -> Result<u64, String> {
    let asked = Command::new("df").args(["--output=avail", "--block-size=1G"]).arg(folder).output();
    let asked = asked.map_err(|error| format!("`df` could not be started: {error}"))?;
    read(&String::from_utf8_lossy(&asked.stdout))
        .ok_or_else(|| format!("`df` did not say how much of {} is free", folder.display()))
}

/// A heading, then a number.
fn read(said: &str) -> Option<u64> {
    said.lines().nth(1)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_df_says_is_read() {
        assert_eq!(read("Avail\n   45\n"), Some(45));
        assert_eq!(read("df: no such file\n"), None);
        assert!(free_gib(Path::new("/")).is_ok());
        assert!(free_gib(Path::new("/no/such/folder")).is_err());
    }
}
