//! The stream of Q4 against the rules by which the query reads it.

mod common;

use std::collections::BTreeMap;

use common::{assert_reproducible, assert_share, delays, lines, seconds};
use sluice_generators::Query;
use sluice_generators::q4::HEADER;

const LINES: usize = 200_000;
const FIRST_TIME_S: i64 = 1_388_534_400;

struct Post {
    time_s: i64,
    text: String,
    is_rated: bool,
}

/// Three comma-separated values, quoted or not.
fn values(line: &str) -> Option<[String; 3]> {
    let mut values = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => values.push(String::new()),
            c => values.last_mut()?.push(c),
        }
    }
    if quoted { None } else { values.try_into().ok() }
}

/// A line's text, if it tells of one: the reader of the query, in short. Quotes in texts are lost here.
fn post(line: &str) -> Option<Post> {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let is_rated = line.contains('\t');
    let (time_s, text) = if is_rated {
        let [number, _, text] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
        (FIRST_TIME_S + number.parse::<i64>().ok()? * 60, text.to_owned())
    } else {
        let [number, time, text] = values(line)?;
        number.parse::<u64>().ok()?;
        (seconds(&time)?, text)
    };
    (!text.trim().is_empty()).then_some(Post { time_s, text, is_rated })
}

#[test]
fn the_same_seed_and_device_give_the_same_bytes_and_others_do_not() {
    assert_reproducible(Query::Q4, "60d5226b0332d6d3");
    assert_eq!(lines(Query::Q4, 1, 0, 1)[0], HEADER);
}

#[test]
fn shares_are_those_of_real_texts() {
    let lines = lines(Query::Q4, 3, 0, LINES);
    let posts: Vec<_> = lines.iter().filter_map(|line| post(line)).collect();
    let count = |test: &dyn Fn(&Post) -> bool| posts.iter().filter(|post| test(post)).count();
    let share = |what: &str, part: &str, between| {
        assert_share(what, count(&|post| post.text.contains(part)), posts.len(), between);
    };
    assert_share("no post", LINES - posts.len(), LINES, 0.003..0.008);
    assert_share("rated form", count(&|post| post.is_rated), posts.len(), 0.68..0.72);
    share("mention", "@anonymous", 0.50..0.55);
    share("link", "http", 0.14..0.18);
    share("ampersand", "&amp;", 0.025..0.045);
    share("less than", "&lt;", 0.004..0.010);
    share("greater than", "&gt;", 0.002..0.006);
    share("comma", ",", 0.22..0.34);
    share("emoji", "😀", 0.003..0.03);
    let topics = count(&|post| topic(&post.text).is_some());
    assert_share("topic", topics, posts.len(), 0.09..0.12);
    let quotes = lines.iter().filter(|line| line.contains("it goes\"")).count();
    assert!(quotes > 0 && lines.iter().any(|line| line.contains("\"\"so it goes\"\"")));
    assert!(lines.iter().any(|line| line.ends_with('\r')));
    assert!(lines.iter().any(|line| line.starts_with('\u{feff}')));
    let repeated = lines.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert_share("repeated", repeated, LINES, 0.003..0.007);
    let bytes = lines.iter().map(String::len).sum::<usize>();
    assert!((85..105).contains(&(bytes / LINES)), "bytes per line: {}", bytes / LINES);
}

/// The hashtag of a text, if it is no rank.
fn topic(text: &str) -> Option<&str> {
    let (_, topic) = text.split(' ').rev().find_map(|word| word.split_once('#'))?;
    topic.starts_with(char::is_alphabetic).then_some(topic)
}

#[test]
fn topics_are_skewed() {
    let mut topics: BTreeMap<String, usize> = BTreeMap::new();
    for line in lines(Query::Q4, 3, 1, LINES) {
        if let Some(topic) = post(&line).as_ref().and_then(|post| topic(&post.text)) {
            *topics.entry(topic.to_lowercase()).or_default() += 1;
        }
    }
    let most = topics.values().max().copied().unwrap_or(0);
    let least = topics.values().min().copied().unwrap_or(0);
    assert_eq!(topics.len(), 12);
    assert!(most > 10 * least && least > 0, "{topics:?}");
}

#[test]
fn time_jumps_and_no_text_is_late() {
    let lines = lines(Query::Q4, 5, 4, LINES);
    let times: Vec<_> =
        lines.iter().filter_map(|line| post(line)).map(|post| post.time_s).collect();
    let delays = delays(&times);
    assert!(delays.iter().all(|delay| *delay < 600), "{:?}", delays.iter().max());
    assert!(delays.iter().any(|delay| *delay > 300));
    assert_share("out of order", delays.iter().filter(|d| **d > 0).count(), LINES, 0.02..0.05);
    assert!(times.windows(2).filter(|pair| pair[1] - pair[0] > 1800).count() > 100);
}

#[test]
fn the_closing_line_is_a_text_on_its_own_topic_beyond_every_window() {
    let mut generator = Query::Q4.generator(9, 2);
    let mut line = Vec::new();
    for _ in 0..5_000 {
        line.clear();
        generator.next_line(&mut line);
    }
    let latest_s = generator.latest_ms().expect("texts") / 1000;
    line.clear();
    generator.closing_line(&mut line);
    let closing = post(std::str::from_utf8(&line).unwrap()).expect("a text");
    assert_eq!(topic(&closing.text), Some("closing"));
    assert!(closing.time_s > latest_s + 29 * 86_400);
}
