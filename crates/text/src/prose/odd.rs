//! The lines that say most beyond the others: the one state among many, the largest and the newest, the only line of its form.
//!
//! Lines of as many words, or with the same first word, are compared word by word ([`surprise`](crate::surprise)), and numbers with
//! all others behind the same label: `migrated (0.04s)`, `'loss': 9.77`, `rq_error::21744`.

use std::cmp::Reverse;
use std::collections::HashSet;

use crate::hash::{ByHash, mixed};
use crate::surprise::{Numbers, Odd, Values, Why};
use crate::values::moment::Moment;
use crate::values::quantity::{self, Quantity, spelling};

/// Fewer lines are seen at once.
const LEAST_LINES: usize = 24;
/// More lines are not compared, nor more words of each.
const MOST_LINES: usize = 1 << 16;
const WORDS: usize = 16;
/// Fewer lines are not a table of their own.
const LEAST_ALIKE: usize = 8;
/// A shorter word is no label of numbers.
const LEAST_LABEL: usize = 2;
/// The least tenths of the words of a column that are numbers or times.
const NUMBER_TENTHS: usize = 9;

/// A word or a text by its bytes, and by its form: without its digits.
pub fn hashes(word: &str) -> (u64, u64) {
    let (mut own, mut masked, mut in_digits) = (word.len() as u64, 0, false);
    for byte in word.bytes() {
        own = (own ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let is_digit = byte.is_ascii_digit();
        if !(is_digit && in_digits) {
            let shown = if is_digit { b'0' } else { byte };
            masked = (masked ^ u64::from(shown)).wrapping_mul(0x0100_0000_01b3);
        }
        in_digits = is_digit;
    }
    (mixed(own, 0), mixed(masked, 0))
}

/// The words of a column.
#[derive(Default)]
struct Column {
    cells: usize,
    own: Option<Values>,
    masked: Option<Values>,
    numbers: Option<Numbers>,
}

impl Column {
    fn new() -> Self {
        Self {
            cells: 0,
            own: Some(Values::default()),
            masked: Some(Values::default()),
            numbers: Some(Numbers::default()),
        }
    }

    /// Notes the word of a line, of `lines`; `text` is the line from it on.
    fn note(&mut self, at: usize, word: &str, text: &str, lines: usize) {
        self.cells += 1;
        if self.own.is_some() || self.masked.is_some() {
            let (own, masked) = hashes(word);
            Values::note_of(&mut self.own, at, own, lines);
            Values::note_of(&mut self.masked, at, masked, lines);
        }
        if let Some(numbers) = &mut self.numbers {
            if let Some(value) = value(text) {
                numbers.note(at, value);
            } else if (self.cells - numbers.len()) * 10 > lines * (10 - NUMBER_TENTHS) {
                self.numbers = None;
            }
        }
    }

    fn odd(self) -> impl Iterator<Item = Odd> {
        let values = [self.own, self.masked].into_iter().flatten().flat_map(|values| values.odd());
        values.chain(self.numbers.into_iter().flat_map(Numbers::odd))
    }
}

/// The lines that are least like the others first.
pub fn of(lines: &[&str]) -> Vec<usize> {
    let filled: Vec<usize> =
        (0..lines.len().min(MOST_LINES)).filter(|&at| lines[at].contains(char::is_alphanumeric)).collect();
    if filled.len() < LEAST_LINES {
        return Vec::new();
    }
    let mut found: Vec<Odd> = Vec::new();
    // How many lines have the same words at the start.
    let mut alike: ByHash<usize> = ByHash::default();
    let (mut layouts, mut firsts) = (Values::default(), Values::default());
    let keys: Vec<(u64, u64)> = filled.iter().map(|&at| keys(lines[at])).collect();
    for (&at, &(count, first)) in filled.iter().zip(&keys) {
        layouts.note(at, count);
        firsts.note(at, first);
        *alike.entry(first).or_default() += 1;
    }
    found.extend(layouts.odd().into_iter().chain(firsts.odd()));
    // The narrower table first.
    let mut tables: ByHash<Vec<usize>> = ByHash::default();
    for (&at, &(count, first)) in filled.iter().zip(&keys) {
        tables.entry(if alike[&first] >= LEAST_ALIKE { first } else { count }).or_default().push(at);
    }
    for table in tables.values().filter(|table| table.len() >= LEAST_ALIKE) {
        let mut columns: Vec<Column> = (0..WORDS).map(|_| Column::new()).collect();
        for &at in table {
            let line = lines[at];
            for (column, word) in columns.iter_mut().zip(words(line)) {
                column.note(at, word, &line[word.as_ptr() as usize - line.as_ptr() as usize..], table.len());
            }
        }
        found.extend(columns.into_iter().flat_map(Column::odd));
    }
    let labelled = labelled(lines, &filled).into_values().filter(|all| all.len() >= LEAST_ALIKE);
    // Of many labels some number is the largest.
    found.extend(labelled.flat_map(Numbers::odd).filter(|odd| odd.why != Why::Extreme));
    found.sort_unstable_by_key(|odd| (Reverse(odd.bits), odd.row));
    let mut seen = HashSet::new();
    found.into_iter().map(|odd| odd.row).filter(|at| seen.insert(*at)).collect()
}

/// The numbers of some lines by their labels: the words before them.
fn labelled(lines: &[&str], filled: &[usize]) -> ByHash<Numbers> {
    let mut labels: ByHash<Numbers> = ByHash::default();
    for &at in filled {
        let line = lines[at];
        let starts = line.match_indices(|c: char| c.is_ascii_digit()).map(|(start, _)| start);
        let mut end = 0;
        for start in
            starts.filter(|&start| !line[..start].ends_with(|c: char| c.is_alphanumeric() || "._-".contains(c)))
        {
            let label = line[end..start].trim_end_matches(|c: char| !c.is_alphanumeric());
            let word = label.rsplit(|c: char| !c.is_alphabetic() && !"_-.".contains(c)).next().unwrap_or_default();
            end = start + 1;
            if word.len() >= LEAST_LABEL
                && let Some(value) = value(&line[start..])
            {
                labels.entry(hashes(word).0).or_default().note(at, value);
            }
        }
    }
    labels
}

/// The words of a line, of which a label that ends with a colon or an equals sign is the first: `STATUS:CONFIRMED`.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let line = line.trim_start();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let end = line.find(|c| !is_part(c)).unwrap_or(line.len());
    let is_label = line[end..].starts_with([':', '=']) && line.starts_with(char::is_alphabetic);
    let (label, rest) = if is_label { line.split_at(end + 1) } else { ("", line) };
    Some(label).filter(|label| !label.is_empty()).into_iter().chain(rest.split_whitespace())
}

