//! The table that a terminal shows.

use std::collections::BTreeMap;

use crate::survey::measured::{Measured, MeasuredResult, MeasuredServer};
use crate::survey::numbers::{counted, grouped, percent};
use toolshape::host::{printable_within, sort_by_key};

/// The columns of a terminal that is narrower are not less: the table stays readable where it is scrolled.
const LEAST_COLUMNS: usize = 60;

/// The tokens that are much for one result, where results are not shaped.
const MUCH: usize = 2_000;
/// The most tools that a sentence names.
const NAMED: usize = 5;

/// The most characters of a name in a sentence.
const MOST_OF_NAME: usize = 60;

/// Between two columns.
const GAP: &str = "  ";

impl Measured {
    /// The servers as text in lines of at most this many columns, with 60 as the least.
    pub fn table(&self, columns: usize) -> String {
        let columns = columns.max(LEAST_COLUMNS);
        let mut out = String::new();
        for server in &self.servers {
            server.write(self.window, columns, &mut out);
            for line in wrapped(&server.verdict(self.budget.unwrap_or(MUCH)), columns) {
                out += &format!("{line}\n");
            }
            out.push('\n');
        }
        let budget =
            self.budget.map_or("unshaped".to_owned(), |budget| format!("at most {} a result", grouped(budget)));
        out += &format!("Tokens are of {}; behind toolshape: {budget}.\n", self.encoding);
        out
    }
}

impl MeasuredServer {
    /// What the results mean for whoever uses the server: the tools of which one is over that many tokens.
    fn verdict(&self, much: usize) -> String {
        let mut largest = BTreeMap::new();
        for result in &self.results {
            let (before, after) = (result.before.most().tokens, result.after.most().tokens);
            let most = largest.entry(result.tool.as_str()).or_insert((before, after));
            *most = (*most).max((before, after));
        }
        let called = largest.len();
        let mut over: Vec<_> = largest.into_iter().filter(|(_, (before, _))| *before > much).collect();
        sort_by_key(&mut over, |(_, most)| std::cmp::Reverse(*most));
        let rest = match self.tools.len().saturating_sub(called) {
            0 => String::new(),
            rest => format!(" {} not called.", counted(rest, "tool was", "tools were")),
        };
        if called == 0 {
            return format!("No result is known, so results are not described.{rest}");
        }
        if over.is_empty() {
            let called = counted(called, "tool that was called returns", "tools that were called return");
            return format!("{called} at most {} tokens: toolshape saves nothing there.{rest}", grouped(much));
        }
        let name = |(tool, (before, after)): &(&str, (usize, usize))| {
            format!("{} ({}, behind toolshape {})", shown(tool, MOST_OF_NAME), grouped(*before), grouped(*after))
        };
        let names: Vec<String> = over.iter().take(NAMED).map(name).collect();
        let more = if over.len() > NAMED { ", …" } else { "" };
        let (are, all) = (grouped(over.len()), counted(self.tools.len(), "tool", "tools"));
        format!("{are} of {all} can return more than {} tokens: {}{more}.{rest}", grouped(much), names.join(", "))
    }

