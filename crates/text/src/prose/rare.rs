//! Lines unlike the others: the one state among many alike, which no word may call an error.

use std::collections::HashSet;

use super::listing;
use super::template::{self, Templates};

/// Fewer lines are seen at once.
const LEAST_LINES: usize = 24;
/// More lines are not compared.
const MOST_LINES: usize = 1 << 16;
/// Of more lines the forms are compared and not the templates.
const MOST_GROUPED: usize = 1 << 12;
/// Lines are usual if at least this many are alike; of the others there are at most 1/n.
const USUAL: usize = 8;
const OTHERS: usize = 5;
/// Rare are those of which there are at most 1/n.
const RARE: usize = 30;
/// As many lines at both ends are shown anyway.
const ENDS: usize = 8;

/// The lines that are not blank, each of a kind, and how many there are of each kind.
struct Kinds {
    kind_of: Vec<u32>,
    counts: Vec<usize>,
}

impl Kinds {
    fn of(kind_of: Vec<u32>) -> Self {
        let mut counts = vec![0; kind_of.iter().max().map_or(0, |&last| last as usize + 1)];
        kind_of.iter().for_each(|&kind| counts[kind as usize] += 1);
        Self { kind_of, counts }
    }

    /// Whether most lines are of usual kinds.
    fn are_alike(&self) -> bool {
        let usual: usize = self.counts.iter().filter(|&&count| count >= USUAL).sum();
        (self.kind_of.len() - usual) * OTHERS <= self.kind_of.len()
    }
}

/// The lines that are not blank.
fn filled(lines: &[&str]) -> Vec<usize> {
    (0..lines.len().min(MOST_LINES)).filter(|&at| !lines[at].trim_start().is_empty()).collect()
}

/// The kinds of these lines: their forms if most are alike in these or there are many, or else their templates. `None` if the lines are
/// too few.
fn kinds(lines: &[&str], filled: &[usize]) -> Option<Kinds> {
    if filled.len() < LEAST_LINES {
        return None;
    }
    let forms = Kinds::of(template::forms(filled.iter().map(|&at| lines[at])));
    if forms.are_alike() || filled.len() > MOST_GROUPED {
        return Some(forms);
    }
    Some(Kinds::of(Templates::of(filled.iter().map(|&at| (lines[at], ""))).of_line))
}

/// The lines with the largest and the newest values of the columns of a listing.
pub fn largest(lines: &[&str]) -> Vec<usize> {
    listing::largest(lines, &filled(lines))
}

/// The lines unlike the others: those with the largest values of a listing, or of each kind, then one of each rare kind before a
/// second, the rarest first.
pub fn of(lines: &[&str]) -> Vec<usize> {
    let filled = filled(lines);
    let mut found = listing::largest(lines, &filled);
    let Some(kinds) = kinds(lines, &filled) else { return found };
    if found.is_empty() {
        found = largest_of_each(&kinds, lines, &filled);
    }
    if kinds.are_alike() {
        let Kinds { kind_of, counts } = kinds;
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

/// The largest values of each kind: the first of each, then the second.
fn largest_of_each(kinds: &Kinds, lines: &[&str], filled: &[usize]) -> Vec<usize> {
    let mut of_each: Vec<Vec<usize>> = vec![Vec::new(); kinds.counts.len()];
    filled.iter().zip(&kinds.kind_of).for_each(|(&at, &kind)| of_each[kind as usize].push(at));
    let largest: Vec<_> = of_each.iter().map(|of_one| listing::largest(lines, of_one)).collect();
    let most = largest.iter().map(Vec::len).max().unwrap_or(0);
    (0..most).flat_map(|nth| largest.iter().filter_map(move |lines| lines.get(nth).copied())).collect()
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
