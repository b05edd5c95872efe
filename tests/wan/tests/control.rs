//! The line protocol, spoken to the real binary.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use sluice_wan::control::Client;

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = (self.0.kill(), self.0.wait());
    }
}

#[test]
fn relays_of_the_binary_are_set_and_read_by_lines() {
    let upstream = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_sluice-wan"))
        .args(["--relay", &format!("pi-1=127.0.0.1:0,{upstream}"), "--control", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap()).lines();
    let _running = Running(child);
    let first = stdout.next().unwrap().unwrap();
    let mut client =
        Client::connect(first.strip_prefix("control ").unwrap().parse().unwrap()).unwrap();
    let mut ask = |line: &str| client.ask(line).map_err(|error| error.to_string());
    let done = Ok(Vec::new());
    assert_eq!(ask("rate pi-1 125000 unlimited"), done);
    assert_eq!(ask("delay pi-1 40"), done);
    assert_eq!(ask("cut pi-1"), done);
    let stats = "pi-1 up_bytes=0 down_bytes=0 open=0 opened=0 rate_up=125000 rate_down=unlimited delay_ms=40 cut=true";
    assert_eq!(ask("stats"), Ok(vec![stats.to_owned()]));
    assert_eq!(ask("restore pi-1"), done);
    assert_eq!(ask("rate pi-1 0"), done);
    assert!(ask("stats").unwrap()[0].ends_with("rate_up=0 rate_down=0 delay_ms=40 cut=false"));
    assert_eq!(ask("cut pi-9").unwrap_err(), "no relay named pi-9");
    assert_eq!(ask("rate pi-1 fast").unwrap_err(), "no rate in bytes per second: fast");
    assert_eq!(ask("delay pi-1 -3").unwrap_err(), "no number of milliseconds: -3");
    assert!(ask("jump pi-1").unwrap_err().starts_with("expected rate"));
    assert_eq!(client.delivered_bytes("pi-1").unwrap(), (0, 0));
    assert!(client.delivered_bytes("pi").is_err());
}
