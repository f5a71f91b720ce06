//! Headings that are versions, as in a change log: each begins a section of its own, whatever level it is written at.
//!
//! Some tools write `# 6.0.0` and `## 5.19.1` for versions that follow one another.

use super::mark::Mark;

/// Gives all versions one level if one of them is above a version that it does not contain.
pub(super) fn even(marks: &mut [Mark<'_>]) {
    let versions: Vec<(usize, Vec<u64>)> =
        marks.iter().enumerate().filter_map(|(at, mark)| Some((at, version(&mark.title)?))).collect();
    let Some(&(first, _)) = versions.first() else { return };
    let is_inside = |pair: &[(usize, Vec<u64>)]| {
        let [(above, number), (below, other)] = pair else { return false };
        marks[*above].level < marks[*below].level && !other.starts_with(number)
    };
    if !versions.windows(2).any(is_inside) {
        return;
    }
    let levels = versions.iter().map(|(at, _)| marks[*at].level);
    let (highest, deepest) = (levels.clone().min().unwrap_or(1), levels.max().unwrap_or(1));
    // A title above all versions stays above them, unless what is in a version has the level of others.
    let mut others = marks[first..].iter().filter(|mark| version(&mark.title).is_none());
    let level = if others.any(|mark| mark.level <= deepest) { highest } else { deepest };
    versions.iter().for_each(|(at, _)| marks[*at].level = level);
}

/// The numbers of the version with which a title begins: `6.0.0`, `[v5.19.1](…) (2026-11-20)`, `Version 1.2`.
fn version(title: &str) -> Option<Vec<u64>> {
    let bare = |text: &'_ str| text.trim_start_matches(['[', '`', '*', ' ']).to_owned();
    let mut rest = bare(title);
    for word in ["version ", "release "] {
        if rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)) {
            rest = bare(&rest[word.len()..]);
        }
    }
    let rest = rest.strip_prefix(['v', 'V']).unwrap_or(&rest);
    let number = &rest[..rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len())];
    let after = &rest[number.len()..];
    let is_whole = after.is_empty() || after.starts_with([' ', ']', '`', '*', ':', '-', '+', '/', '(', ',']);
    let parts: Option<Vec<u64>> = number.split('.').map(|part| part.parse().ok()).collect();
    parts.filter(|parts| parts.len() > 1 && is_whole)
}
