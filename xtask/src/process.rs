//! Running programs to their end, and keeping others running.

use std::fs;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

/// Runs a command to its end with this terminal as its own; an exit code other than 0 is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = show(command);
    let status = command.status().with_context(|| format!("can't start {shown}"))?;
    check(status, &shown)
}

/// Runs a command to its end and returns its standard output.
pub fn output(command: &mut Command) -> Result<String> {
    let shown = show(command);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("can't start {shown}"))?;
    check(output.status, &shown)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn check(status: ExitStatus, shown: &str) -> Result<()> {
    ensure!(status.success(), "{shown}: {status}");
    Ok(())
}

/// The command as one would type it.
pub fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// The same command once more, to be started by itself: program, arguments, environment and folder.
pub fn again(command: &Command) -> Command {
    let mut again = Command::new(command.get_program());
    again.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => again.env(name, value),
            None => again.env_remove(name),
        };
    }
    command.get_current_dir().map(|dir| again.current_dir(dir));
    again
}

/// Asks until the answer is yes: `Ok(false)` asks again, an error ends the wait.
pub fn wait_until(
    what: &str,
    timeout: Duration,
    mut ask: impl FnMut() -> Result<bool>,
) -> Result<()> {
    let deadline = Instant::now() + timeout;
    while !ask()? {
        if Instant::now() > deadline {
            bail!("{what}: not within {} s", timeout.as_secs());
        }
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// A process by number and start time: the number alone may have passed to another process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The process number.
    pub pid: u32,
    /// Start time in clock ticks since boot.
    pub started_ticks: u64,
}

impl Identity {
    /// The identity of a process that runs now.
    pub fn of(pid: u32) -> Result<Identity> {
        let (_, started_ticks) =
            stat(pid).with_context(|| format!("process {pid} has ended at once"))?;
        Ok(Identity { pid, started_ticks })
    }

    /// Whether the process still runs; one that ended and waits to be collected does not.
    pub fn is_alive(self) -> bool {
        stat(self.pid).is_some_and(|(state, started_ticks)| {
            started_ticks == self.started_ticks && state != 'Z'
        })
    }

    /// Resident memory in bytes, of a process that runs.
    pub fn resident_bytes(self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid)).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
    }

    /// Processor time of a process that runs and of those that it started, seconds.
    pub fn cpu_s(self) -> Option<f64> {
        let own = cpu_ticks(self.pid).filter(|_| self.is_alive())?;
        let others: u64 = children(self.pid).into_iter().filter_map(cpu_ticks).sum();
        Some((own + others) as f64 / TICKS_PER_S)
    }

    /// Asks the process to end, and ends it when it hasn't within `patience`.
    pub fn terminate(self, patience: Duration) -> Result<()> {
        self.signal("TERM")?;
        if self.await_end(patience).is_err() {
            self.kill()?;
        }
        Ok(())
    }

    /// Ends the process without asking, as a crash does.
    pub fn kill(self) -> Result<()> {
        self.signal("KILL")?;
        self.await_end(Duration::from_secs(10))
            .with_context(|| format!("process {} can't be ended", self.pid))
    }

    fn await_end(self, timeout: Duration) -> Result<()> {
        wait_until("end of process", timeout, || Ok(!self.is_alive()))
    }

    /// Sends a signal by name; a process that has ended gets none.
    pub fn signal(self, name: &str) -> Result<()> {
        if self.is_alive() {
            // The shell's own kill: not every system has one on its path.
            let mut kill = Command::new("sh");
            kill.args(["-c", &format!("kill -s {name} {}", self.pid)]).stderr(Stdio::null());
            // It may end between the look and the signal.
            let _ = kill.status().context("can't start sh")?;
        }
        Ok(())
    }
}

/// Of `/proc`, on every machine that runs Linux.
const TICKS_PER_S: f64 = 100.0;

/// State letter and start time from `/proc`.
fn stat(pid: u32) -> Option<(char, u64)> {
    let fields = stat_fields(pid)?;
    Some((fields.first()?.chars().next()?, fields.get(19)?.parse().ok()?))
}

/// The fields of a process's `stat`, from its state on.
fn stat_fields(pid: u32) -> Option<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything, so count from its end: state is field 3, the parent 4, start time 22.
    let fields = stat[stat.rfind(')')? + 1..].split_whitespace();
    Some(fields.map(str::to_owned).collect())
}

/// User and system time.
fn cpu_ticks(pid: u32) -> Option<u64> {
    let fields = stat_fields(pid)?;
    let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some(ticks(11)? + ticks(12)?)
}

/// Processes that a process has started.
pub(crate) fn children(pid: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let parent = pid.to_string();
    pids.filter(|&child| stat_fields(child).is_some_and(|fields| fields.get(1) == Some(&parent)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_number_and_start_time() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let identity = Identity::of(child.id()).unwrap();
        assert!(identity.is_alive());
        assert!(!Identity { started_ticks: identity.started_ticks + 1, ..identity }.is_alive());
        identity.terminate(Duration::from_secs(5)).unwrap();
        assert!(!identity.is_alive());
        child.wait().unwrap();
        identity.terminate(Duration::ZERO).unwrap();
    }

    #[test]
    fn time_of_children_counts() {
        let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        let script = format!("sh -c '{busy}; echo done; exec sleep 60' & wait");
        let mut child =
            Command::new("sh").args(["-c", &script]).stdout(Stdio::piped()).spawn().unwrap();
        let identity = Identity::of(child.id()).unwrap();
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0; 5]).unwrap();
        let children = children(identity.pid);
        assert_eq!(children.len(), 1);
        assert!(identity.cpu_s().unwrap() > 0.0);
        Identity::of(children[0]).unwrap().kill().unwrap();
        child.wait().unwrap();
        assert_eq!(identity.cpu_s(), None);
    }

    #[test]
    fn a_process_that_ignores_the_request_is_ended() {
        let mut child = Command::new("sh")
            .args(["-c", "trap '' TERM; echo ready; while :; do sleep 60; done"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let identity = Identity::of(child.id()).unwrap();
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0; 5]).unwrap();
        identity.terminate(Duration::from_millis(100)).unwrap();
        assert!(!identity.is_alive());
        child.wait().unwrap();
    }

    #[test]
    fn a_command_is_started_again_as_it_was() {
        let mut command = Command::new("sh");
        command.args(["-c", "pwd; echo $SHOWN"]).env("SHOWN", "yes").current_dir("/");
        assert_eq!(output(&mut command).unwrap(), "/\nyes\n");
        assert_eq!(output(&mut again(&command)).unwrap(), "/\nyes\n");
    }

    #[test]
    fn failures_name_the_command() {
        let error = run(Command::new("sh").args(["-c", "exit 3"])).unwrap_err().to_string();
        assert!(error.starts_with("sh -c exit 3: exit status: 3"), "{error}");
        assert!(
            run(&mut Command::new("/no/such/program"))
                .unwrap_err()
                .to_string()
                .contains("/no/such/program")
        );
    }
}
