//! Lines unlike the others: the one state among many alike, which no word may call an error.

use std::collections::HashSet;

use super::template::masked;
use crate::by_hash::{ByHash, hash};

/// Fewer lines are seen at once.
const LEAST_LINES: usize = 24;
/// More lines are not compared.
const MOST_LINES: usize = 1 << 16;
/// Lines are usual if at least this many are alike; of the others there are at most 1/n.
const USUAL: usize = 8;
const OTHERS: usize = 5;
/// Rare are those of which there are at most 1/n. More than this many are not rare.
const RARE: usize = 30;
const MOST_RARE: usize = 24;
/// A number is an outlier if it is this many times as large as nine tenths of its column, and a share if it is as near to all.
const TIMES: f64 = 10.0;
const ALL: f64 = 100.0;
const MOST_TENTHS: usize = 9;
/// Columns that are compared, and lines that are shown for their numbers.
const COLUMNS: usize = 12;
const MOST_LARGE: usize = 3;
/// As many lines at both ends are shown anyway.
const ENDS: usize = 8;

/// The lines that are not blank, each of a kind, and how many there are of each kind.
struct Kinds {
    filled: Vec<usize>,
    kind_of: Vec<usize>,
    counts: Vec<usize>,
}

/// The kinds of lines; `None` if most are not alike, or if they are too few.
fn kinds(lines: &[&str]) -> Option<Kinds> {
    let filled: Vec<usize> =
        (0..lines.len().min(MOST_LINES)).filter(|&at| !lines[at].trim_start().is_empty()).collect();
    if filled.len() < LEAST_LINES {
        return None;
    }
    let mut kinds = ByHash::default();
    let mut counts: Vec<usize> = Vec::new();
    let mut kind_of = Vec::with_capacity(filled.len());
    for &at in &filled {
        let words: Vec<&str> = lines[at].split_whitespace().collect();
        let key = hash(masked(&words.join(" ")).as_bytes());
        let kind = kinds.get(key, |_| true).unwrap_or_else(|| {
            kinds.insert(key, counts.len());
            counts.push(0);
            counts.len() - 1
        });
        counts[kind] += 1;
        kind_of.push(kind);
    }
    let usual: usize = counts.iter().filter(|&&count| count >= USUAL).sum();
    let are_alike = (filled.len() - usual) * OTHERS <= filled.len();
    are_alike.then_some(Kinds { filled, kind_of, counts })
}

/// Whether the last line is unlike the others.
pub fn is_last(lines: &[&str]) -> bool {
    kinds(lines).is_some_and(|Kinds { filled, kind_of, counts }| {
        kind_of.last().is_some_and(|&kind| counts[kind] * RARE <= filled.len())
    })
}

/// The lines unlike the others: those with a number far larger, then one of each kind before a second; none if no lines are
/// alike, or too few.
pub fn of(lines: &[&str]) -> Vec<usize> {
    let Some(Kinds { filled, kind_of, counts }) = kinds(lines) else { return Vec::new() };
    let mut seen = vec![false; counts.len()];
    let between = ENDS..filled.len() - ENDS;
    let says_something = |at: usize| lines[at].contains(char::is_alphanumeric);
    let rare = between
        .map(|nth| (filled[nth], kind_of[nth]))
        .filter(|(at, kind)| counts[*kind] * RARE <= filled.len() && says_something(*at));
    let (first, others): (Vec<_>, Vec<_>) = rare.partition(|(_, kind)| !std::mem::replace(&mut seen[*kind], true));
    let mut found = large(lines, &filled);
    if first.len() + others.len() <= MOST_RARE {
        found.extend(first.into_iter().chain(others).map(|(at, _)| at));
    }
    let mut seen = HashSet::new();
    found.retain(|at| seen.insert(*at));
    found
}

