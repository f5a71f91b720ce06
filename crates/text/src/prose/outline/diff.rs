//! Differences between files, and lists of commits.

use super::mark::Mark;

/// Characters of a commit's hash that are shown.
const HASH: usize = 10;

/// Commits, files and hunks; none if the lines that are looked at are not a diff.
pub(super) fn marks<'a>(lines: &[&'a str], looked_at: &[&str]) -> Vec<Mark<'a>> {
    let is_part = |line: &&&str| {
        line.starts_with(['+', '-', '@', ' ', '\\'])
            || is_header(line)
            || commit(line).is_some()
            || line.trim().is_empty()
    };
    let parts = looked_at.iter().filter(is_part).count();
    let has_start = lines.iter().take(2_000).any(|line| {
        line.starts_with("diff --git ")
            || line.starts_with("@@ -")
            || line.starts_with("Index: ")
            || commit(line).is_some()
    });
    if !has_start || parts * 10 < looked_at.len() * 9 {
        return Vec::new();
    }
    let has_commits = lines.iter().any(|line| commit(line).is_some());
    let file_level = 1 + usize::from(has_commits);
    let mut marks: Vec<Mark<'a>> = Vec::new();
    let (mut in_header, mut in_hunk) = (false, 0);
    for (line, text) in lines.iter().enumerate() {
        if in_hunk > 0 && text.starts_with(['+', '-', ' ', '\\']) {
            in_hunk -= usize::from(!text.starts_with(['-', '\\']));
            continue;
        }
        if let Some(hash) = commit(text) {
            let hash = &hash[..hash.len().min(HASH)];
            let about = lines[line + 1..].iter().take(12).find(|line| line.starts_with("    "));
            marks.push(Mark::new(
                line,
                1,
                format!("{hash} {}", about.map_or("", |about| about.trim())).trim_end().to_owned(),
            ));
        } else if let Some(name) = text.strip_prefix("diff --git ").or_else(|| text.strip_prefix("Index: ")) {
            let name = name.rsplit_once(" b/").map_or(name, |(_, name)| name);
            marks.push(Mark::new(line, file_level, name));
            in_header = true;
        } else if text.starts_with("--- ") && lines.get(line + 1).is_some_and(|next| next.starts_with("+++ ")) {
            if !in_header {
                marks.push(Mark::new(line, file_level, file(&lines[line + 1][4..])));
            }
            in_header = false;
        } else if let Some(added) = hunk(text) {
            in_hunk = added;
            marks.push(Mark::new(line, file_level + 1, *text));
        }
    }
    marks
}

fn is_header(line: &str) -> bool {
    [
        "diff ", "index ", "Index: ", "new file", "deleted file", "similarity ", "rename ", "old mode", "new mode",
        "Binary ", "Author:", "AuthorDate:", "Date:", "Commit:", "CommitDate:", "Merge:", "====", "copy ",
    ]
    .iter()
    .any(|start| line.starts_with(start))
}

/// The hash of a commit that begins here.
fn commit(line: &str) -> Option<&str> {
    let hash = line.strip_prefix("commit ")?.split(' ').next()?;
    (hash.len() >= 7 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(hash)
}

/// The lines that the hunk that begins here has after the change.
fn hunk(line: &str) -> Option<usize> {
    let added = line.strip_prefix("@@ -")?.split(' ').nth(1)?.strip_prefix('+')?;
    added.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok())
}

/// The name of a file, without its time and the prefix of Git.
fn file(name: &str) -> &str {
    let name = name.split('\t').next().unwrap_or(name).trim();
    name.strip_prefix("b/").unwrap_or(name)
}
