//! Meters that publish to a broker and a client that posts, while the agent between them and Kafka is killed: every line that was acknowledged
//! to its sender takes effect, and once.

#[path = "sources/mqtt.rs"]
mod mqtt;
#[path = "sources/out.rs"]
mod out;
#[path = "sources/posts.rs"]
mod posts;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use sluice_e2e::{World, eventually, free_address, metric};
use sluice_generators::Query;

const DEVICE: &str = "pi-1";
const QUERY: &str = "lines";
const INPUTS: [&str; 2] = ["meters", "posts"];
const KILLS: usize = 5;
const BROKER_KILLS: usize = 3;
/// Lines a second of each source.
const RATE: u32 = 5_000;
/// What the broker may have on its way, unacknowledged. It is the most that it may send again after a kill.
const IN_FLIGHT: usize = 500;

#[test]
fn every_acknowledged_line_takes_effect_once_despite_kills() {
    let seconds: u32 = if std::env::var_os("SLUICE_LONG").is_some() { 60 } else { 20 };
    let count = usize::try_from(RATE * seconds).unwrap();
    let mut world = World::up("sources", &[DEVICE]).unwrap();
    let broker = mqtt::start_broker(&mut world, IN_FLIGHT).unwrap();
    let (edge, posts_at) = start_edge(&mut world, broker).unwrap();

    let began = Instant::now();
    let (published, posted) = (Progress::default(), Progress::default());
    let meters = lines(Query::Q3, count);
    let posts = lines(Query::Q4, count);
    let publishing = {
        let (lines, progress) = (meters.clone(), published.clone());
        thread::spawn(move || mqtt::publish(broker, &lines, RATE, &progress))
    };
    let posting = {
        let (lines, progress) = (posts.clone(), posted.clone());
        thread::spawn(move || posts::post(posts_at, &lines, RATE, &progress))
    };

    let mut repeated = 0;
    for kill in 1..=KILLS {
        let due = kill * count / (KILLS + 1);
        eventually("the next kill is due", || {
            Ok(published.done() >= due && sends_anew(edge, IN_FLIGHT)?)
        })
        .unwrap();
        repeated += repeated_by_broker(edge).unwrap();
        world.stack.restart("edge-pi-1").unwrap();
        println!(
            "{:>4.1} s: kill {kill}; {} published, {} posted, {repeated} repeated",
            began.elapsed().as_secs_f64(),
            published.done(),
            posted.done()
        );
    }
    publishing.join().unwrap().unwrap();
    println!("{:>4.1} s: all are published", began.elapsed().as_secs_f64());
    let unanswered = posting.join().unwrap().unwrap();
    println!("{:>4.1} s: all are posted", began.elapsed().as_secs_f64());

    let mut taken = Vec::new();
    for (input, lines) in INPUTS.into_iter().zip([&meters, &posts]) {
        eventually("every line takes effect", || {
            let times = out::times_of_each(&world, &format!("{QUERY}.1.{input}.out"), lines)?;
            let missing = times.iter().filter(|times| **times == 0).count();
            ensure!(missing == 0, "{input}: {missing} of {count} are missing");
            ensure!(is_drained(edge, input)?, "{input}: there is more to come");
            taken.push(times);
            Ok(true)
        })
        .unwrap();
    }
    repeated += repeated_by_broker(edge).unwrap();
    println!("{:>4.1} s: all have taken effect", began.elapsed().as_secs_f64());

    let doubled: usize = taken[0].iter().map(|times| times - 1).sum();
    println!("meters: {count} published, {repeated} counted as repeated, {doubled} of them twice");
    assert!(doubled <= repeated, "{doubled} lines came twice, but {repeated} are counted");
    assert!(repeated <= KILLS * IN_FLIGHT, "{repeated} are more than were on their way");

    let doubled: usize = taken[1].iter().map(|times| times - 1).sum();
    let again = unanswered.len();
    println!(
        "posts: {count} posted, {again} sent again without an answer, {doubled} of them twice"
    );
    for (number, times) in taken[1].iter().enumerate().filter(|(_, times)| **times > 1) {
        let sent_again = unanswered.iter().filter(|again| **again == number).count();
        assert!(times - 1 <= sent_again, "line {number} came {times} times");
    }
}

