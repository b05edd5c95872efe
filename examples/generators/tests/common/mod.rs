//! What the tests of all streams share.

use sluice_generators::Query;

/// The first lines of a stream.
pub fn lines(query: Query, seed: u64, device: u32, count: usize) -> Vec<String> {
    let mut generator = query.generator(seed, device);
    let line = || {
        let mut line = Vec::new();
        generator.next_line(&mut line);
        String::from_utf8(line).expect("lines are UTF-8")
    };
    std::iter::repeat_with(line).take(count).collect()
}

/// Asserts that streams depend on seed and device, and on nothing else. A change of `hash`, that of 10,000 lines under
/// seed 1, is a change of every recorded result.
pub fn assert_reproducible(query: Query, hash: &str) {
    let first = |seed, device| lines(query, seed, device, 10_000);
    assert_eq!(first(7, 1), first(7, 1));
    assert_ne!(first(7, 1)[1..20], first(8, 1)[1..20]);
    assert_ne!(first(7, 1)[1..20], first(7, 2)[1..20]);
    let bytes = first(1, 0).into_iter().flat_map(String::into_bytes);
    let sum = bytes.fold(0xCBF2_9CE4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    });
    assert_eq!(format!("{sum:016x}"), hash);
}

/// Asserts that a share of `all` is between two others.
pub fn assert_share(what: &str, count: usize, all: usize, between: std::ops::Range<f64>) {
    let share = count as f64 / all as f64;
    assert!(between.contains(&share), "{what}: {share:.5} is not in {between:?}");
}

/// How far each time is behind the highest one before it.
pub fn delays<T: Copy + Ord + std::ops::Sub<Output = T>>(times: &[T]) -> Vec<T> {
    let mut latest = times[0];
    times
        .iter()
        .map(|&time| {
            latest = latest.max(time);
            latest - time
        })
        .collect()
}

/// Seconds since 1970 of `yyyy-mm-dd hh:mm:ss`.
pub fn seconds(stamp: &str) -> Option<i64> {
    let form = "dddd-dd-dd dd:dd:dd";
    let fits = stamp.len() == form.len()
        && stamp.bytes().zip(form.bytes()).all(|(byte, form)| match form {
            b'd' => byte.is_ascii_digit(),
            _ => byte == form,
        });
    let number = |range: std::ops::Range<usize>| stamp[range].parse::<i64>().ok();
    if !fits {
        return None;
    }
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    // Years begin in March, so that the leap day is their last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 306 + 5) / 10 + day
        - 1
        - 719_468;
    Some(days * 86_400 + number(11..13)? * 3600 + number(14..16)? * 60 + number(17..19)?)
}
