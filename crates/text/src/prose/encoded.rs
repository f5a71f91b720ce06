//! Bytes that a text spells, as base64 (RFC 4648) and hex: nobody reads them, and so a reader is shown where they are and how
//! many.

use std::ops::Range;

use memchr::memchr_iter;

/// A shorter run is a word, a hash or a token.
const LEAST: usize = 256;
/// Each run of at least [`LEAST`] digits has a digit at each multiple of this number of bytes.
const STRIDE: usize = LEAST / 2;
/// The digits of a run that stay, enough to recognize a format by its first bytes.
const KEPT: usize = 32;
/// Lines of a letter (RFC 2045) and of a key (RFC 7468) have 76 and 64 digits.
const WIDTHS: Range<usize> = 48..128;
/// The most bytes between two lines of a run.
const MOST_BETWEEN: usize = 16;
/// A shorter dump is read.
const LEAST_DUMPED: usize = 8;
/// The lines of a dump that stay.
const KEPT_DUMPED: usize = 2;

/// A text whose encoded bytes are shortened.
#[derive(Debug)]
pub struct Shortened {
    pub text: String,
    /// Whether encoded bytes are, and not lines that were written over.
    pub has_bytes: bool,
    /// The lines that are left out: after which line of the text, counted from 0, and how many.
    left_out: Vec<(usize, usize)>,
}

impl Shortened {
    /// A text in which nothing is shortened.
    pub fn nowhere(text: String) -> Self {
        Self { text, has_bytes: false, left_out: Vec::new() }
    }

    /// The same of a text that has as many lines.
    #[must_use]
    pub fn with(&self, text: &str) -> Self {
        Self { text: text.to_owned(), has_bytes: self.has_bytes, left_out: self.left_out.clone() }
    }

    /// The line of the original that a line of the text is, both counted from 0.
    pub fn line(&self, line: usize) -> usize {
        line + self.left_out.iter().filter(|(after, _)| *after < line).map(|(_, lines)| lines).sum::<usize>()
    }
}

/// The text with its long base64, hex digits and hex dumps shortened; `None` if that saves less than an eighth of it. With
/// `keeps_lines`, what has several lines stays.
pub fn shortened(text: &str, keeps_lines: bool) -> Option<Shortened> {
    let mut parts = runs(text.as_bytes());
    let lines_of = |part: &Range<usize>| memchr_iter(b'\n', &text.as_bytes()[part.clone()]).count();
    if keeps_lines {
        parts.retain(|(part, _)| lines_of(part) == 0);
    } else {
        let dumps = dumps(text);
        parts.retain(|(part, _)| !dumps.iter().any(|(dump, _)| dump.start < part.end && part.start < dump.end));
        parts.extend(dumps);
        parts.sort_unstable_by_key(|(part, _)| part.start);
    }
    let saved: usize = parts.iter().map(|(part, _)| part.len()).sum();
    if saved < (text.len() / 8).max(LEAST) {
        return None;
    }
    let (mut out, mut left_out, mut from, mut line) = (String::new(), Vec::new(), 0, 0);
    for (part, what) in &parts {
        out.push_str(&text[from..part.start]);
        line += lines_of(&(from..part.start));
        left_out.extend(Some((line, lines_of(part))).filter(|(_, lines)| *lines > 0));
        out.push('…');
        out.push_str(what);
        out.push('…');
        from = part.end;
    }
    out.push_str(&text[from..]);
    Some(Shortened { text: out, has_bytes: true, left_out })
}

/// What is left out of each run of digits, and its description.
fn runs(bytes: &[u8]) -> Vec<(Range<usize>, String)> {
    let (mut found, mut at, mut free) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        if !is_digit(&bytes[at]) {
            at += STRIDE;
            continue;
        }
        let run = run_at(bytes, at, free);
        free = run.end;
        at = run.end.max(at + STRIDE);
        if let Some(name) = (run.len() >= LEAST).then(|| name_of(&bytes[run.clone()])).flatten() {
            let rest = run.start + KEPT..run.end;
            found.push((rest.clone(), format!("{} more characters of {name}", rest.len())));
        }
    }
    found
}

/// The run of digits around a place, from `free` on: one line, or lines of one width.
fn run_at(bytes: &[u8], at: usize, free: usize) -> Range<usize> {
    let back = bytes[free..at].iter().rev().take_while(|byte| is_digit(byte)).count();
    let (mut start, mut end) = (at - back, digits_end(bytes, at));
    let width = end - start;
    if !WIDTHS.contains(&width) {
        return start..padded(bytes, end);
    }
    let between = match between(&bytes[end..]) {
        [] => last_between(&bytes[..start]),
        between => between,
    };
    if between.is_empty() {
        return start..padded(bytes, end);
    }
    // The lines before: none is shorter.
    while let Some(before) = start.checked_sub(between.len() + width).filter(|before| *before >= free) {
        let (line, after) = bytes[before..start].split_at(width);
        if after != between || !line.iter().all(is_digit) {
            break;
        }
        start = before;
    }
    while bytes[end..].starts_with(between) {
        let next = end + between.len();
        let line = digits_end(bytes, next) - next;
        if line == 0 || line > width {
            break;
        }
        end = next + line;
        if line < width {
            break;
        }
    }
    start..padded(bytes, end)
}

