//! The rows of the tables in a document: lines in a run with cells between bars, of which the first has names.

use serde_json::{Map, Value};
use toolshape_text::rows::cells;

/// The fewest lines of a table, with the one of names.
const LEAST: usize = 3;

/// Members of a row beside its cells.
const PLACE: [&str; 2] = ["line", "section"];

/// The tables of a text.
pub(crate) struct TableRows<'t>(Vec<Table<'t>>);

struct Table<'t> {
    /// The heading above it.
    section: &'t str,
    /// Those that a row has a cell for.
    names: Vec<String>,
    /// Its rows with their lines, from 1.
    rows: Vec<(usize, &'t str)>,
}

impl<'t> TableRows<'t> {
    /// The tables of a text of these lines; `None` if it has no row.
    pub fn of(lines: &[&'t str]) -> Option<Self> {
        let (mut tables, mut at, mut section) = (Vec::new(), 0, "");
        while at < lines.len() {
            if let Some(heading) = heading(lines[at]) {
                section = heading;
            }
            let cells = if lines[at].contains('|') { cells::between_bars(lines[at]).count() } else { 1 };
            let (mut len, mut most) = (0, 0);
            while cells > 1
                && let Some(row) = lines.get(at + len).filter(|line| line.contains('|'))
            {
                // Cells at the end may be missing.
                let own = cells::between_bars(row).count();
                if own > cells {
                    break;
                }
                most = if len > 0 && !is_rule(row) { own.max(most) } else { most };
                len += 1;
            }
            if len < LEAST {
                at += 1;
                continue;
            }
            let mut names = names(lines[at]);
            names.truncate(most);
            let rows =
                (at + 1..at + len).map(|line| (line + 1, lines[line])).filter(|(_, row)| !is_rule(row)).collect();
            tables.push(Table { section, names, rows });
            at += len;
        }
        tables.retain(|table| !table.rows.is_empty());
        (!tables.is_empty()).then_some(Self(tables))
    }

    pub fn len(&self) -> usize {
        self.0.iter().map(|table| table.rows.len()).sum()
    }

    /// The names in all rows.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        PLACE.into_iter().chain(self.0.iter().flat_map(|table| table.names.iter().map(String::as_str)))
    }

    /// A list of objects, with the line of each row and the heading above it.
    pub fn json(&self) -> String {
        let rows = self.0.iter().flat_map(|table| table.rows.iter().map(move |&(line, row)| table.row(line, row)));
        Value::from_iter(rows).to_string()
    }
}

impl Table<'_> {
    fn row(&self, line: usize, row: &str) -> Map<String, Value> {
        let mut out: Map<String, Value> =
            PLACE.into_iter().map(str::to_owned).zip([line.into(), self.section.into()]).collect();
        for (name, cell) in self.names.iter().zip(cells::between_bars(row)) {
            out.insert(name.clone(), if cell.is_empty() { Value::Null } else { cell.into() });
        }
        out
    }
}

/// The names of a table, each its own, without the addresses that links in them lead to.
fn names(row: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for (at, cell) in cells::between_bars(row).map(|cell| labels(&cell)).enumerate() {
        let is_taken = cell.is_empty() || out.contains(&cell) || PLACE.contains(&cell.as_str());
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
