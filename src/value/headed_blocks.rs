//! The blocks of a text that each have a head of lines `name: value` and a body: mails of a mailbox, commits of a log, patches of a
//! series.
//!
//! A block begins with the first word of the text, behind a blank line, if a line `name: value` follows. Its head ends at a blank
//! line. What indents the first lines of all bodies is left out of the lines that have it.

use std::collections::HashMap;
use std::fmt::Write;

use crate::base::members::Members;

/// The fewest blocks.
const LEAST: usize = 3;
/// The longest name in bytes.
const NAME_BYTES: usize = 40;

/// The blocks of a text.
pub(crate) struct HeadedBlocks<'t> {
    /// The name of what follows the word that blocks begin with: that word, unless a line of a head has it too.
    opener: &'t str,
    blocks: Vec<Block<'t>>,
}

struct Block<'t> {
    /// Its first line, from 1.
    line: usize,
    /// What follows the word that it begins with.
    opening: &'t str,
    head: Vec<(&'t str, String)>,
    body: &'t [&'t str],
}

impl<'t> HeadedBlocks<'t> {
    /// The blocks of a text of these lines; `None` if it has none or few.
    pub fn of(lines: &'t [&'t str]) -> Option<Self> {
        let first = lines.iter().position(|line| !line.trim().is_empty())?;
        let word = lines[first].split(' ').next().filter(|word| !word.is_empty() && !word.ends_with(':'))?;
        let opening = |line: &'t str| line.strip_prefix(word)?.strip_prefix(' ');
        let begins = |at: usize| {
            let is_behind = at == first || lines[at - 1].trim().is_empty();
            is_behind && opening(lines[at]).is_some() && lines.get(at + 1).is_some_and(|line| spaced(line).is_some())
        };
        if !begins(first) {
            return None;
        }
        let starts: Vec<usize> = (first..lines.len()).filter(|&at| begins(at)).collect();
        if starts.len() < LEAST {
            return None;
        }
        let ends = starts.iter().skip(1).copied().chain([lines.len()]);
        let block = |(&start, end): (&usize, usize)| {
            let (head, after) = head(&lines[start + 1..end]);
            let opening = opening(lines[start]).unwrap_or_default();
            Block { line: start + 1, opening, head, body: &lines[start + 1 + after..end] }
        };
        let mut blocks: Vec<Block<'t>> = starts.iter().zip(ends).map(block).collect();
        // A name is spelled as it is first.
        let mut spelled: HashMap<String, &'t str> = HashMap::new();
        for (name, _) in blocks.iter_mut().flat_map(|block| &mut block.head) {
            *name = spelled.entry(name.to_ascii_lowercase()).or_insert(name);
        }
        let is_name = blocks.iter().flat_map(|block| &block.head).any(|(name, _)| name.eq_ignore_ascii_case(word));
        Some(Self { opener: if is_name { "opening" } else { word }, blocks })
    }

    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// The names in the heads of all blocks.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let heads = self.blocks.iter().flat_map(|block| block.head.iter().map(|(name, _)| *name));
        std::iter::once(self.opener).chain(heads)
    }

    /// A list of objects, with the line where each block begins.
    pub fn json(&self) -> String {
        let indent = self.blocks.iter().filter_map(|block| indent(block.body)).min().unwrap_or(0);
        let row = |block: &Block<'_>| {
            let mut out = Members::new();
            out.number("line", block.line);
            out.text(self.opener, block.opening);
            for (name, value) in &block.head {
                out.text(name, value);
            }
            out.text("body", &body(block.body, indent));
            out.into_object()
        };
        let rows: Vec<String> = self.blocks.iter().map(row).collect();
        format!("[{}]", rows.join(","))
    }
}

