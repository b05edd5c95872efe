//! The processes of a stack: started, asked, ended, killed and started again.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::{PATIENCE, Service, Stack};
use crate::process::{Identity, again, wait_until};

/// What a service gets to answer for the first time, on a busy machine.
const START_TIMEOUT: Duration = Duration::from_secs(60);

impl Stack {
    /// Starts another process that belongs to this stack, its output in `logs/NAME.log`.
    pub fn spawn(&mut self, name: &str, command: &mut Command) -> Result<Identity> {
        self.commands.insert(name.to_owned(), again(command));
        let child = self.launch(name, command)?;
        let process = Identity::of(child.id())?;
        self.children.push(child);
        self.state.services.push(Service { name: name.to_owned(), process });
        self.state.save()?;
        Ok(process)
    }

    fn launch(&self, name: &str, command: &mut Command) -> Result<Child> {
        let log = File::options().create(true).append(true).open(self.log(name))?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        if self.detached {
            command.process_group(0);
        }
        command.spawn().with_context(|| format!("can't start {name}"))
    }

    /// Ends a process without asking, as a crash does. It keeps its place for [`Stack::restart`].
    pub fn kill(&mut self, name: &str) -> Result<()> {
        let service =
            self.state.service(name).with_context(|| format!("{name} was not started"))?;
        let process = service.process;
        process.kill()?;
        // A process looks ended as soon as its first thread is; its listeners are free when all of it is.
        self.collect(process).map(|_| ())
    }

    /// Kills a process, if it runs, and starts it again by the command that it was started by.
    pub fn restart(&mut self, name: &str) -> Result<Identity> {
        self.kill(name)?;
        let command = self.commands.get(name).map(again);
        let mut command = command.with_context(|| format!("{name} was started by another run"))?;
        let child = self.launch(name, &mut command)?;
        let process = Identity::of(child.id())?;
        self.children.push(child);
        let services = self.state.services.iter_mut();
        services.filter(|service| service.name == name).for_each(|s| s.process = process);
        self.state.save()?;
        Ok(process)
    }

    /// The first process that does not run any more.
    pub fn ended(&self) -> Option<&str> {
        let mut services = self.state.services.iter();
        services.find(|service| !service.process.is_alive()).map(|service| &*service.name)
    }

    /// Ends one process of the stack, and returns how it ended; none when there is none of this name.
    pub fn stop(&mut self, name: &str) -> Result<Option<ExitStatus>> {
        let Some(at) = self.state.services.iter().rposition(|service| service.name == name) else {
            return Ok(None);
        };
        let process = self.state.services[at].process;
        process.terminate(PATIENCE)?;
        self.state.services.remove(at);
        self.state.save()?;
        self.collect(process)
    }

    /// Asks until the service answers yes. Errors of asking mean not yet; an ended process is an error with its log's end.
    pub fn await_answer(&self, name: &str, mut ask: impl FnMut() -> Result<bool>) -> Result<()> {
        let service =
            self.state.service(name).with_context(|| format!("{name} was not started"))?;
        let mut last = None;
        let waited = wait_until(&format!("{name} is ready"), START_TIMEOUT, || match ask() {
            _ if !service.process.is_alive() => bail!("{name} has ended"),
            Ok(ready) => Ok(ready),
            Err(error) => {
                last = Some(error);
                Ok(false)
            }
        });
        waited.with_context(|| {
            let reason = last.map(|error| format!("{error:#}\n")).unwrap_or_default();
            format!("{reason}{}:\n{}", self.log(name).display(), self.log_tail(name))
        })
    }

    /// Waits until all of a process that was ended is gone; none when another run started it.
    fn collect(&mut self, process: Identity) -> Result<Option<ExitStatus>> {
        let child = self.children.iter().position(|child| child.id() == process.pid);
        child.map(|at| Ok(self.children.remove(at).wait()?)).transpose()
    }
}
