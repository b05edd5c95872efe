//! The host's process: its start, and what it died of.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::sidecar::Options;

/// How long a JVM may take to listen; machines can be slow and busy.
const START_DEADLINE: Duration = Duration::from_secs(60);
/// How long a process whose connection broke may take to be gone.
const END_DEADLINE: Duration = Duration::from_secs(2);
/// Of what the JVM itself says when it gives up.
const LAST_WORDS_BYTES: u64 = 4 << 10;
/// The host's protocol.
const PROTOCOL: &str = "1";
/// How the JVM ends when memory is short; functions may end it so as well, without the words.
const OUT_OF_MEMORY: &str = "java.lang.OutOfMemoryError";
/// The longest path of a Unix socket, bytes.
const LONGEST_PATH: usize = 107;

/// A host that listens.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    /// When it closes the host ends, however this process ends.
    _stdin: ChildStdin,
    last_words: Receiver<String>,
    pub(super) socket: PathBuf,
    /// Flink's version in the host.
    pub(super) flink: String,
}

impl Process {
    /// Starts a host and waits until it listens.
    pub(super) fn start(options: &Options, generation: u64) -> Result<Self, String> {
        let socket = options.socket_dir.join(format!("jvm-{generation}.sock"));
        if socket.as_os_str().len() > LONGEST_PATH {
            return Err(format!("{}: too long for the path of a socket", socket.display()));
        }
        let dir = &options.socket_dir;
        fs::create_dir_all(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        if socket.exists() {
            fs::remove_file(&socket).map_err(|error| format!("{}: {error}", socket.display()))?;
        }
        let mut child = command(options, &socket)
            .spawn()
            .map_err(|error| format!("{} does not start: {error}", options.java.display()))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("a process without pipes".to_owned());
        };
        let (greeting, last_words) = listen(stdout)?;
        let mut process = Self { child, _stdin: stdin, last_words, socket, flink: String::new() };
        let said = greeting.recv_timeout(START_DEADLINE).map_err(|error| match error {
            RecvTimeoutError::Timeout => "the host does not come up".to_owned(),
            RecvTimeoutError::Disconnected => format!("the host {}", process.cause()),
        })?;
        let words: Vec<&str> = said.split_whitespace().collect();
        match words[..] {
            ["sluice-host", PROTOCOL, flink] => process.flink = flink.to_owned(),
            ["sluice-host", other, ..] => {
                return Err(format!("the host speaks protocol {other}, this build {PROTOCOL}"));
            }
            _ => return Err(format!("{} is no host: `{said}`", options.host.display())),
        }
        Ok(process)
    }

    /// Whether it still runs, as far as is known.
    pub(super) fn runs(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// What it died of; ends it if it has not. For people.
    pub(super) fn cause(&mut self) -> String {
        let deadline = Instant::now() + END_DEADLINE;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    // The pipe is closed, or some child of the user's holds it.
                    let words = self.last_words.recv_timeout(END_DEADLINE).unwrap_or_default();
                    return describe(status, &words);
                }
                Ok(None) if Instant::now() < deadline => {
                    thread::park_timeout(Duration::from_millis(2))
                }
                _ => {
                    self.kill();
                    return "broke its connection".to_owned();
                }
            }
        }
    }

    pub(super) fn kill(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        let _ = fs::remove_file(&self.socket);
    }
}

/// SerialGC and few compiler threads: a device has little memory, and frames come one at a time.
fn command(options: &Options, socket: &std::path::Path) -> Command {
    let mut java = Command::new(&options.java);
    java.arg(format!("-Xmx{}m", options.heap_mb))
        .arg("-Xms8m")
        .args([
            "-Xshare:auto",
            "-XX:+UseSerialGC",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:-UsePerfData",
        ])
        .args(["-XX:CICompilerCount=2", "-XX:ReservedCodeCacheSize=48m", "-Xss512k"])
        .arg("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
        .arg(format!("-Djava.io.tmpdir={}", options.socket_dir.display()))
        .arg("-jar")
        .arg(&options.host)
        .arg(socket)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    java
}

/// The first line that the host says, and all the rest once it is gone.
fn listen(stdout: ChildStdout) -> Result<(Receiver<String>, Receiver<String>), String> {
    let (said, greeting) = channel();
    let (ended, last_words) = channel();
    let read = move || {
        let mut out = BufReader::new(stdout);
        let mut line = String::new();
        if out.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
            let _ = said.send(line.trim_end().to_owned());
        }
        drop(said);
        let mut rest = String::new();
        let _ = out.by_ref().take(LAST_WORDS_BYTES).read_to_string(&mut rest);
        let _ = ended.send(line + &rest);
        // So that the host never waits for a reader.
        let _ = std::io::copy(&mut out, &mut std::io::sink());
    };
    let named = thread::Builder::new().name("sluice-jvm".to_owned()).spawn(read);
    named.map(|_| (greeting, last_words)).map_err(|error| format!("no thread: {error}"))
}

fn describe(status: ExitStatus, last_words: &str) -> String {
    if last_words.contains(OUT_OF_MEMORY) {
        return "ran out of memory".to_owned();
    }
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}
