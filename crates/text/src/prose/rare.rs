//! Lines unlike the others: the one state among many alike, which no word may call an error.

use std::collections::HashSet;

use super::listing;
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
/// As many lines at both ends are shown anyway.
const ENDS: usize = 8;

/// The lines that are not blank, each of a kind, and how many there are of each kind.
struct Kinds {
    filled: Vec<usize>,
    kind_of: Vec<usize>,
    counts: Vec<usize>,
}

/// The lines that are not blank.
fn filled(lines: &[&str]) -> Vec<usize> {
    (0..lines.len().min(MOST_LINES)).filter(|&at| !lines[at].trim_start().is_empty()).collect()
}

/// The kinds of lines; `None` if most are not alike, or if they are too few.
fn kinds(lines: &[&str]) -> Option<Kinds> {
    let filled = filled(lines);
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

/// The lines unlike the others: those with the largest values of a listing, then one of each kind before a second.
pub fn of(lines: &[&str]) -> Vec<usize> {
    let filled = filled(lines);
    let mut found = listing::largest(lines, &filled);
    if let Some(Kinds { filled, kind_of, counts }) = kinds(lines) {
        let mut seen = vec![false; counts.len()];
        let between = ENDS..filled.len() - ENDS;
        let says_something = |at: usize| lines[at].contains(char::is_alphanumeric);
        let rare = between
            .map(|nth| (filled[nth], kind_of[nth]))
            .filter(|(at, kind)| counts[*kind] * RARE <= filled.len() && says_something(*at));
        let (first, others): (Vec<_>, Vec<_>) = rare.partition(|(_, kind)| !std::mem::replace(&mut seen[*kind], true));
        if first.len() + others.len() <= MOST_RARE {
            found.extend(first.into_iter().chain(others).map(|(at, _)| at));
        }
    }
    let mut seen = HashSet::new();
    found.retain(|at| seen.insert(*at));
    found
}

#[cfg(test)]
mod tests {
    use super::of;

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
