//! One HTTP request at a time, over plain TCP: enough for readiness and small settings.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result};

const TIMEOUT: Duration = Duration::from_secs(5);

/// Status and body of an answer.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The body as text.
    pub body: String,
}

/// Gets `path` from `address`.
pub fn get(address: SocketAddr, path: &str) -> Result<Answer> {
    send(address, "GET", path, None)
}

/// Sends `body` as JSON to `path` by `method`.
pub fn send_json(address: SocketAddr, method: &str, path: &str, body: &str) -> Result<Answer> {
    send(address, method, path, Some(body))
}

fn send(address: SocketAddr, method: &str, path: &str, body: Option<&str>) -> Result<Answer> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    // Version 1.0: the answer is not chunked and ends with the connection.
    let mut request = format!("{method} {path} HTTP/1.0\r\nHost: {address}\r\n");
    if let Some(body) = body {
        request += &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    }
    stream.write_all((request + "\r\n" + body.unwrap_or_default()).as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    parse(&String::from_utf8_lossy(&answer))
        .with_context(|| format!("no HTTP answer from {address}{path}"))
}

fn parse(answer: &str) -> Option<Answer> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.strip_prefix("HTTP/1.")?.split_whitespace().nth(1)?.parse().ok()?;
    Some(Answer { status, body: body.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_and_body_are_read() {
        let answer =
            parse("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\nno\r\n\r\nsuch")
                .unwrap();
        assert_eq!(answer, Answer { status: 404, body: "no\r\n\r\nsuch".into() });
        assert_eq!(parse("SSH-2.0"), None);
    }
}
