//! The rows of the tables in a document: lines in a run with cells between bars, of which the first has names.

use serde_json::{Map, Value};
use toolshape_text::rows::cells;

/// The fewest lines of a table, with the one of names.
const LEAST: usize = 3;

/// The rows of all tables of a text.
pub(crate) struct TableRows(Vec<Map<String, Value>>);

impl TableRows {
    /// The rows of a text of these lines; `None` if it has no table.
    pub fn of(lines: &[&str]) -> Option<Self> {
        let (mut rows, mut at, mut section) = (Vec::new(), 0, "");
        while at < lines.len() {
            if let Some(heading) = heading(lines[at]) {
                section = heading;
            }
            let cells = if lines[at].contains('|') { cells::between_bars(lines[at]).count() } else { 1 };
            // Cells at the end may be missing.
            let is_row = |line: &&&str| line.contains('|') && cells::between_bars(line).count() <= cells;
            let len = if cells > 1 { lines[at..].iter().take_while(is_row).count() } else { 0 };
            if len < LEAST {
                at += 1;
                continue;
            }
            let names = names(lines[at]);
            for (line, row) in lines.iter().enumerate().take(at + len).skip(at + 1).filter(|(_, row)| !is_rule(row)) {
                let mut out = Map::new();
                out.insert("line".to_owned(), (line + 1).into());
                out.insert("section".to_owned(), section.into());
                for (name, cell) in names.iter().zip(cells::between_bars(row)) {
                    out.insert(name.clone(), if cell.is_empty() { Value::Null } else { cell.into() });
                }
                rows.push(out);
            }
            at += len;
        }
        (!rows.is_empty()).then_some(Self(rows))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The names in all rows.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|row| row.keys().map(String::as_str))
    }

    /// A list of objects, with the line of each row and the heading above it.
    pub fn json(&self) -> String {
        Value::from_iter(self.0.iter().cloned()).to_string()
    }
}

/// The names of a table, each its own, without the addresses that links in them lead to.
fn names(row: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for (at, cell) in cells::between_bars(row).map(|cell| labels(&cell)).enumerate() {
        let is_taken = cell.is_empty() || out.contains(&cell) || ["line", "section"].contains(&cell.as_str());
        out.push(if is_taken { format!("{cell}_{}", at + 1) } else { cell });
    }
    out
}

/// A text with the labels of its links in Markdown alone.
fn labels(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, (label, after))) =
        rest.split_once('[').and_then(|(before, link)| Some((before, link.split_once("](")?)))
    {
        let Some((_, after)) = after.split_once(')') else { break };
        out += before;
        out += label;
        rest = after;
    }
    out + rest
}

/// Whether a row is drawn: `|---|:-:|`.
fn is_rule(row: &str) -> bool {
    row.contains('-') && row.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

fn heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    (title.len() < line.len() && title.starts_with(' ')).then(|| title.trim())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::TableRows;

    fn rows(text: &str) -> Value {
        let lines: Vec<&str> = text.lines().collect();
        TableRows::of(&lines).map_or(Value::Null, |rows| serde_json::from_str(&rows.json()).unwrap())
    }

    #[test]
    fn tables_of_a_document_are_rows_with_their_heading() {
        let text = "# A\n\ntarget | notes\nx | one\ny |\n\n## B\n\n| n | n | |\n|---|--:|---|\n| 1 | 2 | c |\n\na | b in prose\n";
        let wanted = json!([
            { "line": 4, "section": "A", "target": "x", "notes": "one" },
            { "line": 11, "section": "B", "n": "1", "n_2": "2", "_3": "c" },
        ]);
        let found = rows(text);
        assert_eq!((&found[0], &found[2]), (&wanted[0], &wanted[1]));
        assert_eq!((&found[1]["target"], &found[1]["notes"]), (&json!("y"), &Value::Null));
        assert_eq!(
            rows("[A](//x/a) (b) | [c\n1 | 2\n3 | 4\n")[0],
            json!({ "line": 2, "section": "", "A (b)": "1", "[c": "2" })
        );
        assert_eq!(rows("ls | wc\n\ncat a | sort\n"), Value::Null);
    }
}