    fn write(&self, window: usize, columns: usize, out: &mut String) {
        *out += &format!("{}\n", shown(&self.name, columns));
        let (before, after) = (self.before(), self.after());
        *out += &format!(
            "{} {} tokens, {} of {}; behind toolshape {}\n\n",
            counted(self.tools.len(), "tool takes", "tools take"),
            grouped(before),
            percent(before, window),
            grouped(window),
            grouped(after),
        );
        if !self.tools.is_empty() {
            let mut rows = vec![["tool", "all", "description", "input", "output", "other"].map(str::to_owned)];
            let mut tools: Vec<_> = self.tools.iter().collect();
            sort_by_key(&mut tools, |tool| std::cmp::Reverse(tool.before.all));
            for tool in tools {
                let [name, description, input, output, other] = tool.before.parts;
                let [all, description, input, output, other] =
                    [tool.before.all, description, input, output, name + other].map(grouped);
                rows.push([tool.name.clone(), all, description, input, output, other]);
            }
            write_rows(&rows, columns, out);
        }
        if !self.results.is_empty() {
            let mut rows =
                vec![["result of", "content", "structured", "behind", "not shown whole by"].map(str::to_owned)];
            let mut results: Vec<&MeasuredResult> = self.results.iter().collect();
            sort_by_key(&mut results, |result| std::cmp::Reverse(result.before.most().tokens));
            for result in &results {
                let structured = result.before.structured.map_or("-".to_owned(), |size| grouped(size.tokens));
                let hosts: Vec<&str> = result.over.iter().map(|over| over.host.title).collect();
                rows.push([
                    result.tool.clone(),
                    grouped(result.before.content.tokens),
                    structured,
                    grouped(result.after.most().tokens),
                    hosts.join(", "),
                ]);
            }
            write_results(&rows, columns, out);
            let saving: Vec<&MeasuredResult> = results.iter().copied().filter(|result| result.dense > 0).collect();
            if !saving.is_empty() {
                let saved = grouped(saving.iter().map(|result| result.dense).sum());
                let of = grouped(results.iter().map(|result| result.after.most().tokens).sum());
                let results = counted(saving.len(), "result", "results");
                *out += &format!("--dense saves {saved} of {of} tokens more, in {results}\n\n");
            }
        }
        for note in &self.notes {
            *out += &format!("{}\n", shown(note, columns));
        }
        if !self.notes.is_empty() {
            out.push('\n');
        }
    }
}

/// Rows of a name and numbers, which are right-aligned.
fn write_rows<const N: usize>(rows: &[[String; N]], columns: usize, out: &mut String) {
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or_default();
    let others: usize = (1..N).map(|at| width(at) + GAP.len()).sum();
    let name = columns
        .saturating_sub(others)
        .max(8)
        .min(rows.iter().map(|row| shown(&row[0], columns).chars().count()).max().unwrap_or(8));
    for row in rows {
        *out += &format!("{:name$}", shown(&row[0], name));
        for (at, cell) in row.iter().enumerate().skip(1) {
            *out += &format!("{GAP}{cell:>width$}", width = width(at));
        }
        out.push('\n');
    }
    out.push('\n');
}

/// Rows of a name, numbers, and hosts, which fill what is left of the line and go on in the next.
fn write_results(rows: &[[String; 5]], columns: usize, out: &mut String) {
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or_default();
    let numbers: usize = (1..4).map(|at| width(at) + GAP.len()).sum();
    let hosts = width(4).min(columns / 3).max(rows[0][4].len());
    let most = columns.saturating_sub(numbers + hosts + GAP.len()).max(8);
    let name = rows.iter().map(|row| shown(&row[0], most).chars().count()).max().unwrap_or(most);
    for row in rows {
        let mut line = format!("{:name$}", shown(&row[0], most));
        for (at, cell) in row.iter().enumerate().take(4).skip(1) {
            line += &format!("{GAP}{cell:>width$}", width = width(at));
        }
        line += GAP;
        let indent = line.chars().count();
        for (at, part) in wrapped(&row[4], columns.saturating_sub(indent)).iter().enumerate() {
            if at > 0 {
                line += &format!("\n{:indent$}", "");
            }
            line += part;
        }
        *out += line.trim_end();
        out.push('\n');
    }
    out.push('\n');
}

/// A text in lines of at most this many characters, where it has spaces.
pub(super) fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        let line = &mut lines[last];
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= most {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// A server's text in a terminal: one line of ASCII, so that each character takes one column.
pub(super) fn shown(text: &str, most: usize) -> String {
    let ascii: String = text
        .chars()
        .take(most + 1)
        .map(|c| if c.is_ascii() { c.to_string() } else { format!(r"\u{{{:x}}}", u32::from(c)) })
        .collect();
    printable_within(&ascii, most)
}
