//! `cargo xtask demo shop`: a little shop with a database of its own, and Parlor in front of it.
//!
//! Both are started here and end together: by Ctrl-C, which both hear, or when one of them ends.

use crate::shell::{cargo, go, root};
use crate::{Outcome, pages};
use std::hash::{BuildHasher, RandomState};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

const EDGE: &str = "127.0.0.1:7080";
const DOORS: &str = "127.0.0.1:7008";
const LOOK_EVERY: Duration = Duration::from_millis(200);

pub(crate) fn run(args: &[String]) -> Outcome {
    match args.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        Some(("shop", more)) => shop(more),
        _ => Err("there is one demo: `cargo xtask demo shop`; what follows is given to `parlor serve`".into()),
    }
}

fn shop(more: &[String]) -> Outcome {
    println!("Building Parlor and the demo shop; the first time takes a few minutes.");
    let helper = if pages::has_node() {
        pages::build()?;
        Some(pages::shop_helper())
    } else {
        println!("Without Node.js the browser helper cannot be built; the shop's forms work all the same.");
        None
    };
    go(cargo(&["build", "--release", "--package", "parlor", "--package", "parlor-demo"]))?;
    let folder = root().join("parlor-data/demo-shop");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
    let database = folder.join("lantern.db");
    let (origin_at, edge_at, doors_at) = (free()?, at_or_free(EDGE)?, at_or_free(DOORS)?);
    let (shop_key, admin_key) = (key(), key());
    let (origin_url, doors_url) = (format!("http://{origin_at}"), format!("http://{doors_at}"));

    let mut origin = Command::new(program("parlor-demo-shop"));
    origin.args(["--listen", &origin_at, "--parlor", &doors_url]).arg("--database").arg(&database);
    origin.env("PARLOR_SHOP_KEY", &shop_key).env("PARLOR_ADMIN_KEY", &admin_key);
    if let Some(helper) = helper {
        origin.arg("--helper").arg(helper);
    }
    let mut origin = Running::start(origin, "the demo shop")?;
    // Parlor reads the shop's rows; the shop makes its database first.
    wait_for(&database, &mut origin)?;

    let mut parlor = Command::new(program("parlor"));
    parlor.args(["serve", "--listen", &doors_at, "--edge", &edge_at, "--origin", &origin_url]);
    parlor.args(["--item-path", "/product/{item}", "--rows-source", &format!("sqlite:{}", database.display())]);
    if !more.iter().any(|word| word == "--store" || word.starts_with("--store=")) {
        parlor.arg("--store").arg(format!("embedded:{}", folder.join("store").display()));
    }
    parlor.args(more).env("PARLOR_SHOP_KEY", &shop_key).env("PARLOR_ADMIN_KEY", &admin_key);
    let mut parlor = Running::start(parlor, "Parlor")?;

    println!("\n  the shop, through Parlor   http://{edge_at}");
    println!("  its back office            http://{edge_at}/admin   change a price, watch it appear");
    println!("  what Parlor makes of it    http://{doors_at}/shop   admin key: {admin_key}");
    println!("  the shop without Parlor    {origin_url}\n\nCtrl-C stops both.\n");
    loop {
        for running in [&mut origin, &mut parlor] {
            if let Some(ended) = running.ended()? {
                return ended;
            }
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// A program that does not outlive us.
struct Running {
    child: Child,
    what: &'static str,
}

impl Running {
    fn start(mut command: Command, what: &'static str) -> Result<Running, String> {
        let child = command.current_dir(root()).spawn().map_err(|error| format!("{what} could not be started: {error}"))?;
        Ok(Running { child, what })
    }

    fn ended(&mut self) -> Result<Option<Outcome>, String> {
        let ended = self.child.try_wait().map_err(|error| error.to_string())?;
        Ok(ended.map(|status| if status.success() { Ok(()) } else { Err(format!("{} ended ({status})", self.what)) }))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn wait_for(database: &Path, origin: &mut Running) -> Outcome {
    while !database.exists() {
        if origin.ended()?.is_some() {
            return Err("the demo shop did not start".into());
        }
        std::thread::sleep(LOOK_EVERY);
    }
    Ok(())
}

/// Where the release build puts it: beside the folder that this program was built into.
fn program(name: &str) -> PathBuf {
    let here = std::env::current_exe().unwrap_or_default();
    let target = here.parent().and_then(Path::parent).map(Path::to_path_buf).unwrap_or_else(|| root().join("target"));
    target.join("release").join(name)
}

fn free() -> Result<String, String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|error| format!("no port is free: {error}"))?;
    listener.local_addr().map(|address| address.to_string()).map_err(|error| error.to_string())
}

/// The address that the documentation names, or another if somebody has it.
fn at_or_free(address: &str) -> Result<String, String> {
    if TcpListener::bind(address).is_ok() { Ok(address.to_owned()) } else { free() }
}

/// A key for this run: 32 hexadecimal digits that nobody knows.
fn key() -> String {
    let mut digits = String::new();
    for part in 0..2u8 {
        digits += &format!("{:016x}", RandomState::new().hash_one(part));
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_long_enough_and_differ() {
        assert_eq!(key().len(), 32);
        assert_ne!(key(), key());
    }

    #[test]
    fn there_is_one_demo() {
        assert!(run(&[]).is_err());
        assert!(run(&["room".into()]).is_err());
    }
}