/// The lines that have a number far larger than the others in its column, the largest first.
fn large(lines: &[&str], filled: &[usize]) -> Vec<usize> {
    let mut columns: Vec<Vec<(f64, usize)>> = vec![Vec::new(); COLUMNS];
    let (mut cells, mut shares) = ([0; COLUMNS], [0; COLUMNS]);
    for &at in filled {
        for (column, word) in lines[at].split_whitespace().take(COLUMNS).enumerate() {
            cells[column] += 1;
            shares[column] += usize::from(word.ends_with('%'));
            columns[column].extend(amount(word).map(|number| (number, at)));
        }
    }
    let mut found = Vec::new();
    for (nth, mut column) in columns.into_iter().enumerate() {
        if column.len() * 10 < cells[nth] * MOST_TENTHS || column.len() < LEAST_LINES {
            continue;
        }
        column.sort_by(|one, other| other.0.total_cmp(&one.0));
        let usual = column[column.len() - column.len() * MOST_TENTHS / 10].0.max(1.0);
        let is_share = shares[nth] * 10 >= cells[nth] * MOST_TENTHS;
        let is_full = |number: f64| is_share && number <= ALL && (ALL - number) * TIMES <= ALL - usual;
        let outliers = column.iter().take_while(|(number, _)| *number > TIMES * usual || is_full(*number));
        found.extend(outliers.take(MOST_LARGE).map(|(_, at)| *at));
    }
    found
}

/// The number that a word is, with a unit at most: `98G`, `13%`.
fn amount(word: &str) -> Option<f64> {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let number: f64 = word[..word.len() - unit.len()].parse().ok()?;
    let thousands = match unit.strip_suffix('B').unwrap_or(unit).strip_suffix('i').unwrap_or(unit) {
        "" | "%" => 0,
        "K" | "k" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        _ => return None,
    };
    Some(number * 1000_f64.powi(thousands))
}

#[cfg(test)]
mod tests {
    use super::{is_last, of};

    fn rare(text: &str) -> Vec<usize> {
        of(&text.lines().collect::<Vec<_>>())
    }

    #[test]
    fn the_one_state_among_many_is_rare() {
        let pods: String = (0..80)
            .map(|n| format!("web-{n}   1/1   {}\n", if n % 40 == 17 { "CrashLoop  3" } else { "Running    0" }))
            .collect();
        assert_eq!(rare(&pods), [17, 57]);
        let changed: String = (0..60).map(|n| format!(" M dir{n}/a.txt\n")).collect();
        assert_eq!(rare(&(changed.clone() + "?? new.txt\n D old.txt\n" + &changed)), [60, 61]);
    }

    #[test]
    fn a_last_line_may_be_unlike_the_others() {
        let objects: String = (0..80).map(|n| format!("  CC  obj/t{n}-error.o\n")).collect();
        let titles: String = (0..80).map(|n| format!("{} words\n", "many ".repeat(n))).collect();
        for (text, is_unlike) in [(objects.clone() + "built everything\n\n", true), (objects, false), (titles, false)] {
            assert_eq!(is_last(&text.lines().collect::<Vec<_>>()), is_unlike, "{text}");
        }
    }

    #[test]
    fn a_number_far_larger_than_the_others_stands_out() {
        let sizes: String =
            (0..80).map(|n| format!("{}\t./dir{n}\n", if n == 33 { 9_000_000 } else { 4 + n % 9 })).collect();
        assert_eq!(rare(&sizes), [33]);
        let disks: String =
            (0..80).map(|n| format!("/dev/sd{n}  98G  {}%\n", if n == 2 { 99 } else { 30 + n % 40 })).collect();
        assert_eq!(rare(&disks), [2]);
        let idle: String = (0..80).map(|n| format!("cpu{n}  {}.5%\n", 98 + n % 2)).collect();
        assert_eq!(rare(&idle), []);
        let long: String = (0..9)
            .map(|n| {
                format!("d{n}:\ntotal 9\n") + &format!("-rw 1 {} a\n", if n == 5 { "2.5M" } else { "900" }).repeat(4)
            })
            .collect();
        assert_eq!(rare(&long)[0] / 6, 5);
        let ids: String = (0..80).map(|n| format!("{} dir{n}\n", n * n)).collect();
        assert_eq!(rare(&ids), []);
    }

    #[test]
    fn lines_that_all_differ_have_none() {
        let words = ["sun", "moon", "star", "wind", "rain"];
        let prose: String =
            (0..80).map(|n| format!("The {} and a {} are {}.\n", words[n % 5], words[n % 4], words[n % 3])).collect();
        let names: String = (0..80).map(|n| format!("{}{}\n", ["ann", "bob", "eve"][n % 3], "x".repeat(n))).collect();
        for text in [&prose, &names] {
            assert_eq!(rare(text), [], "{text}");
        }
        // The ends are shown anyway.
        assert_eq!(rare(&("fn a() {\n    b();\n}\n".repeat(40) + "fn other() {\n    c();\n}\n")), []);
    }
}
