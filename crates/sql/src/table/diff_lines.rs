//! The file, the hunk and the kind of each line of a difference in the unified format.

use std::sync::Arc;

/// Where the lines of each file and hunk begin.
#[derive(Default)]
pub struct DiffLines {
    marks: Vec<Mark>,
}

/// What holds from a line on.
#[derive(Clone, Default)]
struct Mark {
    line: u32,
    file: Option<Arc<str>>,
    hunk: Option<Arc<str>>,
    /// The line after the lines that the hunk says it has.
    hunk_end: Option<u32>,
}

/// Lines of a hunk that are not read yet, before and after the change.
#[derive(Clone, Copy, Default)]
struct Left {
    old: usize,
    new: usize,
}

impl DiffLines {
    pub fn of(text: &str) -> Self {
        let mut diff = Self::default();
        let mut now = Mark::default();
        let mut left = Left::default();
        for (number, line) in text.lines().enumerate() {
            if left.old + left.new > 0 {
                let (old, new) = match line.as_bytes().first() {
                    Some(b'-') => (1, 0),
                    Some(b'+') => (0, 1),
                    Some(b'\\') => (0, 0),
                    _ => (1, 1),
                };
                left = Left { old: left.old.saturating_sub(old), new: left.new.saturating_sub(new) };
                if left.old + left.new == 0 {
                    diff.end_hunk(number + 1);
                }
                continue;
            }
            let name = |path: &str| path.split('\t').next().unwrap_or(path).trim_matches('"').to_owned();
            let before = (now.file.clone(), now.hunk.clone());
            if let Some(paths) = line.strip_prefix("diff --git ") {
                let path = paths.rsplit_once(" b/").map_or(paths, |(_, path)| path);
                now = Mark { file: Some(name(path).into()), hunk: None, ..now };
            } else if let Some(path) = line.strip_prefix("--- ").filter(|path| *path != "/dev/null") {
                let path = name(path);
                let path = path.strip_prefix("a/").unwrap_or(&path);
                now = Mark { file: Some(path.into()), hunk: None, ..now };
            } else if let Some(path) = line.strip_prefix("+++ ").filter(|path| *path != "/dev/null") {
                let path = name(path);
                let path = path.strip_prefix("b/").unwrap_or(&path);
                now = Mark { file: Some(path.into()), hunk: None, ..now };
            } else if let Some(lines) = hunk(line) {
                now.hunk = Some(line.into());
                left = lines;
            }
            if (&now.file, &now.hunk) != (&before.0, &before.1) || now.hunk.is_some() && left.old + left.new > 0 {
                now.line = number as u32;
                diff.marks.push(now.clone());
            }
        }
        diff
    }

    fn end_hunk(&mut self, line: usize) {
        if let Some(mark) = self.marks.last_mut() {
            mark.hunk_end = Some(line as u32);
        }
    }

    fn at(&self, line: usize) -> Option<&Mark> {
        let at = self.marks.partition_point(|mark| mark.line as usize <= line).checked_sub(1)?;
        Some(&self.marks[at])
    }

    pub fn file(&self, line: usize) -> Option<&str> {
        self.at(line)?.file.as_deref()
    }

    pub fn hunk(&self, line: usize) -> Option<&str> {
        let mark = self.at(line)?;
        let is_in = mark.hunk_end.is_none_or(|end| line < end as usize);
        mark.hunk.as_deref().filter(|_| is_in)
    }

    /// `add`, `remove`, `context`, `hunk`, or `header` for lines around the hunks.
    pub fn kind(&self, line: usize, text: &str) -> &'static str {
        let Some(mark) = self.at(line).filter(|_| self.hunk(line).is_some()) else { return "header" };
        match text.as_bytes().first() {
            _ if mark.line as usize == line => "hunk",
            Some(b'+') => "add",
            Some(b'-') => "remove",
            Some(b'\\') => "header",
            _ => "context",
        }
    }
}

/// How many lines a hunk has, from its first line: `@@ -1,7 +1,8 @@ …`.
fn hunk(line: &str) -> Option<Left> {
    let mut parts = line.strip_prefix("@@ -")?.split(' ');
    let count = |part: &str| match part.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => part.parse::<usize>().ok().map(|_| 1),
    };
    let old = count(parts.next()?)?;
    let new = count(parts.next()?.strip_prefix('+')?)?;
    parts.next().filter(|end| end.starts_with("@@")).map(|_| Left { old, new })
}
