//! A little shop behind the edge: it counts who asks for what, and says what it is told to say.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What was asked, head and all.
#[derive(Clone, Default)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) headers: HashMap<String, String>,
}

pub(crate) struct Origin {
    pub(crate) at: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
}

type Says = Arc<dyn Fn(&Asked, usize) -> (String, String) + Send + Sync>;

impl Origin {
    /// `says` gives the headers, a line each, and the body for the so-many-eth request.
    pub(crate) fn start(says: impl Fn(&Asked, usize) -> (String, String) + Send + Sync + 'static) -> Origin {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (at, asked) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<Asked>>>::default());
        let (seen, says): (_, Says) = (asked.clone(), Arc::new(says));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (seen, says) = (seen.clone(), says.clone());
                std::thread::spawn(move || serve(stream.unwrap(), &seen, &says));
            }
        });
        Origin { at, asked }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(stream: TcpStream, seen: &Mutex<Vec<Asked>>, says: &Says) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let mut asked = Asked { path: line.split(' ').nth(1).unwrap_or_default().to_owned(), ..Asked::default() };
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) <= 2 {
                break;
            }
            let (name, value) = line.split_once(':').unwrap_or((&line, ""));
            asked.headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
        let number = {
            let mut seen = seen.lock().unwrap();
            seen.push(asked.clone());
            seen.len()
        };
        let (headers, body) = says(&asked, number);
        let headers: String = headers.lines().map(|line| format!("{}\r\n", line.trim())).collect();
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len());
        if reader.get_mut().write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}
