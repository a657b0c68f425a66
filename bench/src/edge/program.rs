//! The edge that is measured: a program that is told where to listen, what lies behind it and how much it may keep.

use crate::Result;
use crate::child::Server;
use crate::options::Options;
use std::net::SocketAddr;
use std::process::Command;

pub fn start(options: &Options, origin: SocketAddr, megabytes_max: u64) -> Result<Server> {
    let mut command = Command::new(&options.edge);
    command.args(["--listen", "127.0.0.1:0", "--origin", &format!("http://{origin}")]);
    command.args(["--bytes", &(megabytes_max << 20).to_string()]);
    // A little shop in memory that has something to say in every slot.
    command.arg("--slots");
    Server::start(&mut command)
}
