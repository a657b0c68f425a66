//! Into a space of Parlor's: hello, create, enter.

use crate::Result;
use crate::line::Line;
use crate::parlor::hello;
use std::net::SocketAddr;

/// A line that has said hello.
pub async fn open(address: SocketAddr, person: usize) -> Result<Line> {
    let mut line = Line::open(address, "/v1/ws").await?;
    line.ask(1, &hello(person)).await?;
    Ok(line)
}

/// Makes a space in which everybody may do everything but close it.
pub async fn create(line: &mut Line) -> Result<String> {
    let reply = line.ask(2, r#"{"id":2,"do":"create","with":{"kind":"space","guests":"write"}}"#).await?;
    let reply: serde_json::Value = serde_json::from_str(&reply).map_err(|error| error.to_string())?;
    reply["ok"]["room"].as_str().map(str::to_owned).ok_or_else(|| format!("no space was made: {reply}"))
}

pub async fn enter(line: &mut Line, room: &str) -> Result<()> {
    line.ask(3, &format!(r#"{{"id":3,"do":"enter","room":"{room}"}}"#)).await.map(|_| ())
}
