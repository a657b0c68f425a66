//! The control socket: a Unix socket in the store's folder, for whoever may read that folder.
//!
//! Only one process can have a folder open, so `parlor backup` asks the one that has. One line in, lines of
//! progress out; the last says `done` or `failed`.

use parlor_store::Embedded;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;

const NAME: &str = "control.sock";

/// Listens in the folder; the folder's lock makes sure that an older socket file is a dead one.
pub fn listen(folder: &Path, store: Arc<Embedded>) -> Result<(), String> {
    let path = folder.join(NAME);
    let cannot = |error: std::io::Error| format!("the control socket {} cannot be opened: {error}", path.display());
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(cannot(error)),
        Err(_) | Ok(()) => {}
    }
    let listener = UnixListener::bind(&path).map_err(cannot)?;
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).map_err(cannot)?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let store = store.clone();
            tokio::spawn(async move {
                if let Err(error) = answer(stream, store).await {
                    tracing::warn!(%error, "a control request ended badly");
                }
            });
        }
    });
    Ok(())
}

async fn answer(stream: UnixStream, store: Arc<Embedded>) -> std::io::Result<()> {
    let (reader, mut writer) = stream.into_split();
    let mut line = String::new();
    BufReader::new(reader).read_line(&mut line).await?;
    let Some(target) = line.trim_end().strip_prefix("backup ").map(PathBuf::from) else {
        return writer.write_all(b"failed this socket knows: backup FOLDER\n").await;
    };
    let (progress, mut lines) = mpsc::unbounded_channel();
    let copying = tokio::task::spawn_blocking(move || {
        store
            .backup(&target, &mut |copied| drop(progress.send(format!("copied {copied} records\n"))))
            .map_err(|error| error.to_string())
    });
    while let Some(line) = lines.recv().await {
        writer.write_all(line.as_bytes()).await?;
    }
    let outcome = match copying.await {
        Ok(Ok(_)) => "done\n".to_owned(),
        Ok(Err(error)) => format!("failed {error}\n"),
        Err(error) => format!("failed {error}\n"),
    };
    writer.write_all(outcome.as_bytes()).await
}

/// Asks the process that has the folder open to back it up. `None` when no process answers there.
pub async fn ask_backup(folder: &Path, target: &Path, say: &mut dyn FnMut(&str)) -> Option<Result<(), String>> {
    let mut stream = UnixStream::connect(folder.join(NAME)).await.ok()?;
    let request = format!("backup {}\n", target.display());
    if let Err(error) = stream.write_all(request.as_bytes()).await {
        return Some(Err(error.to_string()));
    }
    let mut lines = BufReader::new(stream).lines();
    loop {
        match lines.next_line().await {
            Ok(Some(line)) if line == "done" => return Some(Ok(())),
            Ok(Some(line)) => match line.strip_prefix("failed ") {
                Some(why) => return Some(Err(why.to_owned())),
                None => say(&line),
            },
            Ok(None) => return Some(Err("the server stopped before the backup was complete".to_owned())),
            Err(error) => return Some(Err(error.to_string())),
        }
    }
}
