//! The processor time of the agent, dealt out to its inputs.
//!
//! An input's own thread is its own. What the process uses beside (sources, spools, producers) goes by events, and what the host of the
//! jvm engine uses by the events that it ran.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sluice_model::CpuCounters;
use sluice_runtime::cpu::{self, CpuMeter};

/// The account book of an agent. Clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct Usage(Arc<Mutex<Book>>);

#[derive(Debug, Default)]
struct Book {
    accounts: BTreeMap<u64, Account>,
    next: u64,
    /// What was dealt of the agent's time.
    agent: Duration,
    /// What was dealt of the host's, and which process it was.
    host: (u32, Duration),
    /// What all inputs got, those too that have ended.
    dealt: Duration,
}

/// What an input has done since its start.
#[derive(Debug, Clone, Copy, Default)]
struct Work {
    own: Duration,
    events: u64,
    hosted_events: u64,
}

#[derive(Debug, Default)]
struct Account {
    now: Work,
    /// The same when time was last dealt.
    then: Work,
    used: Duration,
}

impl Book {
    /// Deals out what was used since the last time, given all that the agent has used so far, and its host.
    fn deal(&mut self, agent: Duration, host: Option<(u32, Duration)>) {
        let whole = agent.saturating_sub(self.agent);
        self.agent = self.agent.max(agent);
        let own = |account: &Account| account.now.own.saturating_sub(account.then.own);
        let owned: Duration = self.accounts.values().map(own).sum();
        let of_host = host.map_or(Duration::ZERO, |(process, used)| {
            let before = if process == self.host.0 { self.host.1 } else { Duration::ZERO };
            self.host = (process, used.max(before));
            used.saturating_sub(before)
        });
        let events = |account: &Account| account.now.events - account.then.events;
        let hosted = |account: &Account| account.now.hosted_events - account.then.hosted_events;
        let rest = self.parts(whole.saturating_sub(owned), events);
        let of_host = self.parts(of_host, hosted);
        for ((account, rest), of_host) in self.accounts.values_mut().zip(rest).zip(of_host) {
            let got = own(account) + rest + of_host;
            account.used += got;
            self.dealt += got;
            account.then = account.now;
        }
    }

    /// The part of each account, in their order, by its weight; equal ones where nothing has a weight.
    fn parts(&self, time: Duration, weight: impl Fn(&Account) -> u64) -> Vec<Duration> {
        let weights: Vec<u64> = self.accounts.values().map(weight).collect();
        let all: u64 = weights.iter().sum();
        let equal = 1.0 / weights.len().max(1) as f64;
        let part = |weight: u64| if all == 0 { equal } else { weight as f64 / all as f64 };
        weights.into_iter().map(|weight| time.mul_f64(part(weight))).collect()
    }
}

impl Usage {
    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the account of an input.
    #[must_use]
    pub fn open(&self) -> Meter {
        let mut book = self.book();
        let id = book.next;
        book.next += 1;
        book.accounts.insert(id, Account::default());
        drop(book);
        Meter {
            usage: self.clone(),
            id,
            machine: CpuMeter::default(),
            last: None,
            contended: Duration::ZERO,
            throttled: Duration::ZERO,
        }
    }
}

/// What one input uses of the processors; read by its own thread.
#[derive(Debug)]
pub struct Meter {
    usage: Usage,
    id: u64,
    machine: CpuMeter,
    last: Option<Reading>,
    /// How long it waited for processors that others had.
    contended: Duration,
    /// How long the quota held it.
    throttled: Duration,
}

#[derive(Debug, Clone, Copy)]
struct Reading {
    at: Instant,
    own: Duration,
    waited: Duration,
    throttled: Duration,
    used: Duration,
    others: Duration,
}

impl Meter {
    /// The calling thread ran these events, some of them in the host.
    pub fn worked(&self, events: usize, hosted_events: usize) {
        if let Some(account) = self.usage.book().accounts.get_mut(&self.id) {
            account.now.own = cpu::of_thread();
            account.now.events += events as u64;
            account.now.hosted_events += hosted_events as u64;
        }
    }

