//! The files that a text is about, with counts: those of a diff with the lines added and removed, those of a search with their hits.

use std::collections::HashMap;

/// A text with fewer lines needs no list.
const LEAST_LINES: usize = 12;
/// Lines of a search of which one has no place, at most 1/n.
const WITHOUT_PLACE: usize = 8;
/// More files are counted and not kept.
const MOST_KEPT: usize = 4_096;

/// The files in their order, each with its counts, and how many there are.
#[derive(Default)]
pub struct Files {
    pub listed: Vec<String>,
    pub total: usize,
}

impl Files {
    fn add(&mut self, file: impl FnOnce() -> String) {
        self.total += 1;
        if self.listed.len() < MOST_KEPT {
            self.listed.push(file());
        }
    }
}

/// The files of a text that is a diff or the hits of a search; none of any other.
pub fn of(lines: &[&str]) -> Files {
    if lines.len() < LEAST_LINES {
        return Files::default();
    }
    let files = of_diff(lines);
    if files.total > 0 { files } else { of_hits(lines) }
}

/// A file of a diff.
#[derive(Default)]
struct Changed<'a> {
    name: &'a str,
    what: &'static str,
    added: usize,
    removed: usize,
}

impl Changed<'_> {
    fn written(&self) -> String {
        format!("{}{} +{} -{}", self.name, self.what, self.added, self.removed)
    }
}

fn of_diff(lines: &[&str]) -> Files {
    let mut files = Files::default();
    let mut current: Option<Changed<'_>> = None;
    let mut is_in_hunk = false;
    for line in lines {
        if let Some(names) = line.strip_prefix("diff --git ") {
            if let Some(before) = current.take() {
                files.add(|| before.written());
            }
            let name = names.rsplit_once(" b/").map_or(names, |(_, name)| name);
            current = Some(Changed { name, ..Changed::default() });
            is_in_hunk = false;
            continue;
        }
        let Some(file) = &mut current else { continue };
        is_in_hunk |= line.starts_with("@@ ");
        match line.as_bytes().first() {
            Some(b'+') if is_in_hunk => file.added += 1,
            Some(b'-') if is_in_hunk => file.removed += 1,
            Some(b'n') if line.starts_with("new file mode") => file.what = " (new file)",
            Some(b'd') if line.starts_with("deleted file mode") => file.what = " (deleted file)",
            Some(b'r') if line.starts_with("rename from") => file.what = " (renamed)",
            _ => {}
        }
    }
    if let Some(last) = current {
        files.add(|| last.written());
    }
    files
}

fn of_hits(lines: &[&str]) -> Files {
    let (mut places, mut hits): (HashMap<&str, usize>, Vec<(&str, usize)>) = Default::default();
    let mut without = 0;
    for line in lines.iter().filter(|line| !line.is_empty() && **line != "--") {
        let Some(path) = path_of_hit(line) else {
            without += 1;
            if without * WITHOUT_PLACE > lines.len() {
                return Files::default();
            }
            continue;
        };
        let place = *places.entry(path).or_insert(hits.len());
        match hits.get_mut(place) {
            Some((_, count)) => *count += 1,
            None => hits.push((path, 1)),
        }
    }
    // Lines that all differ, or are all of one file, are better seen themselves.
    if hits.len() < 2 || hits.len() * 3 > lines.len() * 2 {
        return Files::default();
    }
    let mut files = Files::default();
    hits.iter().for_each(|(path, count)| files.add(|| format!("{path} {count}")));
    files
}

/// The path of a line that is a hit or is next to one: `src/a.rs:12:…`, `src/a.rs-11-…`, `src/a.rs(3,5): …`.
fn path_of_hit(line: &str) -> Option<&str> {
    let end = line.find([':', '(', ' ', '\t'])?;
    let (path, rest) = line.split_at(end);
    let is_path = path.contains(['.', '/']) && !path.starts_with("http") && !path.contains(['"', '=', '<', ',']);
    let row = rest.strip_prefix([':', '('])?;
    let digits = row.bytes().take_while(u8::is_ascii_digit).count();
    (is_path && digits > 0 && row[digits..].starts_with([':', ',', ')'])).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::of;

    fn files(text: &str) -> (usize, Vec<String>) {
        let files = of(&text.lines().collect::<Vec<_>>());
        (files.total, files.listed)
    }

    #[test]
    fn files_of_a_diff_have_the_lines_added_and_removed() {
        let text = "diff --git a/x y.txt b/x y.txt\nindex 1..2 100644\n--- a/x y.txt\n+++ b/x y.txt\n@@ -1,2 +1,3 @@\n-a\n+b\n+c\n d\n\
                    diff --git a/old.rs b/old.rs\ndeleted file mode 100644\n--- a/old.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n\
                    diff --git a/l.png b/m.png\nsimilarity index 100%\nrename from l.png\nrename to m.png\n";
        assert_eq!(
            files(text),
            (3, vec!["x y.txt +2 -1".into(), "old.rs (deleted file) +0 -1".into(), "m.png (renamed) +0 -0".into()])
        );
    }

    #[test]
    fn files_of_a_search_have_their_hits() {
        let text =
            "src/a.rs:1: x\nsrc/a.rs:2: y\nsrc/a.rs:3: y\nb.ts(3,5): error TS1: z\nb.ts(4,5): error TS1: z\n".repeat(3);
        // Hits of a file need not be neighbours.
        assert_eq!(files(&text), (2, vec!["src/a.rs 9".to_owned(), "b.ts 6".to_owned()]));
    }

    #[test]
    fn other_texts_have_none() {
        let log = "2026-11-20T10:00:00Z INFO a\n10:00:01 b.c: 3: d\n".repeat(10);
        let prose = "See src/a.rs:12: there.\nIt is 3:45, or so.\nhttp://x.y:80: no\n".repeat(10);
        let urls = "http://x.y:80:a\n".repeat(20);
        let yaml = "a.b: 1\nc: 2\n".repeat(20);
        for text in [&log, &prose, &urls, &yaml] {
            assert_eq!(files(text).0, 0, "{text}");
        }
    }
}
