//! The line protocol of relays that run in a process of their own.
//!
//! ```text
//! rate pi-1 1000000            both directions, bytes per second
//! rate pi-1 125000 unlimited   up, down
//! delay pi-1 40                one way, milliseconds
//! cut pi-1
//! restore pi-1
//! stats                        one line per relay
//! ```
//! The last line of every answer is `ok`, or `error` and what was wrong.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use crate::link::{Link, Rate};

/// Relays by name.
pub type Links = BTreeMap<String, Link>;

/// A client of the line protocol.
#[derive(Debug)]
pub struct Client(BufReader<TcpStream>);

impl Client {
    /// Connects to the control address of a `sluice-wan`.
    pub fn connect(control: SocketAddr) -> io::Result<Client> {
        Ok(Client(BufReader::new(TcpStream::connect(control)?)))
    }

    /// Sends one line and returns the lines before the closing `ok`; a refusal is an error of kind `InvalidInput`.
    pub fn ask(&mut self, line: &str) -> io::Result<Vec<String>> {
        self.0.get_mut().write_all(format!("{line}\n").as_bytes())?;
        let mut lines = Vec::new();
        loop {
            let mut answer = String::new();
            if self.0.read_line(&mut answer)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let answer = answer.trim_end();
            match answer.strip_prefix("error ") {
                _ if answer == "ok" => return Ok(lines),
                Some(why) => return Err(io::Error::new(io::ErrorKind::InvalidInput, why)),
                None => lines.push(answer.to_owned()),
            }
        }
    }

    /// Payload bytes delivered so far (up, down) by the relay of this name.
    pub fn delivered_bytes(&mut self, name: &str) -> io::Result<(u64, u64)> {
        let lines = self.ask("stats")?;
        let line = lines.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let field =
            |key: &str| line?.split(' ').find_map(|word| word.strip_prefix(key)?.parse().ok());
        let delivered = field("up_bytes=").zip(field("down_bytes="));
        delivered.ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotFound, format!("no relay named {name}"))
        })
    }
}

/// Answers clients of `listener` for ever, each on a thread of its own.
pub fn serve(listener: &TcpListener, links: &Links) -> io::Result<()> {
    thread::scope(|scope| {
        loop {
            let (client, _) = listener.accept()?;
            // A client that fails ends its own conversation only.
            scope.spawn(move || converse(&client, links));
        }
    })
}

fn converse(mut client: &TcpStream, links: &Links) -> io::Result<()> {
    for line in BufReader::new(client).lines() {
        client.write_all(answer(links, &line?).as_bytes())?;
    }
    Ok(())
}

/// Does what one line says and returns the answer, each line of it ended.
pub fn answer(links: &Links, line: &str) -> String {
    match obey(links, line) {
        Ok(lines) => lines + "ok\n",
        Err(why) => format!("error {why}\n"),
    }
}

fn obey(links: &Links, line: &str) -> Result<String, String> {
    let link = |name: &str| links.get(name).ok_or_else(|| format!("no relay named {name}"));
    match line.split_whitespace().collect::<Vec<_>>()[..] {
        ["stats"] => return Ok(stats(links)),
        ["rate", name, rate] => link(name)?.set_rate(parse_rate(rate)?),
        ["rate", name, up, down] => {
            let (link, up, down) = (link(name)?, parse_rate(up)?, parse_rate(down)?);
            link.set_up_rate(up);
            link.set_down_rate(down);
        }
        ["delay", name, delay_ms] => {
            let delay_ms =
                delay_ms.parse().map_err(|_| format!("no number of milliseconds: {delay_ms}"));
            link(name)?.set_delay(Duration::from_millis(delay_ms?));
        }
        ["cut", name] => link(name)?.cut(),
        ["restore", name] => link(name)?.restore(),
        _ => return Err("expected rate, delay, cut, restore or stats".to_owned()),
    }
    Ok(String::new())
}

fn parse_rate(text: &str) -> Result<Rate, String> {
    text.parse().map_err(|_| format!("no rate in bytes per second: {text}"))
}

fn stats(links: &Links) -> String {
    let lines = links.iter().map(|(name, link)| {
        let (stats, (up, down)) = (link.stats(), link.rates());
        format!(
            "{name} up_bytes={} down_bytes={} open={} opened={} rate_up={up} rate_down={down} delay_ms={} cut={}\n",
            stats.up_bytes,
            stats.down_bytes,
            stats.open_connections,
            stats.opened_connections,
            link.delay().as_millis(),
            link.is_cut(),
        )
    });
    lines.collect()
}