/// The lines of a head, of which those that go on with a value begin with a blank, and how many lines it has. A name that occurs
/// again has its values on lines.
fn head<'t>(lines: &[&'t str]) -> (Vec<(&'t str, String)>, usize) {
    let mut out: Vec<(&str, String)> = Vec::new();
    let mut last = 0;
    for (at, line) in lines.iter().enumerate() {
        match field(line) {
            Some((name, value)) => match out.iter().position(|(known, _)| known.eq_ignore_ascii_case(name)) {
                Some(known) => {
                    let _ = write!(out[known].1, "\n{value}");
                    last = known;
                }
                None => {
                    last = out.len();
                    out.push((name, value.to_owned()));
                }
            },
            None if line.starts_with([' ', '\t']) && !out.is_empty() => {
                let _ = write!(out[last].1, " {}", line.trim());
            }
            None => return (out, at),
        }
    }
    (out, lines.len())
}

/// The name and the value of a line `name: value`.
fn field(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    let is_name = name.len() <= NAME_BYTES
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    is_name.then(|| (name, value.trim()))
}

/// The same, with a blank before the value: a block is known by such a line.
fn spaced(line: &str) -> Option<(&str, &str)> {
    field(line).filter(|(name, value)| value.is_empty() || line[name.len() + 1..].starts_with([' ', '\t']))
}

/// The blanks before the first line that has more.
fn indent(lines: &[&str]) -> Option<usize> {
    let first = lines.iter().find(|line| !line.trim().is_empty())?;
    Some(first.len() - first.trim_start_matches(' ').len())
}

/// Lines without the blank ones around them, and without this many blanks before those that have them.
fn body(lines: &[&str], indent: usize) -> String {
    let is_filled = |line: &&str| !line.trim().is_empty();
    let start = lines.iter().position(is_filled).unwrap_or(lines.len());
    let end = lines.iter().rposition(is_filled).map_or(start, |at| at + 1);
    let indent = " ".repeat(indent);
    let bare = |line: &&str| line.strip_prefix(&*indent).unwrap_or(line).to_owned();
    lines[start..end].iter().map(bare).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::HeadedBlocks;

    fn rows(text: &str) -> Value {
        let lines: Vec<&str> = text.lines().collect();
        HeadedBlocks::of(&lines).map_or(Value::Null, |blocks| serde_json::from_str(&blocks.json()).unwrap())
    }

    #[test]
    fn commits_and_mails_are_rows() {
        let commit = |hash: &str, subject: &str| {
            format!(
                "commit {hash}\nAuthor: Ann <a@x.example>\nDate:   2024-03-01\n\n    {subject}\n\n      more\n\n a.txt | 2 +-\n\n"
            )
        };
        let log = rows(&format!("{}{}{}", commit("1a", "Fix: it"), commit("2b", "commit 3 of 4"), commit("3c", "End")));
        assert_eq!(log.as_array().map(Vec::len), Some(3));
        assert_eq!(
            log[1],
            json!({ "line": 11, "commit": "2b", "Author": "Ann <a@x.example>", "Date": "2024-03-01", "body": "commit 3 of 4\n\n  more\n\n a.txt | 2 +-" })
        );
        let mail = "From x Mon Jun  6 2005\nReceived: from a\n\tby b;\n\t\nReceived:from c\nFrom: me@x.example\nSubject: Hi\n\nHello\n\n>From here\n\n";
        let mails = rows(&mail.repeat(3));
        let wanted = json!({
            "line": 13, "opening": "x Mon Jun  6 2005", "Received": "from a by b; \nfrom c", "From": "me@x.example", "Subject": "Hi", "body": "Hello\n\n>From here",
        });
        assert_eq!(mails[1], wanted);
    }

    #[test]
    fn other_texts_have_no_blocks() {
        for text in [
            "Name: a\nSize: 1\n\nName: b\nSize: 2\n\nName: c\nSize: 3\n",
            "The end\nis near: now\n\nThe beginning\n\nThe middle\nNote: this\n",
            "commit 1\nAuthor: a\n\n    x\n\ncommit 2\nAuthor: b\n\n    y\n",
            "a b\n\na c\n\na d\n",
            "",
        ] {
            assert_eq!(rows(text), Value::Null, "{text}");
        }
    }
}
