//! Whether lines are certainly those of a log: they begin with a time or a level.

use super::prelude;
use super::severity::{self, LogLevel};
use super::template::Templates;
use super::trace;
use crate::chars::floor_char;

/// The least number of lines of a log.
const MIN_LINES: usize = 12;
/// The same where almost all lines are those of stack traces.
const LEAST_WITH_TRACES: usize = 3;
/// Bytes of a line in which a time is looked for, and the words that may come before it.
const STAMP_BYTES: usize = 64;
const STAMP_WORDS: usize = 4;
/// The most words before a level of what printed the line.
const NAME_WORDS: usize = 2;
/// Bytes of a line in which a level is looked for.
const LEVEL_BYTES: usize = 80;

/// Lines that are looked at for times.
const SAMPLED: usize = 400;

/// Whether lines are a log.
///
/// Most lines begin with a time, and some have a level or many are alike; or most begin with a level. The name of a program may
/// come first. Lines that are indented or belong to a stack trace do not count: what a trace says is above its frames or below.
pub fn is_log(lines: &[&str]) -> bool {
    let all = lines.len();
    let lines = own(lines);
    // Of a text of long traces there are few.
    let least = if all > MIN_LINES * lines.len() { LEAST_WITH_TRACES } else { MIN_LINES };
    if lines.len() < least || are_numbered(&lines) {
        return false;
    }
    let count = |is_so: fn(&str) -> bool| lines.iter().filter(|line| is_so(line)).count();
    let stamped = count(is_stamped);
    let share = |count: usize, tenths: usize| count * 10 >= lines.len() * tenths;
    if lines.len() < MIN_LINES && stamped < lines.len() {
        return false;
    }
    if share(stamped, 6) {
        return share(count(has_level), 3)
            || (share(stamped, 8) && !is_delimited(&lines) && are_alike(&lines) && !are_cells(&lines));
    }
    share(count(begins_with_level), 7) || share(count(has_early_level), 9) || are_of_containers(&lines)
}

/// The lines that are neither indented nor of a stack trace.
fn own<'l>(lines: &[&'l str]) -> Vec<&'l str> {
    let is_indented =
        |at: usize| lines.get(at).is_some_and(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    // A trace may begin with a level too, below an entry that has a time.
    let count = |is_so: &dyn Fn(&str) -> bool| lines.iter().filter(|line| is_so(line)).count();
    let by_time = count(&is_stamped) >= count(&begins_with_level);
    let begins = |line: &str| if by_time { is_stamped(line) } else { begins_with_level(line) };
    // What a trace says may take several lines above its frames.
    let mut is_above = vec![false; lines.len()];
    for at in (0..lines.len().saturating_sub(1)).rev() {
        is_above[at] = is_indented(at + 1) || by_time && is_above[at + 1] && !is_stamped(lines[at + 1]);
    }
    let is_own = |at: &usize| {
        let line = lines[*at];
        !line.trim().is_empty()
            && !line.starts_with([' ', '\t'])
            && !trace::goes_on(line)
            && !trace::is_python(line)
            && !trace::is_go(line)
            && (!(is_above[*at] || *at > 0 && is_indented(at - 1)) || begins(line))
    };
    (0..lines.len()).filter(is_own).map(|at| lines[at]).collect()
}

/// How many of the entries of a log have a time or the name of a program before what they say.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Preludes {
    Few,
    /// Other lines may be those of a trace.
    Some,
    /// Most: other lines belong to the entry above them.
    Most,
}

impl Preludes {
    pub fn of(lines: &[&str]) -> Self {
        let lines = own(lines);
        let sample = lines.iter().step_by(lines.len().div_ceil(SAMPLED).max(1));
        let (mut filled, mut with) = (0, 0);
        for line in sample.filter(|line| !line.trim_start().is_empty()) {
            filled += 1;
            with += usize::from(begins_entry(line));
        }
        match (with * 10 >= filled, with * 4 >= filled * 3) {
            (_, true) => Self::Most,
            (true, false) => Self::Some,
            (false, false) => Self::Few,
        }
    }

