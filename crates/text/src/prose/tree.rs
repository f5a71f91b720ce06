//! Lines that are a tree: the snapshot of a page, a nested list, what `tree`, `find` and `ls -R` print. What is near the root comes first.

use super::piece::spread;

/// A tree of fewer lines needs no choice.
const LEAST_LINES: usize = 24;
/// Lines that are not nodes, at most 1/n.
const OTHERS: usize = 6;
/// Fewer paragraphs are not known to be folders.
const LEAST_FOLDERS: usize = 3;
/// More lines are not kept.
const MOST_KEPT: usize = 4_096;

/// The lines of a tree, those near the root first, of each depth spread over all; none if lines are not a tree.
pub fn breadth_first(lines: &[&str]) -> Vec<usize> {
    let filled = lines.iter().filter(|line| !line.trim_start().is_empty()).count();
    if filled < LEAST_LINES {
        return Vec::new();
    }
    let mut nodes = folders(lines);
    let has_folders = !nodes.is_empty();
    for (at, line) in lines.iter().enumerate().filter(|_| !has_folders) {
        if let Some(depth) = depth(line) {
            nodes.push((depth, at));
        } else if (at + 1).saturating_sub(nodes.len()) * OTHERS > lines.len() + (lines.len() - filled) * OTHERS {
            return Vec::new();
        }
    }
    let mut depths: Vec<usize> = nodes.iter().map(|(depth, _)| *depth).collect();
    depths.sort_unstable();
    depths.dedup();
    if depths.len() < 2 {
        return Vec::new();
    }
    let mut order = Vec::new();
    for wanted in depths {
        let level: Vec<usize> = nodes.iter().filter(|(depth, _)| *depth == wanted).map(|(_, at)| *at).collect();
        order.extend(spread(level.len()).map(|nth| level[nth]));
        if order.len() > MOST_KEPT {
            break;
        }
    }
    order
}

/// The headings of what `ls -R` prints, if lines are that, with their depths: each paragraph begins with a path and a colon.
fn folders(lines: &[&str]) -> Vec<(usize, usize)> {
    let is_blank = |at: usize| lines[at].trim_start().is_empty();
    let heads = (0..lines.len()).filter(|&at| !is_blank(at) && at.checked_sub(1).is_none_or(is_blank));
    let folder = |at: usize| {
        let path = lines[at].strip_suffix(':')?;
        (path == "." || depth(path).is_some()).then(|| (path.matches('/').count(), at))
    };
    let found: Option<Vec<_>> = heads.map(folder).collect();
    found.filter(|folders| folders.len() >= LEAST_FOLDERS).unwrap_or_default()
}

/// How deep a line is, if it is a node of a tree: an item of a list, a branch that is drawn, or a path.
fn depth(line: &str) -> Option<usize> {
    let text = line.trim_start_matches([' ', '\u{a0}', '│', '|', '├', '└', '─', '`']);
    let margin = line[..line.len() - text.len()].chars().count();
    if text.starts_with("- ") || (line.contains('─') && line.contains("── ")) {
        return Some(margin);
    }
    let is_path = margin == 0
        && text.contains('/')
        && !text.contains([' ', '\t', '"', '<', '=', ';', '('])
        && !text.contains("://");
    is_path.then(|| text.trim_end_matches(['/', ':']).matches('/').count())
}

#[cfg(test)]
mod tests {
    use super::breadth_first;

    fn first(text: &str) -> Vec<&str> {
        let lines: Vec<&str> = text.lines().collect();
        breadth_first(&lines).into_iter().take(3).map(|at| lines[at]).collect()
    }

    #[test]
    fn what_is_near_the_root_comes_first() {
        let page = "- main:\n".to_owned() + &"  - list:\n    - link \"x\"\n".repeat(20) + "- footer:\n  - text: end\n";
        assert_eq!(first(&page)[..2], ["- main:", "- footer:"]);
        let drawn = "├── node_modules\n".to_owned() + &"│   ├── a.js\n".repeat(40) + "└── src\n    └── b.rs\n";
        assert_eq!(first(&drawn)[..2], ["├── node_modules", "└── src"]);
        let found = "./a/b/c\n./a/b/d\n".repeat(20) + "./a\n./z\n";
        assert_eq!(first(&found)[..2], ["./a", "./z"]);
        let entries =
            "total 12\ndrwxr-xr-x 2 root root 4096 Nov 28 07:56 .\n-rw-r--r-- 1 root root 71 Nov 28 01:59 a.rs\n";
        let listed: String =
            ["/src", "/src/a/b", "/src/c"].map(|folder| format!("{folder}:\n{entries}{entries}{entries}\n")).concat();
        assert_eq!(first(&listed), ["/src:", "/src/c:", "/src/a/b:"]);
    }

    #[test]
    fn other_texts_are_no_trees() {
        let flat = "- one\n- two\n".repeat(20);
        let prose = "Some words here.\n\n- a\n  - b\nAnd more words.\n".repeat(20);
        let code = "fn a() {\n    let b = c / d;\n}\n".repeat(20);
        for text in [&flat, &prose, &code] {
            assert!(first(text).is_empty(), "{text}");
        }
    }
}
