//! What comes before the message of a log line: the program that printed it, times, process ids and counters.

use crate::values::moment;

/// Where the text after the name of a program begins, as in `web-1  | …` of Docker Compose and `npm …`; 0 if there is none.
pub fn program_end(line: &str) -> usize {
    if line.starts_with("npm ") {
        return "npm ".len();
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name = line.find(|c| !is_name(c)).unwrap_or(line.len());
    let after = line[name..].trim_start_matches(' ');
    match after.strip_prefix('|') {
        Some(rest) if name > 0 && (rest.is_empty() || rest.starts_with([' ', '\t'])) => {
            line.len() - rest.trim_start().len()
        }
        _ => 0,
    }
}

/// Where the first plain word of a line begins, after the name of a program, times, process ids and counters; where the program's name
/// ends if there is no plain word.
pub fn end(line: &str) -> usize {
    end_after(line, program_end(line))
}

/// The same behind the name of a program, which ends at `program`.
pub fn end_after(line: &str, program: usize) -> usize {
    let (mut start, mut before) = (program, "");
    for word in line[start..].split_inclusive([' ', '\t']) {
        let bare = word.trim_end();
        let is_mark = !bare.bytes().any(|byte| byte.is_ascii_alphanumeric() || byte >= 0x80);
        let is_time = bare.bytes().any(|byte| byte.is_ascii_digit()) || is_name_of_time(bare);
        // Behind a time come its zone, and what the runtime of a container adds: `… stderr F …`.
        let is_added = !before.is_empty()
            && (is_zone(bare) || is_stream(bare) || (is_stream(before) && matches!(bare, "F" | "P")));
        if !is_mark && !is_time && !is_added {
            return start;
        }
        start += word.len();
        if !is_mark {
            before = bare;
        }
    }
    program
}

/// Whether a word is the name of a month or a day, as in `[Sun Dec 04 04:47:44 2005]`.
fn is_name_of_time(word: &str) -> bool {
    moment::is_short_name(word.trim_start_matches('[').trim_end_matches(','))
}

/// Whether a word says which half of the day or which zone a time is of.
fn is_zone(word: &str) -> bool {
    const ZONES: [&str; 14] =
        ["AM", "PM", "UTC", "GMT", "BST", "CET", "CEST", "EST", "EDT", "CST", "PST", "PDT", "IST", "JST"];
    ZONES.contains(&word.trim_end_matches([']', ':', ',']))
}

fn is_stream(word: &str) -> bool {
    matches!(word, "stdout" | "stderr")
}

#[cfg(test)]
mod tests {
    use super::end;

    #[test]
    fn a_message_begins_behind_its_time() {
        for (before, message) in [
            ("", "plain words 7"),
            ("2026-11-20T10:00:00.000Z\tc0ffee-1\t", "ERROR\tgone"),
            ("[Sun Dec 04 04:47:44 2005] ", "[error] child 1"),
            ("2026-11-20 10:00:00.123 UTC [123] ", "LOG:  ready"),
            ("10:00 AM - ", "error: x"),
            ("web-1    | ", "INFO: up"),
            ("db_1  | 2026-11-20 10:00:00 ", "error x"),
            ("npm ", "ERR! code 1"),
            ("2026-11-20T10:00:00Z stderr F ", "error: x"),
        ] {
            assert_eq!(end(&format!("{before}{message}")), before.len(), "{message}");
        }
        assert_eq!(end("12 13"), 0);
    }
}
