//! `--healthcheck`: asks the running service on this machine whether it is ready, for container engines.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use crate::config::Config;
use crate::exit;

const TIMEOUT: Duration = Duration::from_secs(10);

/// Asks the service whose configuration is at `path`; prints its answer. The code is 0 when it is ready, else 1.
pub(crate) fn check(path: &Path, default_listen: SocketAddr) -> i32 {
    let listen = match listen(path, default_listen) {
        Ok(listen) => listen,
        Err(error) => {
            eprintln!("{error:#}");
            return exit::USAGE.into();
        }
    };
    match ask(here(listen)) {
        Ok((true, _)) => 0,
        Ok((false, answer)) => {
            print!("{answer}");
            1
        }
        Err(error) => {
            println!("{listen}: {error}");
            1
        }
    }
}

fn listen(path: &Path, default: SocketAddr) -> anyhow::Result<SocketAddr> {
    Ok(Config::load(path)?.section("http").or("listen", default))
}

/// Where a service that listens at `address` is reached from its own machine.
fn here(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// Whether the service at `address` is ready, and what it says.
fn ask(address: SocketAddr) -> std::io::Result<(bool, String)> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    stream.write_all(b"GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let is_ready = answer.split(' ').nth(1) == Some("200");
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    Ok((is_ready, body.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Metrics;
    use crate::readiness::Readiness;

    #[test]
    fn any_address_is_reached_at_loopback() {
        let address = |text: &str| text.parse::<SocketAddr>().unwrap();
        assert_eq!(here(address("0.0.0.0:1")), address("127.0.0.1:1"));
        assert_eq!(here(address("[::]:1")), address("[::1]:1"));
        assert_eq!(here(address("10.0.0.1:1")), address("10.0.0.1:1"));
    }

    #[test]
    fn a_service_is_healthy_once_it_is_ready() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let readiness = Readiness::new();
        readiness.wait_for("broker", "away");
        let serve = crate::admin::serve(
            here(([0; 4], 0).into()),
            readiness.clone(),
            Metrics::install().unwrap(),
        );
        let address = runtime.block_on(serve).unwrap();
        assert_eq!(ask(address).unwrap(), (false, "broker: away\n".to_owned()));
        readiness.ready("broker");
        assert!(ask(address).unwrap().0);
    }

    #[test]
    fn the_address_is_that_of_the_configuration() {
        let default = SocketAddr::from(([127, 0, 0, 1], 9464));
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "[http]\nlisten = \"127.0.0.1:7\"\n[other]\nx = 1").unwrap();
        assert_eq!(listen(file.path(), default).unwrap().port(), 7);
        std::fs::write(file.path(), "").unwrap();
        assert_eq!(listen(file.path(), default).unwrap(), default);
        assert!(listen(&file.path().join("none"), default).is_err());
    }
}