    /// Whether a line of a level belongs to an entry above it, of another level, which is at least as grave.
    pub fn is_part(self, (line, level): (&str, LogLevel), (entry, of_entry): (&str, LogLevel)) -> bool {
        self == Self::Most
            && level != LogLevel::None
            && level as usize >= of_entry as usize
            && !begins_entry(line)
            && begins_entry(entry)
    }
}

/// Whether a line has a time or the name of a program before what it says.
pub fn begins_entry(line: &str) -> bool {
    prelude::program_end(line) > 0 || is_stamped(line)
}

fn is_stamped(line: &str) -> bool {
    has_stamp(&line[prelude::program_end(line)..])
}

/// Whether almost all lines begin with the name of a container, and the names repeat: `web-1  | …`.
fn are_of_containers(lines: &[&str]) -> bool {
    let name = |line: &&str| {
        let (program, message) = line.split_at(prelude::program_end(line));
        let name = program.trim_end_matches(['|', ' ', '\t']);
        let is_numbered = name.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with(['-', '_']);
        (is_numbered && !name.ends_with(['-', '_']) && !message.contains(" | ")).then(|| name.to_owned())
    };
    let first: Vec<_> = lines.iter().take(MIN_LINES).filter_map(name).collect();
    let known = lines.iter().filter_map(name).filter(|name| first.contains(name)).count();
    known * 10 >= lines.len() * 9
}

/// Whether many lines come from one statement: at most half as many templates as lines.
fn are_alike(lines: &[&str]) -> bool {
    Templates::of(lines.iter().map(|line| (&line[prelude::end(line)..], ""))).total * 2 <= lines.len()
}

/// Whether almost all lines have one word next to their times and numbers: the rows of a listing, and no messages.
fn are_cells(lines: &[&str]) -> bool {
    let is_cell = |line: &&&str| {
        let words = line[prelude::end(line)..].split(|c: char| c.is_whitespace() || c == '|');
        words.filter(|word| word.contains(char::is_alphabetic)).count() < 2
    };
    lines.iter().filter(is_cell).count() * 10 >= lines.len() * 9
}

/// Whether each line begins with the number after that of the line before: the rows of a table.
fn are_numbered(lines: &[&str]) -> bool {
    let number = |line: &str| line.split_whitespace().next().and_then(|word| word.parse::<u64>().ok());
    let steps = lines.windows(2).filter(|pair| {
        number(pair[0]).zip(number(pair[1])).is_some_and(|(before, after)| before.checked_add(1) == Some(after))
    });
    steps.count() * 10 >= lines.len() * 9
}

/// Whether each line has as many commas, semicolons or tabs as the first: a table.
fn is_delimited(lines: &[&str]) -> bool {
    [',', ';', '\t'].iter().any(|&mark| {
        let count = |line: &&str| line.matches(mark).count();
        let first = count(&lines[0]);
        first >= 2 && lines.iter().all(|line| count(line) == first)
    })
}

/// Whether a line begins with a time or a date: at most a few words come before it.
fn has_stamp(line: &str) -> bool {
    if has_seconds(line) {
        return true;
    }
    let bytes = &line.as_bytes()[..line.len().min(STAMP_BYTES)];
    let mut words = 0;
    for at in 0..bytes.len() {
        let is_space = |at: usize| matches!(bytes[at], b' ' | b'\t');
        words += usize::from(at > 0 && is_space(at) && !is_space(at - 1));
        if words > STAMP_WORDS {
            return false;
        }
        // An hour may have one digit or two.
        let is_hour = at == 1 && bytes[0].is_ascii_digit() && bytes.get(2) == Some(&b':');
        let is_start = at == 0 || !bytes[at - 1].is_ascii_alphanumeric() || is_hour;
        let stamps: &[&str] = match bytes[at] {
            b'0'..=b'9' => &STAMPS,
            b'A'..=b'Z' | b'a'..=b'z' if bytes.get(at + 3) == Some(&b' ') => &MONTHS,
            _ => &[],
        };
        if is_start && stamps.iter().any(|stamp| has_form(&bytes[at..], stamp)) {
            // A table of files begins with what may be done with them; a line of code may have its author before it.
            return !is_listing(line) && !line[..at].contains('(');
        }
    }
    false
}

