//! Q4: short texts, in the form of VADER's rated tweets (number, rating and text with tabs between them) and, three times in
//! ten, as comma-separated values with a time.
//!
//! The words are our own choice, with as many mentions, links, entities and hashtags as the public file has. *Time.* A
//! minute per number; now and then the numbers jump. *Skew.* One text in ten has a topic, and a few topics have most of
//! those. *Disorder.* The query's watermark trails by ten minutes; one text in thirty is sent up to six places after its
//! turn, so none is late.

mod post;
mod text;

use crate::random::Random;
use crate::turns::Turns;
use post::Post;

/// 2014-01-01 00:00:00 in seconds since 1970: the time of text 0.
const FIRST_TIME_S: u64 = 1_388_534_400;
/// The number at which time stands still, before the year 6000.
const LAST_NUMBER: u32 = 2_000_000_000;
/// Numbers between the last text and the closing one: longer than window and watermark bound together.
const CLOSING_NUMBERS: u32 = 30 * 1440;

/// The first line of comma-separated files; the other form has none.
pub const HEADER: &str = "id,time,text";

const LATE_PER_10000: u32 = 330;
const MOST_LATE_PLACES: u32 = 6;
const JUMP_PER_10000: u32 = 20;
const COMMAS_PER_10000: u32 = 3000;
const BLANK_PER_10000: u32 = 20;
const MALFORMED_PER_10000: u32 = 30;
const DUPLICATE_PER_10000: u32 = 50;
const CARRIAGE_RETURN_PER_10000: u32 = 10;

/// The endless stream of one device's lines, the header first.
#[derive(Clone, Debug)]
pub struct Generator {
    random: Random,
    /// The number of the text in turn.
    number: u32,
    posts: Turns<Post>,
    header_sent: bool,
    latest_s: Option<u64>,
    /// A line to send again.
    duplicate: Vec<u8>,
}

impl Generator {
    /// The stream of `device` under `seed`. Topics are the same for all devices.
    #[must_use]
    pub fn new(seed: u64, device: u32) -> Generator {
        let random = Random::new(seed, device);
        let (posts, duplicate) = (Turns::new(), Vec::new());
        Generator { random, number: 0, posts, header_sent: false, latest_s: None, duplicate }
    }

    /// Appends the next line to `out`, without a line end. A line may be empty: that is one of its flaws.
    pub fn next_line(&mut self, out: &mut Vec<u8>) {
        if !self.header_sent {
            self.header_sent = true;
            return out.extend_from_slice(HEADER.as_bytes());
        }
        if !self.duplicate.is_empty() {
            return out.append(&mut self.duplicate);
        }
        let post = loop {
            match self.posts.next() {
                Some(post) => break post,
                None => self.begin_turn(),
            }
        };
        let start = out.len();
        post.write(out);
        if self.random.chance(MALFORMED_PER_10000) {
            return post::spoil(&mut self.random, start, out);
        }
        self.latest_s = self.latest_s.max(post.counted_at_s());
        if self.random.chance(DUPLICATE_PER_10000) {
            self.duplicate.extend_from_slice(&out[start..]);
        } else if self.random.chance(CARRIAGE_RETURN_PER_10000) {
            out.push(b'\r');
        }
    }

    /// Appends the line that ends the device's stream: a text on a topic of its own (`#closing`) 30 days after the latest,
    /// so that every window before it closes. Nothing may follow it.
    pub fn closing_line(&mut self, out: &mut Vec<u8>) {
        let number = (self.number + CLOSING_NUMBERS).min(LAST_NUMBER);
        out.extend_from_slice(format!("{number}\t0.0\t#closing").as_bytes());
    }

    /// The highest event time so far, epoch milliseconds; none before the first text.
    #[must_use]
    pub fn latest_ms(&self) -> Option<i64> {
        self.latest_s.map(|seconds| seconds as i64 * 1000)
    }

    fn begin_turn(&mut self) {
        let random = &mut self.random;
        self.posts.begin();
        if random.chance(JUMP_PER_10000) {
            // What was kept belongs before the jump: behind it, it would be late.
            self.posts.hurry();
            self.number = (self.number + 30 + random.below(600)).min(LAST_NUMBER);
            return;
        }
        self.number = (self.number + 1).min(LAST_NUMBER);
        let text = if random.chance(BLANK_PER_10000) { " ".to_owned() } else { text::draw(random) };
        let has_commas = random.chance(COMMAS_PER_10000);
        let post = Post::new(self.number, text, has_commas, random);
        let is_late = random.chance(LATE_PER_10000);
        let delay = if is_late { 1 + random.below(MOST_LATE_PLACES) } else { 0 };
        self.posts.add(post, delay);
    }
}

impl Iterator for Generator {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let mut line = Vec::new();
        self.next_line(&mut line);
        Some(line)
    }
}