/// The number of the words of a line, and the same with its first word and its margin.
fn keys(line: &str) -> (u64, u64) {
    let count = words(line).take(WORDS + 1).count() as u64;
    let margin = (line.len() - line.trim_start().len()) as u64;
    let first = words(line).next().map_or(0, |word| hashes(word).1);
    let count = mixed(count, margin);
    (count, mixed(count, first))
}

/// The number that a text begins with in the base of its unit, or the seconds of its time, whose next word may be the time of the day.
pub fn value(text: &str) -> Option<f64> {
    let (whole, rest) = text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()));
    if !whole.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let next = rest.split_whitespace().next();
    // `size=81.9 KiB,` has its name before it and its unit behind it.
    let bare = |word: &'_ str| word.trim_end_matches(|c: char| c.is_ascii_punctuation() && c != '%').len();
    let word = &whole[..bare(whole)];
    let word = word.rsplit_once('=').map_or(word, |(_, value)| value);
    if let Some(quantity) = Quantity::parse(word) {
        let next = next.map_or("", |next| &next[..bare(next)]);
        let unit = if quantity.unit.is_empty() { next } else { quantity.unit };
        let factor = quantity::bytes_of(unit).or_else(|| quantity::seconds_of(unit)).unwrap_or(1.0);
        let spelled = [spelling::THOUSANDS, spelling::COMMA].into_iter().find(|way| quantity.spellings & way > 0)?;
        return Some(quantity.value(spelled) * factor);
    }
    if let Some(seconds) = duration(word) {
        return Some(seconds);
    }
    let offset = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let with_time = next.filter(|next| next.contains(':')).map(|next| &text[offset(word)..offset(next) + next.len()]);
    let moment = with_time.and_then(Moment::parse).or_else(|| Moment::parse(word));
    let (seconds, nanoseconds) = moment.filter(Moment::is_dated)?.instant();
    #[expect(clippy::cast_precision_loss, reason = "seconds since 1970 are far below 2^53")]
    Some(seconds as f64 + f64::from(nanoseconds) / 1e9)
}