/// Times and dates: `0` is a digit, `a` a letter, a space also a tab, anything else itself.
const STAMPS: [&str; 17] = [
    "00:00:00", "0:00:00 aM ", "0:00AM ", "0:00PM ", "0000-00-00 ", "0000-00-00T", "0000-00-00_", "0000/00/00 ",
    "00/00/00 ", "00/00/0000", "00-00 00:", "00/aaa/0000:", "000000 000000 ", "0000000000.", "0000000000 ",
    "0000000000000 ", "00000000-00:",
];
/// The same that begin with the name of a month.
const MONTHS: [&str; 2] = ["aaa 00 00:", "aaa  0 00:"];

/// Whether a line begins with seconds in brackets, as those of the kernel do: `[   12.345678] …`.
fn has_seconds(line: &str) -> bool {
    let seconds = line.strip_prefix('[').and_then(|rest| rest.trim_start().split_once(']'));
    let (whole, fraction) = seconds.and_then(|(seconds, _)| seconds.split_once('.')).unwrap_or_default();
    let is_number = |digits: &str| (1..=12).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number(whole) && is_number(fraction)
}

fn has_form(bytes: &[u8], form: &str) -> bool {
    let fits = |(form, byte): (u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        b'a' => byte.is_ascii_alphabetic(),
        b' ' => matches!(byte, b' ' | b'\t'),
        other => *byte == other,
    };
    bytes.len() >= form.len() && form.bytes().zip(bytes).all(fits)
}

fn is_listing(line: &str) -> bool {
    let mode = line.as_bytes().get(..10);
    mode.is_some_and(|mode| mode.iter().all(|byte| b"-dlrwxstST".contains(byte)))
}

/// Whether a line names a level near its start.
fn has_level(line: &str) -> bool {
    severity::named(&line[..floor_char(line, LEVEL_BYTES)]).is_some()
}

/// Whether a line begins with a level, after the name of a program: `[INFO] …`, `error: …`, `level=warn …`.
pub fn begins_with_level(line: &str) -> bool {
    let Some((at, _)) = severity::find(line) else { return false };
    let before = &line[prelude::program_end(line).min(at)..at];
    let after = line[at..].trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let is_key = || {
        let key = before.trim_end_matches('"').strip_suffix('=').unwrap_or_default();
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'.')
    };
    (before.bytes().all(|byte| b"[<(|".contains(&byte)) && !after.starts_with(['_', '-', '.', '/', '='])) || is_key()
}

/// Whether a line names a level in capitals behind a word or two of what printed it: `[pod/web-1/app] ERROR …`, `web:build: INFO …`.
/// Compilers write theirs in small letters, and tests say `FAILED`.
fn has_early_level(line: &str) -> bool {
    severity::find(line).is_some_and(|(at, _)| {
        let (before, level) = line.split_at(at);
        let is_word = |word: &&str| word.bytes().any(|byte| byte.is_ascii_alphanumeric());
        let after = level.trim_start_matches(|c: char| c.is_ascii_uppercase());
        before.ends_with([' ', '\t', '[', '(', '<'])
            && before.split_whitespace().filter(is_word).count() <= NAME_WORDS
            && !level.starts_with("FAIL")
            && after.len() + 2 < level.len()
            && after.starts_with([' ', '\t', ':', ']', ')', '>'])
    })
}

#[cfg(test)]
mod tests {
    use super::{Preludes, is_log};

    fn of(line: impl Fn(usize) -> String) -> Vec<String> {
        (0..30).map(line).collect()
    }