/// What comes between two lines of a run, from the end of one on: a line break and what indents, quotes or joins lines, or the backslash
/// of an escaped one, whose `n` counts as a digit of the next line.
fn between(rest: &[u8]) -> &[u8] {
    let len = rest.iter().take(MOST_BETWEEN).take_while(|byte| !is_digit(byte)).count();
    if is_between(&rest[..len]) { &rest[..len] } else { &[] }
}

/// The same that ends where a line begins.
fn last_between(before: &[u8]) -> &[u8] {
    let len = before.iter().rev().take(MOST_BETWEEN).take_while(|byte| !is_digit(byte)).count();
    let between = &before[before.len() - len..];
    if is_between(between) { between } else { &[] }
}

fn is_between(bytes: &[u8]) -> bool {
    // A comma parts the items of a list.
    bytes == b"\\" || memchr_iter(b'\n', bytes).count() == 1 && !bytes.contains(&b',')
}

fn digits_end(bytes: &[u8], from: usize) -> usize {
    from + bytes[from..].iter().take_while(|byte| is_digit(byte)).count()
}

fn padded(bytes: &[u8], end: usize) -> usize {
    end + bytes[end..].iter().take(2).take_while(|byte| **byte == b'=').count()
}

/// The digits of base64 and of base64url.
fn is_digit(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(*byte, b'+' | b'/' | b'-' | b'_')
}

/// What a run is, if its start has as many kinds of digits as bytes have: a path, an identifier and repeated letters have not.
fn name_of(run: &[u8]) -> Option<&'static str> {
    let start = &run[..run.len().min(2 * LEAST)];
    let count = |is: fn(&u8) -> bool| start.iter().filter(|byte| is(byte)).count();
    let mut seen = [false; 256];
    start.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    let kinds = seen.iter().filter(|seen| **seen).count();
    let numerals = count(u8::is_ascii_digit);
    let is_hex = |byte: &u8| byte.is_ascii_hexdigit() || matches!(byte, b'\n' | b'\r' | b' ');
    if kinds >= 12 && numerals * 4 >= start.len() && numerals * 8 <= start.len() * 7 && start.iter().all(is_hex) {
        return Some("hex");
    }
    let marks = count(|byte| matches!(byte, b'+' | b'/' | b'-' | b'_'));
    let (upper, lower) = (count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase));
    let is_mixed = numerals > 0 && upper.min(lower) * 8 >= start.len() && marks * 10 <= start.len();
    (kinds >= 24 && is_mixed).then_some("base64")
}

/// What is left out of each hex dump, as `xxd` and `hexdump -C` write it, and its description.
fn dumps(text: &str) -> Vec<(Range<usize>, String)> {
    let (mut found, mut dump, mut at) = (Vec::new(), Dump::default(), 0);
    for line in text.split_inclusive('\n') {
        let address = address_of(line);
        if !address.is_some_and(|address| dump.follows(address)) {
            found.extend(std::mem::take(&mut dump).left_out());
        }
        if let Some(address) = address {
            dump.lines += 1;
            dump.address = address;
            dump.rest.end = at + line.trim_end().len();
            if dump.lines <= KEPT_DUMPED {
                dump.rest.start = at + line.len();
            }
        }
        at += line.len();
    }
    found.extend(dump.left_out());
    found
}

/// The lines of a dump so far.
#[derive(Default)]
struct Dump {
    lines: usize,
    /// The address of the last line.
    address: u64,
    /// The lines after those that stay.
    rest: Range<usize>,
}

impl Dump {
    /// Whether a line with this address is the next.
    fn follows(&self, address: u64) -> bool {
        self.lines == 0 || matches!(address.checked_sub(self.address), Some(8 | 16 | 32))
    }

    fn left_out(self) -> Option<(Range<usize>, String)> {
        let more = self.lines.checked_sub(KEPT_DUMPED).filter(|_| self.lines >= LEAST_DUMPED)?;
        Some((self.rest, format!("{more} more lines of a hex dump")))
    }
}

