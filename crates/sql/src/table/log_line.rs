//! A line of a log: its time, its level, and its message.

use std::ops::Range;

use toolshape_text::prose::severity::{self, Grades, LogLevel};
use toolshape_text::prose::{log_lines, prelude, trace};
use toolshape_text::values::moment::{self, Moment};

/// Bytes of a line in which a time in brackets is sought.
const SOUGHT: usize = 400;
/// Words of a line among which a time is sought, and the bytes of a date without one.
const STAMP_WORDS: usize = 4;
const DATE_BYTES: usize = 10;

/// The place of the time that a line begins with, or else of the first one in brackets, as in access logs.
pub fn time(line: &str) -> Option<Range<usize>> {
    let end = prelude::end(line);
    let start = prelude::program_end(line).min(end);
    let at_start = time_of(&line[start..end]).map(|place| start + place.start..start + place.end);
    at_start.or_else(|| in_brackets(line)).or_else(|| in_words(line))
}

/// One of the first words that is a date with its time.
fn in_words(line: &str) -> Option<Range<usize>> {
    let place = |word: &str| word.as_ptr().addr() - line.as_ptr().addr();
    let is_time = |word: &&str| word.len() > DATE_BYTES && Moment::parse(word).is_some();
    let word = line.split(' ').take(STAMP_WORDS).find(is_time)?;
    Some(place(word)..place(word) + word.len())
}

fn in_brackets(line: &str) -> Option<Range<usize>> {
    let sought = line.bytes().take(SOUGHT).enumerate().filter(|(_, byte)| *byte == b'[').map(|(at, _)| at + 1);
    sought.into_iter().find_map(|start| {
        let end = start + line[start..].find(']')?;
        Moment::parse(&line[start..end]).map(|_| start..end)
    })
}

/// The place of what comes after the time and the level.
pub fn message(line: &str) -> Option<Range<usize>> {
    let start = behind_level(line, prelude::end(line));
    (start < line.len()).then_some(start..line.len())
}

/// The place in [`LogLevel::ALL`] of the level that an entry names or its words mean. Further lines of an entry, such as those of a stack
/// trace, have none. Where entries have a time or the name of a program (`has_preludes`), one without begins with its level.
pub fn level(line: &str, has_preludes: bool, grades: Grades) -> Option<usize> {
    let is_entry = || !has_preludes || prelude::end(line) > 0 || log_lines::begins_with_level(line);
    if line.starts_with([' ', '\t']) || trace::goes_on(line) || !is_entry() {
        return None;
    }
    let level = grades.level(line);
    LogLevel::ALL.iter().position(|(known, _)| *known == level && level != LogLevel::None)
}

/// The words of a prelude that are a date or a time: from the first to the last in one run.
fn time_of(prelude: &str) -> Option<Range<usize>> {
    let (mut at, mut place): (usize, Option<Range<usize>>) = (0, None);
    for word in prelude.split_inclusive([' ', '\t']) {
        let start = at;
        at += word.len();
        let bare = word.trim_end();
        let opened = bare.trim_start_matches(['[', '(']);
        let inside = opened.trim_end_matches([']', ')', ',', ':', '|']);
        if inside.is_empty() {
            continue;
        }
        let from = start + bare.len() - opened.len();
        let (digits, others) =
            (inside.bytes().filter(u8::is_ascii_digit).count(), inside.bytes().any(|b| b"-:/.".contains(&b)));
        let is_time = digits > 0 && (others || place.is_some() || digits >= 6)
            || place.is_some()
            || moment::is_short_name(inside);
        let is_time = is_time && !is_address(inside) && (place.is_some() || is_of_time(inside));
        // What is in brackets of its own behind a time is an id.
        let is_own = place.is_some()
            && (opened.len() < bare.len() || digits == 0 && !is_zone(inside) && !moment::is_short_name(inside));
        if !is_time || is_own {
            if place.is_some() {
                break;
            }
            continue;
        }
        let end = from + inside.len();
        place = Some(place.map_or(from, |place| place.start)..end);
        if opened.len() > inside.len() && bare.ends_with([']', ')', '|']) {
            break;
        }
    }
    place.filter(|place| prelude[place.clone()].bytes().any(|byte| byte.is_ascii_digit()))
}

/// Whether the letters of a word are those of a time: a month, `T` and `Z`, the half of a day. A server's name has others.
fn is_of_time(word: &str) -> bool {
    let mut runs = word.split(|c: char| !c.is_alphabetic()).filter(|run| !run.is_empty());
    runs.all(|run| moment::is_short_name(run) || ["T", "Z", "AM", "PM", "am", "pm"].contains(&run))
}

/// Whether a word is an address of the Internet.
fn is_address(word: &str) -> bool {
    word.parse::<std::net::IpAddr>().is_ok()
}

fn is_zone(word: &str) -> bool {
    (2..=4).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Where the text after a level at `start` begins.
fn behind_level(line: &str, start: usize) -> usize {
    let Some((at, _)) = severity::find(line).filter(|(at, _)| (start..start + 3).contains(at)) else { return start };
    let word = line[at..].trim_start_matches(['[', '<', '(', '|']);
    let rest = word
        .trim_start_matches(|c: char| c.is_ascii_alphabetic())
        .trim_start_matches([' ', '\t', ':', ']', '>', ')', '|']);
    line.len() - rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_time_a_level_and_a_message() {
        for (line, time, wanted, message) in [
            ("2026-11-20 10:00:00.123 UTC [7] LOG:  ready 7", "2026-11-20 10:00:00.123 UTC", Some("info"), "ready 7"),
            ("2026-11-20T10:00:00Z ERROR gone", "2026-11-20T10:00:00Z", Some("error"), "gone"),
            ("[Sun Dec 04 04:47:44 2005] [error] child 1", "Sun Dec 04 04:47:44 2005", Some("error"), "child 1"),
            ("Nov 20 09:26:46 WARN slow", "Nov 20 09:26:46", Some("warning"), "slow"),
            ("web-1  | 10:00:00 INFO up", "10:00:00", Some("info"), "up"),
            (
                "10.0.0.7 - - [20/Nov/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200 5",
                "20/Nov/2026:10:00:00 +0000",
                None,
                "\"GET / HTTP/1.1\" 200 5",
            ),
            (
                "::1 - ann [20/Nov/2026:10:00:00 +0000] \"GET /\" 200",
                "20/Nov/2026:10:00:00 +0000",
                None,
                "ann [20/Nov/2026:10:00:00 +0000] \"GET /\" 200",
            ),
            ("plain words", "", None, "plain words"),
        ] {
            let text = |place: Option<Range<usize>>| place.map_or("", |place| &line[place]);
            let level = level(line, false, Grades::of(std::iter::empty())).map(|level| LogLevel::ALL[level].1);
            let found = (text(super::time(line)), level, text(super::message(line)));
            assert_eq!(found, (time, wanted, message), "{line}");
        }
    }

    #[test]
    fn the_level_of_an_entry_is_on_its_first_line() {
        for (line, is_entry) in [
            ("2026-11-20 10:00:00 [ERROR] worker: job 1 crashed", true),
            ("Traceback (most recent call last):", false),
            ("ValueError: invalid x", false),
            ("java.lang.IllegalStateException: error", false),
            ("    raise ValueError('error')", false),
            ("Caused by: java.io.IOException: failed", false),
            ("error: the build failed", true),
            ("[ERROR] no time", true),
        ] {
            assert_eq!(level(line, true, Grades::of(std::iter::empty())).is_some(), is_entry, "{line}");
        }
    }
}