/// What a broker had acknowledged and not sent on is lost with it; what the device took from it is not.
#[test]
fn a_broker_that_is_killed_is_found_again() {
    let count = 20_000;
    let mut world = World::up("broker", &[DEVICE]).unwrap();
    let broker = mqtt::start_broker(&mut world, IN_FLIGHT).unwrap();
    let (edge, _) = start_edge(&mut world, broker).unwrap();
    let lines = lines(Query::Q3, count);
    let (mut published, mut since) = (0, 0);
    for kill in 1..=BROKER_KILLS + 1 {
        let progress = Progress::default();
        let publishing = {
            let (lines, progress) = (lines.clone(), progress.clone());
            thread::spawn(move || mqtt::publish(broker, &lines[published..], RATE, &progress))
        };
        if kill <= BROKER_KILLS {
            let due = kill * count / (BROKER_KILLS + 1) - published;
            eventually("the next kill is due", || Ok(progress.done() >= due)).unwrap();
            world.stack.restart("mosquitto").unwrap();
            assert!(publishing.join().unwrap().is_err(), "the client has noticed nothing");
            mqtt::await_broker(broker).unwrap();
        } else {
            publishing.join().unwrap().unwrap();
            since = published;
        }
        published += progress.done();
        println!("kill {kill}: {published} published");
    }
    assert_eq!(published, count);
    let mut times = Vec::new();
    eventually(
        "what is published after the last kill takes effect, and all that was taken",
        || {
            let topic = format!("{QUERY}.1.{}.out", INPUTS[0]);
            times = out::times_of_each(&world, &topic, &lines)?;
            let missing = times[since..].iter().filter(|times| **times == 0).count();
            ensure!(missing == 0, "{missing} of {} are missing", count - since);
            let taken = metric(edge, "sluice_edge_accepted_events_total", INPUTS[0])? as usize;
            let sum = times.iter().sum::<usize>();
            ensure!(is_drained(edge, INPUTS[0])? && sum == taken, "{sum} of {taken} took effect");
            Ok(true)
        },
    )
    .unwrap();
    let lost = times.iter().filter(|times| **times == 0).count();
    let twice: usize = times.iter().map(|times| times.saturating_sub(1)).sum();
    println!("{count} published; the broker lost {lost}, and {twice} came twice");
    assert!(lost < count / 2 && twice <= BROKER_KILLS * IN_FLIGHT, "{lost} {twice}");
}

/// How many lines are acknowledged to their sender.
#[derive(Clone, Default)]
struct Progress(Arc<AtomicUsize>);

impl Progress {
    fn add(&self, count: usize) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    fn done(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Lines of a query, each with its number in front, so that no two are equal.
fn lines(query: Query, count: usize) -> Arc<Vec<String>> {
    let mut generator = query.generator(1, 1);
    let mut line = Vec::new();
    let numbered = (0..count).map(|number| {
        line.clear();
        generator.next_line(&mut line);
        // A body's lines lose the end that they have in files from Windows.
        let text = String::from_utf8_lossy(&line);
        format!("{number} {}", text.trim_end_matches('\r'))
    });
    Arc::new(numbered.collect())
}

/// Deploys two inputs of lines as they are, and starts a device that has both; where its admin server listens, and where events are posted to.
fn start_edge(world: &mut World, broker: SocketAddr) -> Result<(SocketAddr, SocketAddr)> {
    let input = |name| {
        format!(
            r#"{{"name":"{name}","partitions":1,"order":"source","types":["\"string\""],"operators":[]}}"#
        )
    };
    let inputs = INPUTS.map(input).join(",");
    let plan = format!(r#"{{"query":"{QUERY}","version":1,"inputs":[{inputs}]}}"#);
    let plan = world.write("plan.json", &plan)?;
    world.run(&["init"])?;
    world.run(&["deploy", "--plan", plan.to_str().context("a path in UTF-8")?])?;
    for input in INPUTS {
        let key = format!("{QUERY}/{input}/{DEVICE}");
        world.run(&["device", "join", &key, "--partition", "0", "--source", input])?;
    }
    let posts = free_address()?;
    let sources = format!(
        "[[sources]]\nname = \"meters\"\nkind = \"mqtt\"\nbroker = \"{broker}\"\nclient_id = \"{DEVICE}-meters\"\ntopics = [\"{}\"]\n\
         [[sources]]\nname = \"posts\"\nkind = \"http\"\nlisten = \"{posts}\"\n",
        mqtt::TOPICS
    );
    let edge = world.start_edge_from(DEVICE, DEVICE, &sources)?;
    eventually("both sources are there", || {
        let connected = |input| metric(edge, "sluice_edge_source_connected", input);
        Ok(connected(INPUTS[0])? == 1.0 && connected(INPUTS[1])? == 1.0)
    })?;
    Ok((edge, posts))
}

/// Whether a run of the agent has all that the broker may send it again, and more.
fn sends_anew(edge: SocketAddr, in_flight: usize) -> Result<bool> {
    let accepted = metric(edge, "sluice_edge_accepted_events_total", INPUTS[0])?;
    Ok(accepted > 2.0 * in_flight as f64)
}

fn repeated_by_broker(edge: SocketAddr) -> Result<usize> {
    Ok(metric(edge, "sluice_edge_source_repeated_events_total", INPUTS[0])? as usize)
}

fn is_drained(edge: SocketAddr, input: &str) -> Result<bool> {
    Ok(metric(edge, "sluice_edge_backlog_events", input)? == 0.0)
}
