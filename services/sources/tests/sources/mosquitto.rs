//! An MQTT broker of this test's own, from Debian's package, on loopback.

use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::support::await_that;

/// A broker that ends with its owner. What it keeps is in its folder.
pub struct Mosquitto {
    pub port: u16,
    pub folder: TempDir,
    child: Child,
}

impl Mosquitto {
    /// Starts one; `more` is added to its configuration.
    pub fn start(more: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let text = format!(
            "user root\nlistener {port} 127.0.0.1\nallow_anonymous true\nmax_inflight_messages 500\nmax_queued_messages 0\n\
             persistence true\npersistence_location {}/\nautosave_interval 1\nlog_dest none\n{more}\n",
            folder.path().display()
        );
        fs::write(folder.path().join("mosquitto.conf"), text).unwrap();
        let child = spawn(folder.path());
        let broker = Self { port, folder, child };
        broker.await_listening();
        broker
    }

    /// Kills it at once (it loses what it had not saved), or lets it save its state, and starts it again.
    pub fn restart(&mut self) {
        // SIGTERM, so that the state is saved: what a broker forgets in a crash is its own affair.
        let pid = self.child.id().to_string();
        Command::new("kill").arg(pid).status().unwrap();
        self.child.wait().unwrap();
        self.child = spawn(self.folder.path());
        self.await_listening();
    }

    fn await_listening(&self) {
        let address = SocketAddr::from(([127, 0, 0, 1], self.port));
        await_that("mosquitto listens", || TcpStream::connect(address).is_ok());
    }
}

fn spawn(folder: &Path) -> Child {
    let found = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/usr/bin/mosquitto"];
    let program = found.iter().find(|path| Path::new(path).exists());
    let program = program.expect("mosquitto is missing; `cargo xtask test` installs it");
    Command::new(program)
        .arg("-c")
        .arg(folder.join("mosquitto.conf"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

impl Drop for Mosquitto {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
