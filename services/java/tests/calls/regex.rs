//! java.util.regex.
use crate::call;
use crate::harness::{Arguments, Call, Random, check, check_vectors};
use sluice_java::Result;
use sluice_java::regex::{self, Matcher, Pattern};

const LIMIT: usize = 1 << 20;

fn ours(name: &str, a: Arguments<'_>) -> Result<String> {
    let (text, steps) = (a.s(0), &mut regex::STEPS.clone());
    Ok(match name {
        "split" => {
            let parts = match regex::plain(&a.s(1)) {
                Some(by) => regex::split_text(&text, &by, a.i(2)),
                None => regex::split(&Pattern::compile(&a.s(1), 0)?, &text, a.i(2), steps)?,
            };
            let parts: Vec<_> = parts.into_iter().map(|part| format!("|{}", &text[part])).collect();
            format!("{}{}", parts.len(), parts.concat())
        }
        "replaceAll" => Pattern::compile(&a.s(1), 0)?.replace_all(&text, &a.s(2), LIMIT, steps)?,
        "replaceFirst" => {
            Pattern::compile(&a.s(1), 0)?.replace_first(&text, &a.s(2), LIMIT, steps)?
        }
        "matches" => Pattern::compile(&a.s(1), 0)?.matches(&text, steps)?.to_string(),
        "find" => {
            let pattern = Pattern::compile(&a.s(1), a.i(2))?;
            let mut matcher = Matcher::new(regex::STEPS);
            let mut all = String::new();
            while matcher.find(&pattern, &text)? {
                all.push_str(&format!(
                    "{}-{}",
                    matcher.start(&pattern, &text, 0)?,
                    matcher.end(&pattern, &text, 0)?
                ));
                for group in 0..=pattern.groups() {
                    let range = matcher.group(&pattern, group as i32)?;
                    all.push('|');
                    all.push_str(range.map_or("null", |range| &text[range]));
                }
                all.push(';');
            }
            all
        }
        "lookingAt" => {
            let pattern = Pattern::compile(&a.s(1), a.i(2))?;
            let mut matcher = Matcher::new(regex::STEPS);
            matcher.looking_at(&pattern, &text)?;
            match matcher.found() {
                true => matcher
                    .group(&pattern, 0)?
                    .map_or_else(String::new, |range| text[range].to_owned()),
                false => "null".to_owned(),
            }
        }
        _ => panic!("{name}"),
    })
}

const TEXTS: &[&str] = &[
    "a", "b", "c", "A", "B", "1", "2", "_", " ", "  ", ",", ".", "\n", "\r\n", "\t", "é", "€",
    "😀", "\u{301}", "-", "|", "ab", "abc", "aab", "\u{2028}", "\u{85}", "x=1", "\"q\"", "$", "\\",
    "(", "Z",
];

const ATOMS: &[&str] = &[
    "a",
    "b",
    "c",
    "ab",
    ".",
    "\\d",
    "\\w",
    "\\s",
    "\\W",
    "\\D",
    "\\S",
    "[abc]",
    "[^a]",
    "[a-z&&[^b]]",
    "[a-zA-Z_0-9]",
    "[\\s,.]",
    "[^\\w ]",
    "\\.",
    ",",
    " ",
    "é",
    "😀",
    "^",
    "$",
    "\\b",
    "\\B",
    "\\z",
    "\\Z",
    "\\A",
    "\\R",
    "\\p{L}",
    "\\p{Alpha}",
    "\\p{Punct}",
    "\\P{L}",
    "\\p{Lu}",
    "\\h",
    "[[:alpha:]]",
    "\\x41",
    "\\u0061",
    "\\t",
    "\\n",
    "-",
    "\\|",
    "\\$",
    "1",
    "[^\\p{L}]",
    "\\Qa.\\E",
    "[a\\-b]",
    "[-a]",
    "\\p{IsAlphabetic}",
    "\"",
    "[é-€]",
    "\\x{1F600}",
    "[.]",
    "[|]",
    "\\\\",
    "_",
];

const REPEATS: &[&str] =
    &["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,3}?", "{2,}", "++", "*+", "?+"];

fn pattern(random: &mut Random, depth: usize) -> String {
    let mut out = String::new();
    for _ in 0..1 + random.below(3) {
        match random.below(if depth == 0 { 6 } else { 12 }) {
            0..6 => out.push_str(random.one(ATOMS)),
            6..9 => {
                let open = random.one(&["(", "(", "(", "(?:", "(?i:", "(?<n>"]);
                out.push_str(&format!("{open}{})", pattern(random, depth - 1)));
            }
            9 => {
                let open = random.one(&["(?=", "(?!", "(?<=", "(?<!", "(?>"]);
                out.push_str(&format!("{open}{})", pattern(random, depth - 1)));
            }
            10 => out.push_str(&format!(
                "{}|{}",
                pattern(random, depth - 1),
                pattern(random, depth - 1)
            )),
            _ => out.push_str(random.one(&["\\1", "(?i)", "(?m)", "(?s)", "|"])),
        }
        if random.below(3) == 0 {
            out.push_str(random.one(REPEATS));
        }
    }
    out
}

fn calls(count: usize, seed: u64) -> Vec<Call> {
    const PLAIN: &[&str] = &[
        ",",
        "\t",
        "\\|",
        "\\s+",
        "\\W+",
        "\\s*,\\s*",
        "[,;]",
        ";",
        "::",
        " ",
        "\\.",
        "",
        "[^a-zA-Z]",
        "\\t",
        "\\\\",
        "=",
        "\\s",
        "[\\s]+",
        ",|;",
        "\\d+",
        "(\\d)(\\w)?",
        "\\n",
        "\r?\n",
        "[ .,!?]+",
        "|",
        "\\b",
    ];
    const REPLACEMENTS: &[&str] = &[
        "", "-", "$0", "<$1>", "$2", "\\$", "\\", "$", "${n}", "a$1b$12", "${x}", "$x", "€", "${",
        "${1}",
    ];
    let mut random = Random(seed);
    let one = |_| {
        let text = random.text(TEXTS, 9);
        let pattern = match random.below(4) {
            0 => random.one(PLAIN).to_owned(),
            _ => pattern(&mut random, 2),
        };
        let flags = [0, 0, 0, 2, 8, 32, 16, 4, 1 | 8][random.below(9)];
        match random.below(7) {
            0 | 1 => call!("split", text, pattern, [0, 0, -1, 1, 2, 3][random.below(6)]),
            2 => call!("replaceAll", text, pattern, random.one(REPLACEMENTS)),
            3 => call!("replaceFirst", text, pattern, random.one(REPLACEMENTS)),
            4 => call!("matches", text, pattern),
            5 => call!("find", text, pattern, flags),
            _ => call!("lookingAt", text, pattern, flags),
        }
    };
    (0..count).map(one).collect()
}

#[test]
fn vectors() {
    check_vectors("regex", &calls(1_000, 1), ours);
}

#[test]
fn random_patterns() {
    let calls = calls(400_000, 17);
    let certain = check(&calls, ours);
    println!("{certain} of {} certain", calls.len());
    assert!(certain > calls.len() / 2);
}
