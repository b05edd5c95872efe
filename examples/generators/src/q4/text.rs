//! Texts of few words.

use crate::random::Random;

const PLAIN: [&str; 56] = [
    "the", "a", "my", "this", "that", "on", "in", "at", "for", "with", "and", "today", "tomorrow",
    "morning", "train", "work", "coffee", "game", "new", "phone", "friends", "class", "dinner",
    "weekend", "movie", "show", "is", "was", "are", "have", "just", "going", "back", "home",
    "city", "rain", "music", "song", "team", "season", "week", "time", "people", "book", "store",
    "street", "dog", "kids", "we", "they", "you", "I", "it", "still", "again", "watching",
];
const GOOD: [&str; 20] = [
    "love", "great", "happy", "awesome", "fun", "good", "nice", "excited", "lol", "best", "thanks",
    "amazing", "sweet", "win", "glad", "perfect", "hope", "funny", "cool", "yay",
];
const BAD: [&str; 20] = [
    "hate", "bad", "sad", "awful", "sucks", "tired", "sick", "worst", "annoyed", "cry", "lost",
    "damn", "stupid", "hurt", "ugh", "terrible", "angry", "boring", "fail", "miss",
];
const DEGREES: [&str; 10] = [
    "so",
    "really",
    "very",
    "totally",
    "kind of",
    "barely",
    "extremely",
    "quite",
    "almost",
    "sort of",
];
const TURNS: [&str; 10] =
    ["not", "never", "don't", "isn't", "no", "but", "without", "can't", "least", "wasn't"];
const EMOTICONS: [&str; 8] = [":)", ":(", ":D", ";)", ":-)", ":/", "xD", ":'("];
const EMOJIS: [&str; 3] = ["😀", "💔", "❤"];
const ODD: [&str; 6] = ["2day", "8am", "5", "ppl", "good-bye", "o'clock"];
const QUOTES: [&str; 3] = ["\"so it goes\"", "\"no comment\"", "\"the end\""];
/// Topics, the frequent ones first.
const TOPICS: [&str; 12] = [
    "fb", "TCOT", "sporcle", "ff", "giveaway", "Win", "travel", "hokies", "auburn", "mets", "été",
    "photo",
];
const MENTIONED_PER_10000: u32 = 5270;
const LINK_PER_10000: u32 = 1610;
const TOPIC_PER_10000: u32 = 1050;
const RANK_PER_10000: u32 = 20;
const QUOTE_PER_10000: u32 = 370;
const COMMA_PER_10000: u32 = 300;
const CAPITALS_PER_10000: u32 = 300;

/// A text of 4 to 21 words and what is around them, without tabs and line ends.
pub(super) fn draw(random: &mut Random) -> String {
    let mut text = String::new();
    if random.chance(MENTIONED_PER_10000) {
        text.push_str(random.item(&["@anonymous ", "@anonymous ", "RT @anonymous: "]));
    }
    for number in 0..4 + random.below(9) + random.below(10) {
        if number > 0 {
            text.push_str(if random.chance(COMMA_PER_10000) { ", " } else { " " });
        }
        let word = word(random);
        if random.chance(CAPITALS_PER_10000) && !word.starts_with('&') {
            text.push_str(&word.to_uppercase());
        } else {
            text.push_str(word);
        }
    }
    text.push_str(random.item(&["", "", "", ".", ".", "!", "!!!", "?", "??", "..."]));
    if random.chance(QUOTE_PER_10000) {
        text.push(' ');
        text.push_str(random.item(&QUOTES));
    }
    if random.chance(RANK_PER_10000) {
        text.push_str(" #1");
    }
    if random.chance(TOPIC_PER_10000) {
        // The smaller of two draws: the first topics have most of the texts.
        let topic = random.below(TOPICS.len() as u32).min(random.below(TOPICS.len() as u32));
        text.push_str(" #");
        text.push_str(TOPICS[topic as usize]);
    }
    if random.chance(LINK_PER_10000) {
        let has_query = random.chance(500);
        text.push_str(if has_query {
            " https://example.org/a?b=1&amp;c=2"
        } else {
            " http://url_removed"
        });
    }
    text
}

fn word(random: &mut Random) -> &'static str {
    match random.below(10_000) {
        0..7000 => random.item(&PLAIN),
        7000..7850 => random.item(&GOOD),
        7850..8480 => random.item(&BAD),
        8480..9000 => random.item(&DEGREES),
        9000..9500 => random.item(&TURNS),
        9500..9560 => random.item(&EMOTICONS),
        9560..9575 => random.item(&EMOJIS),
        9575..9597 => "&amp;",
        9597..9603 => "&lt;3",
        9603..9606 => "&gt;",
        9606..9608 => random.item(&["&quot;", "&#39;"]),
        _ => random.item(&ODD),
    }
}
