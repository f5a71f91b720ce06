//! The changes of a diff: its files, those that are deleted, renamed or new before the others, then the first change of each before a
//! second one of any.

use std::ops::Range;

use super::piece::spread;

/// More hunks are not kept.
const MOST_KEPT: usize = 4_096;

/// How the line below the name of a file begins if more happened to the file than a change.
const FATES: [&str; 3] = ["deleted file mode ", "similarity index ", "new file mode "];

/// The lines with the names of the files of a diff and with what happened to them, and its hunks, both in the order in which they are
/// shown; none of another text.
pub fn of(lines: &[&str]) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let mut hunks: Vec<Range<usize>> = Vec::new();
    let mut files = vec![Vec::new(); FATES.len() + 1];
    // The hunks that are the first of a file, and the others.
    let mut ranks: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
    let (mut is_in_file, mut is_first, mut is_open) = (false, false, false);
    for (at, line) in lines.iter().enumerate() {
        let begins_file = line.starts_with("diff --git ")
            || (line.starts_with("--- ") && lines.get(at + 1).is_some_and(|next| next.starts_with("+++ ")));
        if begins_file {
            let fate = FATES.iter().position(|fate| lines.get(at + 1).is_some_and(|next| next.starts_with(fate)));
            let kept = &mut files[fate.unwrap_or(FATES.len())];
            if line.starts_with('d') && kept.len() < MOST_KEPT {
                kept.push(at..at + 1 + usize::from(fate.is_some()));
            }
            (is_in_file, is_first, is_open) = (true, true, false);
        } else if is_in_file && is_head(line) {
            if hunks.len() == MOST_KEPT {
                break;
            }
            ranks[usize::from(!is_first)].push(hunks.len());
            hunks.push(at..at);
            (is_first, is_open) = (false, true);
        }
        if is_open {
            is_open = is_head(line) || line.is_empty() || line.starts_with([' ', '+', '-', '\\']);
            if let Some(hunk) = hunks.last_mut().filter(|_| is_open) {
                hunk.end = at + 1;
            }
        }
    }
    let ordered = ranks.iter().flat_map(|rank| spread(rank.len()).map(|nth| hunks[rank[nth]].clone()));
    let files = files.iter().flat_map(|of_fate| spread(of_fate.len()).map(|nth| of_fate[nth].clone()));
    (files.collect(), ordered.collect())
}

/// Whether a line is the head of a hunk.
pub fn is_head(line: &str) -> bool {
    line.starts_with("@@ -")
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn new_files_and_the_first_hunk_of_each_file_come_first() {
        let text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-error\n+b\n@@ -9 +9 @@\n c\n+d\n\
                    diff --git a/y b/y\nnew file mode 100644\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+e\n\\ No newline\n";
        let (files, hunks) = of(&text.lines().collect::<Vec<_>>());
        assert_eq!((files, hunks), (vec![9..11, 0..1], vec![3..6, 13..16, 6..9]));
    }

    #[test]
    fn other_texts_have_none() {
        for text in ["@@ -1 +1 @@\n-a\n", "--- a\n+++ b\nprose\n", "a\n\n- b\n+ c\n"] {
            assert!(of(&text.lines().collect::<Vec<_>>()).1.is_empty(), "{text}");
        }
    }
}