    /// The counters of the input whose thread this is; `host` is the process of the jvm engine.
    pub fn read(&mut self, now: Instant, host: Option<u32>) -> CpuCounters {
        self.worked(0, 0);
        let machine = self.machine.read();
        let throttled = Duration::from_micros(u64::try_from(machine.throttled_us).unwrap_or(0));
        let (used, others, inputs) = {
            let mut book = self.usage.book();
            book.deal(cpu::of_process(), host.map(|process| (process, cpu::of_other(process))));
            let used = book.accounts.get(&self.id).map_or(Duration::ZERO, |account| account.used);
            (used, book.dealt.saturating_sub(used), book.accounts.len())
        };
        let (own, waited) = (cpu::of_thread(), cpu::waited_by_thread());
        let reading = Reading { at: now, own, waited, throttled, used, others };
        let others_cores = self.last.map_or(0.0, |last| self.add(&last, &reading));
        self.last = Some(reading);
        let left = |cores: f64| (cores - others_cores).max(cores / inputs.max(1) as f64);
        CpuCounters {
            used_us: micros(used),
            cores: left(machine.cores),
            limit_cores: machine.limit_cores.map(left),
            throttled_us: micros(self.throttled),
            run_queue_us: micros(self.contended + self.throttled),
            ..machine
        }
    }

    /// Adds what happened between two readings; gives the processors that the other inputs used meanwhile.
    fn add(&mut self, last: &Reading, now: &Reading) -> f64 {
        let throttled = now.throttled.saturating_sub(last.throttled);
        let waited = now.waited.saturating_sub(last.waited).saturating_sub(throttled);
        let own = now.own.saturating_sub(last.own).as_secs_f64();
        let used = now.used.saturating_sub(last.used).as_secs_f64();
        // The other threads that work for the input wait as its own does.
        let all = if own > 0.0 { (used / own).max(1.0) } else { 1.0 };
        self.throttled += throttled;
        self.contended += waited.mul_f64(all);
        let seconds = now.at.saturating_duration_since(last.at).as_secs_f64();
        now.others.saturating_sub(last.others).as_secs_f64() / seconds.max(1e-3)
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.usage.book().accounts.remove(&self.id);
    }
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    fn book(work: &[(f64, u64, u64)]) -> Book {
        let mut book = Book::default();
        for (id, &(own, events, hosted_events)) in (0..).zip(work) {
            let now = Work { own: seconds(own), events, hosted_events };
            book.accounts.insert(id, Account { now, ..Account::default() });
        }
        book
    }

    fn used(book: &Book) -> Vec<f64> {
        book.accounts.values().map(|account| account.used.as_secs_f64()).collect()
    }

    #[test]
    fn inputs_have_their_own_time_and_a_part_of_the_rest() {
        let mut book = book(&[(0.3, 300, 0), (0.1, 100, 50)]);
        book.deal(seconds(0.8), Some((7, seconds(0.5))));
        assert_eq!(used(&book), [0.6, 0.7]);
        // Nothing ran since: what the agent used beside is nobody's more than another's.
        book.deal(seconds(1.0), Some((8, seconds(0.2))));
        assert_eq!(used(&book), [0.8, 0.9]);
        assert_eq!(book.dealt, seconds(1.7));
    }

    #[test]
    fn an_input_alone_has_all() {
        let usage = Usage::default();
        let mut meter = usage.open();
        meter.worked(10, 0);
        let now = Instant::now();
        let read = meter.read(now, None);
        assert!(read.used_us > 0 && read.cores >= 1.0, "{read:?}");
        let process = micros(cpu::of_process());
        assert!(meter.read(now, None).used_us >= read.used_us && read.used_us <= process);
    }

    #[test]
    fn a_quota_that_holds_the_thread_is_no_contention() {
        let mut meter = Usage::default().open();
        let at = Instant::now();
        let zero = Duration::ZERO;
        let last =
            Reading { at, own: zero, waited: zero, throttled: zero, used: zero, others: zero };
        let now = Reading {
            at: at + seconds(1.0),
            own: seconds(0.1),
            waited: seconds(0.6),
            throttled: seconds(0.5),
            used: seconds(0.2),
            others: seconds(0.3),
        };
        let others = meter.add(&last, &now);
        assert!((others - 0.3).abs() < 1e-9);
        assert_eq!((meter.contended, meter.throttled), (seconds(0.2), seconds(0.5)));
    }

    proptest! {
        #[test]
        fn all_time_is_dealt_and_none_twice(
            work in prop::collection::vec((0.0f64..1.0, 0u64..1_000, 0u64..1_000), 1..5),
            beside in 0.0f64..1.0, host in 0.0f64..1.0,
        ) {
            let owned: f64 = work.iter().map(|(own, ..)| own).sum();
            let mut book = book(&work);
            book.deal(seconds(owned + beside), Some((1, seconds(host))));
            let all: f64 = used(&book).iter().sum();
            prop_assert!((all - owned - beside - host).abs() < 1e-6, "{all}");
        }
    }
}
