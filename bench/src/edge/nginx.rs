//! Debian's nginx as a caching proxy: one process, connections to the origin kept, nothing written down.

use crate::Result;
use crate::child::Server;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Command;

/// Whether only one of those who ask for a cold page is let through; by default nginx lets all.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    Off,
    On,
}

pub fn version() -> Result<String> {
    let asked = Command::new("nginx").arg("-v").output();
    let asked = asked.map_err(|error| format!("nginx does not start ({error}); on Debian: apt-get install nginx-light"))?;
    let said = String::from_utf8_lossy(&asked.stderr).into_owned();
    Ok(said.trim().rsplit_once('/').map_or_else(|| said.trim().to_owned(), |(_, version)| format!("nginx {version}")))
}

pub fn start(scratch: &Path, origin: SocketAddr, lock: Lock, megabytes_max: u64) -> Result<Server> {
    let folder = scratch.join("nginx");
    let _ = std::fs::remove_dir_all(&folder); // There may be none.
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let address = free()?;
    let at = folder.display();
    let temporary: String =
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(|kind| format!("{kind}_temp_path {at}/{kind};\n")).concat();
    let lock = if lock == Lock::On { "proxy_cache_lock on;" } else { "" };
    // A zone of 200 MB knows 1.6 million addresses, so that what bounds the flood is what it was told to keep.
    let text = format!(
        "daemon off; master_process off; worker_processes 1; pid {at}/pid; error_log stderr crit;\n\
         events {{ worker_connections 4096; }}\n\
         http {{\n\
         access_log off; {temporary}\n\
         sendfile on; tcp_nopush on; keepalive_requests 1000000000; server_tokens off;\n\
         proxy_cache_path {at}/cache levels=1:2 keys_zone=pages:200m max_size={megabytes_max}m inactive=600m use_temp_path=off;\n\
         upstream shop {{ server {origin}; keepalive 64; keepalive_requests 1000000000; }}\n\
         server {{ listen {address} backlog=4096;\n\
         location / {{ proxy_pass http://shop; proxy_http_version 1.1; proxy_set_header Connection \"\"; proxy_set_header Host $host;\n\
         proxy_cache pages; {lock} add_header X-Cache-Status $upstream_cache_status; }} }} }}\n"
    );
    let file = folder.join("nginx.conf");
    std::fs::write(&file, text).map_err(failed)?;
    let mut command = Command::new("nginx");
    command.args(["-e", "stderr", "-c"]).arg(&file);
    Server::listening(&mut command, address)
}

/// A port that nobody has this moment.
fn free() -> Result<SocketAddr> {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).map_err(|error| error.to_string())
}