/// The address of a line that is one, followed by bytes in hex.
fn address_of(line: &str) -> Option<u64> {
    let mut words = line.split_ascii_whitespace();
    let is_hex = |word: &str| word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let address = words.next()?.trim_end_matches(':');
    let is_address = (4..=16).contains(&address.len()) && is_hex(address);
    let is_dumped = is_address && words.take_while(|word| matches!(word.len(), 2 | 4 | 8) && is_hex(word)).count() >= 4;
    is_dumped.then(|| u64::from_str_radix(address, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::shortened;

    /// Digits as bytes have them.
    fn base64(chars: usize) -> String {
        let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut state = 7_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(digits[(state >> 26) as usize])
        };
        (0..chars).map(|_| next()).collect()
    }

    fn text_of(text: &str) -> String {
        shortened(text, false).map_or_else(|| "as it is".to_owned(), |short| short.text)
    }

    #[test]
    fn long_runs_are_shortened_where_they_stand() {
        let run = base64(1000);
        let wanted = format!("{}…968 more characters of base64…", &run[..32]);
        for (before, after) in
            [("", ""), ("Chart: ![x](data:image/png;base64,", ") and é\n"), ("a\n\n", "\nb"), ("é\"", "\"")]
        {
            assert_eq!(text_of(&format!("{before}{run}{after}")), format!("{before}{wanted}{after}"));
        }
        let padded = format!("x: {}== y", base64(998));
        assert!(text_of(&padded).ends_with("…968 more characters of base64… y"));
        let url_safe = run.replace('+', "-").replace('/', "_");
        assert!(text_of(&url_safe).ends_with("…968 more characters of base64…"));
        let hex: String = base64(500).bytes().map(|byte| format!("{:02x}", byte.wrapping_mul(31))).collect();
        assert_eq!(text_of(&format!("sum {hex}.")), format!("sum {}…968 more characters of hex….", &hex[..32]));
    }

    #[test]
    fn lines_of_one_width_are_one_run() {
        for (width, line_break) in [(76, "\r\n"), (64, "\n"), (64, "\n    "), (76, "\n> "), (60, "\"\n  \"")] {
            let run = base64(1000);
            let lines: Vec<&str> = run.as_bytes().chunks(width).map(|line| str::from_utf8(line).unwrap()).collect();
            let mail = format!("Content-Transfer-Encoding: base64\n\n{}==\n\n--end", lines.join(line_break));
            let short = shortened(&mail, false).unwrap();
            // The lines after it have their numbers.
            let (end, of_mail) = (short.text.lines().count() - 1, mail.lines().count() - 1);
            assert_eq!([0, 1, 2, end].map(|line| short.line(line)), [0, 1, 2, of_mail]);
            assert!(shortened(&mail, true).is_none());
            assert!(
                short.text.starts_with(&format!("Content-Transfer-Encoding: base64\n\n{}…", &run[..32])),
                "{}",
                short.text
            );
            assert!(short.text.ends_with("characters of base64…\n\n--end"), "{}", short.text);
        }
    }

    #[test]
    fn lines_with_escaped_breaks_are_one_run() {
        let run = base64(1000);
        let lines: Vec<&str> = run.as_bytes().chunks(64).map(|line| str::from_utf8(line).unwrap()).collect();
        let short = text_of(&format!("key: \"{}\"\nend", lines.join("\\n")));
        assert!(short.len() < 250 && short.ends_with(" more characters of base64…\"\nend"), "{short}");
    }

    #[test]
    fn dumps_are_shortened() {
        let xxd: String = (0..40)
            .map(|at| format!("{:08x}: 4865 6c6c 6f20 776f 726c 640a 4865 6c6c  Hello world.Hell\n", at * 16))
            .collect();
        let canonical: String = (0..40)
            .map(|at| {
                format!("{:08x}  48 65 6c 6c 6f 20 77 6f  72 6c 64 0a 48 65 6c 6c  |Hello world.Hell|\n", at * 16)
            })
            .collect();
        for dump in [xxd, canonical] {
            let short = text_of(&format!("Packet:\n{dump}done\n"));
            assert!(short.starts_with("Packet:\n00000000"), "{short}");
            assert!(short.ends_with("…38 more lines of a hex dump…\ndone\n"), "{short}");
        }
    }

    #[test]
    fn what_is_read_stays() {
        let words = "The quick brown fox jumps over 13 lazy dogs. ".repeat(100);
        let path = format!("{}x", "Users/Ann-Lee/Projects_2026/src/".repeat(20));
        let numbers: String = (0..90).map(|at| format!("{} 1200 1300 1400 1500 1600\n", 1000 + at)).collect();
        let digests = "1f8b 9c0de2b47aa1 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n".repeat(20);
        for text in [&words, &path, &numbers, &"a".repeat(5000), &"0123456789".repeat(100), &digests] {
            assert_eq!(text_of(text), "as it is", "{}", &text[..50]);
        }
        // One token in a long text does not change how the text is shown.
        assert_eq!(text_of(&format!("{words}{}", base64(300))), "as it is");
    }
}