/// The seconds of a duration in the form of a clock: `00:00:50`, `12:03.5`.
fn duration(word: &str) -> Option<f64> {
    let mut parts =
        word.split(':').map(|part| part.parse::<f64>().ok().filter(|_| part.starts_with(|c: char| c.is_ascii_digit())));
    let first = parts.next()??;
    let seconds = parts.try_fold(first, |sum, part| Some(sum * 60.0 + part?))?;
    word.contains(':').then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::of;

    fn odd(text: &str) -> Vec<usize> {
        of(&text.lines().collect::<Vec<_>>())
    }

    #[test]
    fn the_one_state_among_many_is_first() {
        let pods: String = (0..80)
            .map(|n| format!("web-{n}   1/1   {}\n", if n % 40 == 17 { "CrashLoop  3" } else { "Running    0" }))
            .collect();
        assert_eq!(odd(&pods)[..2], [17, 57]);
        let changed: String = (0..60).map(|n| format!(" M dir{n}/a.txt\n")).collect();
        assert_eq!(odd(&(changed.clone() + "?? new.txt\n D old.txt\n" + &changed))[..2], [60, 61]);
    }

    #[test]
    fn lines_of_one_label_are_compared_with_each_other() {
        let taint = |n: usize| if n == 11 { "disk-pressure" } else { "<none>" };
        let nodes: String =
            (0..40).map(|n| format!("Name: node-{n}\nZone: {}\nTaints: {}\n\n", n % 3, taint(n))).collect();
        assert_eq!(odd(&nodes)[0], 11 * 4 + 2);
    }

    #[test]
    fn the_largest_and_the_newest_of_each_column_come_before_the_second() {
        let mixed = |n: usize| (n * 37) % 80;
        let sizes: String = (0..80).map(|n| format!("f{n} {} {}\n", mixed(n), 79 - mixed(n))).collect();
        let first: Vec<usize> = odd(&sizes)[..2].to_vec();
        assert!(first.contains(&67) && first.contains(&0), "{first:?}");
        let units: String = (0..80)
            .map(|n| format!("{} d{n}\n", if n == 33 { "1.2G".to_owned() } else { format!("{}K", 900 + n % 9) }))
            .collect();
        assert_eq!(odd(&units)[0], 33);
        let times: String =
            (0..80).map(|n| format!("2026-11-20 10:00:{:02} a{n}\n", if n == 40 { 59 } else { n * 5 % 7 })).collect();
        assert_eq!(odd(&times)[0], 40);
    }

    #[test]
    fn lines_that_all_differ_or_are_in_order_have_none() {
        let words = ["sun", "moon", "star", "wind", "rain"];
        let prose: String =
            (0..80).map(|n| format!("The {} and a {} are {}.\n", words[n % 5], words[n % 4], words[n % 3])).collect();
        let names: String = (0..80).map(|n| format!("{}{}\n", ["ann", "bob", "eve"][n % 3], "x".repeat(n))).collect();
        let ordered: String = (0..80).map(|n| format!("{} dir{n}\n", n * n)).collect();
        let hashes: String = (0..80).map(|n| format!("{n:040x} name{n} 007\n")).collect();
        for text in [&prose, &names, &ordered, &hashes] {
            assert_eq!(odd(text), [], "{text}");
        }
    }

    #[test]
    fn a_number_far_from_all_others_behind_its_label_is_odd() {
        let steps: String = (0..60)
            .map(|n| {
                let seconds = if n == 41 { "1187.4402".to_owned() } else { format!("0.0{}", 10 + n % 7) };
                format!("== Step{n}{}: migrated ({seconds}s) ==\n", "x".repeat(n % 5))
            })
            .collect();
        assert_eq!(odd(&steps)[0], 41);
        let stats: String = (0..40)
            .flat_map(|n| ["cx_total", "rq_error"].map(|name| (n, name)))
            .map(|(n, name)| {
                format!(
                    "10.0.0.{n}:9090::{name}::{}\n",
                    if (n, name) == (17, "rq_error") { 21_744 } else { n * 7 % 11 }
                )
            })
            .collect();
        assert_eq!(odd(&stats)[0], 35);
    }
}
