//! Lines unlike the others: the one state among many alike, which no word may call an error.

use std::collections::HashSet;

use super::listing;
use super::template::{Templates, masked};
use crate::by_hash::{ByHash, hash};

/// Fewer lines are seen at once.
const LEAST_LINES: usize = 24;
/// More lines are not compared.
const MOST_LINES: usize = 1 << 16;
/// Lines are usual if at least this many are alike; of the others there are at most 1/n.
const USUAL: usize = 8;
const OTHERS: usize = 5;
/// Rare are those of which there are at most 1/n.
const RARE: usize = 30;
/// As many lines at both ends are shown anyway.
const ENDS: usize = 8;

/// The lines that are not blank, each of a kind, and how many there are of each kind.
struct Kinds {
    filled: Vec<usize>,
    kind_of: Vec<u32>,
    counts: Vec<usize>,
}

impl Kinds {
    fn of(kind_of: Vec<u32>, filled: Vec<usize>) -> Self {
        let mut counts = vec![0; kind_of.iter().max().map_or(0, |&last| last as usize + 1)];
        kind_of.iter().for_each(|&kind| counts[kind as usize] += 1);
        Self { filled, kind_of, counts }
    }

    /// Whether most lines are of usual kinds.
    fn are_alike(&self) -> bool {
        let usual: usize = self.counts.iter().filter(|&&count| count >= USUAL).sum();
        (self.filled.len() - usual) * OTHERS <= self.filled.len()
    }
}

fn by_template(lines: &[&str], filled: Vec<usize>) -> Kinds {
    Kinds::of(Templates::of(filled.iter().map(|&at| (lines[at], ""))).of_line, filled)
}

/// A number for each line, the same for those that differ in numbers and white space alone.
fn by_mask(lines: &[&str], filled: &[usize]) -> Vec<u32> {
    let mut kinds = ByHash::default();
    let mut total = 0;
    let kind = |&at: &usize| {
        let words: Vec<&str> = lines[at].split_whitespace().collect();
        let key = hash(masked(&words.join(" ")).as_bytes());
        kinds.get(key, |_| true).unwrap_or_else(|| {
            kinds.insert(key, total);
            total += 1;
            total - 1
        }) as u32
    };
    filled.iter().map(kind).collect()
}

/// The lines that are not blank.
fn filled(lines: &[&str]) -> Vec<usize> {
    (0..lines.len().min(MOST_LINES)).filter(|&at| !lines[at].trim_start().is_empty()).collect()
}

/// The kinds of lines: they differ in numbers alone, or else they are of one template. `None` if most lines are not alike, or if they
/// are too few.
fn kinds(lines: &[&str]) -> Option<Kinds> {
    let filled = filled(lines);
    if filled.len() < LEAST_LINES {
        return None;
    }
    let by_mask = Kinds::of(by_mask(lines, &filled), filled.clone());
    [by_mask, by_template(lines, filled)].into_iter().find(Kinds::are_alike)
}

/// The lines with the largest and the newest values of the columns of a listing.
pub fn largest(lines: &[&str]) -> Vec<usize> {
    listing::largest(lines, &filled(lines))
}

/// The lines unlike the others: those with the largest values of a listing, or of each usual kind of lines, then one of each rare kind
/// before a second, the rarest first.
pub fn of(lines: &[&str]) -> Vec<usize> {
    let mut found = largest(lines);
    if found.is_empty() {
        found = largest_of_kinds(lines);
    }
    if let Some(Kinds { filled, kind_of, counts }) = kinds(lines) {
        let between = ENDS..filled.len() - ENDS;
        let says_something = |at: usize| lines[at].contains(char::is_alphanumeric);
        let mut rare: Vec<(usize, u32)> = between
            .map(|nth| (filled[nth], kind_of[nth]))
            .filter(|(at, kind)| counts[*kind as usize] * RARE <= filled.len() && says_something(*at))
            .collect();
        rare.sort_unstable_by_key(|&(at, kind)| (counts[kind as usize], at));
        let mut seen = vec![false; counts.len()];
        let (first, others): (Vec<_>, Vec<_>) =
            rare.into_iter().partition(|(_, kind)| !std::mem::replace(&mut seen[*kind as usize], true));
        found.extend(first.into_iter().chain(others).map(|(at, _)| at));
    }
    let mut seen = HashSet::new();
    found.retain(|at| seen.insert(*at));
    found
}

/// The largest values of each template of lines: the first of each, then the second.
fn largest_of_kinds(lines: &[&str]) -> Vec<usize> {
    let filled = filled(lines);
    if filled.len() < LEAST_LINES {
        return Vec::new();
    }
    let Kinds { filled, kind_of, counts } = by_template(lines, filled);
    let mut of_kind: Vec<Vec<usize>> = vec![Vec::new(); counts.len()];
    filled.iter().zip(kind_of).for_each(|(&at, kind)| of_kind[kind as usize].push(at));
    let of_kind: Vec<_> = of_kind.iter().map(|of_kind| listing::largest(lines, of_kind)).collect();
    let most = of_kind.iter().map(Vec::len).max().unwrap_or(0);
    (0..most).flat_map(|nth| of_kind.iter().filter_map(move |lines| lines.get(nth).copied())).collect()
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