    fn known(lines: &[String]) -> bool {
        is_log(&lines.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn entries_with_traces_are_a_log() {
        let java = |n| {
            format!(
                "2026-11-20 09:26:{n:02} ERROR failed\njava.io.IOException: error {n}\n\tat a.b.C.d(C.java:1)\nCaused by: x.Y: error\n\t... 3 more"
            )
        };
        let python = |n| {
            format!(
                "[2026-11-20T09:26:{n:02}Z] error: task\nTraceback (most recent call last):\n  File \"x.py\", line 1, in f\n    raise ValueError\nValueError: {n}"
            )
        };
        let lines = |entry: &dyn Fn(usize) -> String| -> Vec<String> {
            (0..30).map(entry).collect::<Vec<_>>().join("\n").lines().map(str::to_owned).collect()
        };
        assert!(known(&lines(&java)) && known(&lines(&python)));
        let notes = |n: usize| format!("Item {n}\n    from 2026-11-20 09:26:{n:02}");
        assert!(!known(&lines(&notes)));
        // Of a few entries each has a time.
        let long = |n: usize| {
            let frames: String = (0..60).map(|at| format!("\n    at f{at} (/srv/app.js:{at}:5)")).collect();
            format!("[2026-11-20T09:26:{n:02}Z] error: job {n}\nError: boom{frames}")
        };
        let few: Vec<String> = lines(&long).into_iter().take(62 * 5).collect();
        assert!(known(&few) && Preludes::of(&few.iter().map(String::as_str).collect::<Vec<_>>()) > Preludes::Few);
        let settings = |n: usize| format!("info: a{n}{}", "\n    name: value".repeat(60));
        assert!(!known(&lines(&settings).into_iter().take(61 * 5).collect::<Vec<_>>()));
    }

    #[test]
    fn logs_are_known_by_times_and_levels() {
        // The forms of the samples of loghub, and of common programs.
        let forms: [fn(usize) -> String; 36] = [
            |n| format!("[pod/web-1/app] INFO handled {n}"),
            |n| format!("@shop/web:build: WARN slow {n}"),
            |n| format!("==> default: [DEBUG] step {n}"),
            |n| format!("web-{}    | GET /x {n} {}", n % 3, ["a", "b c", "d e f"][n % 3]),
            |n| format!("10:{n:02}AM INF handled {n}"),
            |n| format!("4:26:{n:02} PM [vite] page reload src/{n}.ts"),
            |n| format!("2026-11-20T09:26:{n:02}.000Z\t{n}-c0ffee\tINFO\thandled {n}"),
            |n| format!("2026-11-20\t09:26:{n:02}\terror\tin \"{n}\""),
            |n| format!("2026-11-20T09:26:{n:02}Z  INFO app: handled {n} {}", ["a", "b c", "d e f"][n % 3]),
            |n| format!("web-{}    | INFO: GET /x {n} 200", n % 3),
            |n| format!("db_1  | 2026-11-20 09:26:{n:02}.123 UTC [{n}] LOG:  checkpoint {n}"),
            |n| format!("[LOG] render {n} @ https://x/app.js:{n}"),
            |n| format!("npm http fetch GET 200 https://r/{n}"),
            |n| format!("info: request {n} by {}", ["ann", "bob the great", "c"][n % 3]),
            |n| format!("2026-11-20 09:26:{n:02},123 INFO [main] request {n} took {n} ms"),
            |n| {
                format!(
                    "081109 203615 {n} INFO dfs.DataNode$PacketResponder: PacketResponder {n} for block blk_{n} terminating"
                )
            },
            |n| format!("17/06/09 20:10:{n:02} INFO executor.Executor: Running task {n}.0 in stage 0.0 (TID {n})"),
            |n| {
                format!(
                    "- 1117838570 2005.06.03 R02-M1-N0 2005-06-03-15.42.{n:02} RAS KERNEL INFO instruction cache {n} corrected"
                )
            },
            |n| format!("Jun 14 15:16:{n:02} combo sshd(pam_unix)[{n}]: authentication failure; logname= uid={n}"),
            |n| {
                format!(
                    "Jul  1 09:00:{n:02} calvisitor kernel[0]: IOThunderboltSwitch<0>(0x{n}): listening to event {n}"
                )
            },
            |n| format!("03-17 16:13:{n:02}.811  1702  2395 D WindowManager: printFreezingDisplayLogs {n}"),
            |n| format!("20171223-22:15:{n:02}:606|Step_LSC|30002312|onStandStepChanged {n}"),
            |n| format!("[10.30 16:49:{n:02}] chrome.exe - proxy.cse.cuhk.edu.hk:5070 open through proxy {n} HTTPS"),
            |n| {
                format!(
                    "nova-api.log.1.2017-05-16_13:53:08 2017-05-16 00:00:{n:02}.008 25746 INFO nova.osapi [req-{n}] GET"
                )
            },
            |n| format!("[Sun Dec 04 04:47:{n:02} 2005] [notice] workerEnv.init() ok {n}"),
            |n| format!("2016-09-28 04:30:{n:02}, Info                  CBS    Loaded Servicing Stack v{n}"),
            |n| format!("10.0.0.{n} - - [10/Oct/2000:13:55:36 -0700] \"GET /page/{n} HTTP/1.0\" 200 2326"),
            |n| format!("E1120 09:26:{n:02}.123456       1 main.go:{n}] gone {n}"),
            |n| format!("[{n:5}.123456] usb 1-1: new high-speed USB device number {n} using xhci_hcd"),
            |n| format!("[INFO] Building module {n}"),
            |n| format!("INFO:root:message {n} from somewhere"),
            |n| format!("WARNING: thing {n} is old"),
            |n| format!("level=info ts=2026-11-20T09:26:{n:02}Z msg=\"started {n}\""),
            |n| format!("time=\"2026-11-20T09:26:{n:02}Z\" level=warning msg=\"slow {n}\""),
            |n| format!("2026-11-20T09:26:{n:02}.000Z stdout F handled {n} in {n} ms"),
            |n| format!("1700000000.{n} 10.0.0.1 TCP_MISS/200 {n} GET http://x/{n} - DIRECT"),
        ];
        for form in forms {
            assert!(known(&of(form)), "{}", form(1));
        }
        // Lines of stack traces are not those of the log.
        assert!(known(
            &of(|n| format!("2026-11-20 09:26:{n:02} ERROR x\n{}", "\tat a.B.c(B.java:1)\n".repeat(40)))
                .join("\n")
                .lines()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        ));
    }

    #[test]
    fn other_texts_are_no_logs() {
        let words = ["sun", "moon", "star", "wind", "rain", "snow", "fire"];
        let forms: [fn(usize, &[&str]) -> String; 23] = [
            |n, _| format!("src/app.ts({n},3): error TS2304: Cannot find name 'x{n}'."),
            |n, _| format!("tests/test_cart.py::test_{n} FAILED [ {n}%]"),
            |n, _| format!("LEVEL_ERROR_{n}"),
            |n, _| format!("8e2897ea (ann 2026-11-20 09:26:46 +0000 {n:2}) raise Error({n})"),
            |n, _| format!("{n:<4} order {n} 2026-11-20 09:26:46 error"),
            |n, w| format!("web-{n} | {} | {}", w[n % 7], n * 7),
            |n, w| format!("error {} {} and {n}", w[n % 7], w[n % 5]),
            |n, _| format!("2026-11-20 09:26:{n:02},{n}.5,abc,{n}"),
            |n, _| format!("2026-11-20 09:26:{n:02}\tx\t{n}"),
            |n, w| format!("[10:32:{n:02}] alice: {} {} {}", w[n % 7], w[n * 3 % 5], "yes ".repeat(n)),
            |n, _| format!("-rw-r--r-- 1 root root {n} 2026-11-20 10:00:00 file{n}.txt"),
            |n, w| format!("The {} and the {} of chapter {n} are {} things.", w[n % 7], w[n % 5], w[n % 3]),
            |n, _| {
                if n == 4 {
                    "ERROR is a word with which prose may begin".to_owned()
                } else {
                    format!("Line {n} of a poem")
                }
            },
            |n, _| format!("key{n}: value # INFO"),
            |n, _| format!("+    let x{n} = {n};"),
            |n, _| format!("{{\"id\":{n},\"level\":\"info\"}},"),
            |n, _| format!("    log.info(\"{n}\");"),
            |n, _| format!("Subject: Re: {n} of ERROR reports"),
            |n, _| format!("$ make target{n}"),
            |n, _| format!("{n}\n00:00:{n:02},000 --> 00:00:{n:02},900\nSomebody speaks here\nand another one {n}\n"),
            |n, _| format!("QUJD{n}QUJD"),
            |n, _| format!("* 2026-11-20: release {n}, which is {}", "better ".repeat(n)),
            |n, w| format!("ERROR_CODE_{n} = {}", w[n % 7]),
        ];
        for form in forms {
            let text = of(|n| form(n, &words)).join("\n");
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            assert!(!known(&lines), "{}", lines[1]);
        }
    }
}
