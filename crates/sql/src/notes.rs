//! Facts about an answer that a reader needs so as not to misread it.

use std::collections::BTreeSet;

use crate::sqlite::NamedTable;
use crate::statements;
use crate::table::{Column, ColumnKind};
use toolshape_text::values::blank::is_blank;
use toolshape_text::values::column::Reading;
use toolshape_text::values::quantity::Quantity;

/// The notes about the columns that a statement read, and about values that sums and means left out.
pub fn of(sql: &str, read: &BTreeSet<(String, String)>, tables: &[NamedTable], left_out: usize) -> Vec<String> {
    let is_read = |table: &NamedTable, column: &Column| read.contains(&(table.name.clone(), column.name.clone()));
    let columns: Vec<&Column> =
        tables.iter().flat_map(|table| table.table.columns().iter().filter(|column| is_read(table, column))).collect();
    let names = |is_so: &dyn Fn(&Column) -> bool| {
        let names: Vec<&str> =
            columns.iter().filter(|column| is_so(column)).map(|column| column.name.as_str()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let small = sql.to_ascii_lowercase();
    let tokens = Tokens(statements::tokens(&small));
    let literals: Vec<&str> =
        tokens.0.iter().filter_map(|token| token.strip_prefix('\'')?.strip_suffix('\'')).collect();
    let mut notes = Vec::new();
    let compares = tokens.compare();
    if let Some(names) = names(&|column| compares && column.has_numeric_texts && tokens.compares_as_text(&column.name))
    {
        notes.push(format!("{names}: compared as text, as not all values are numbers"));
    }
    for (unit, is_of) in [
        ("bytes", (|column| matches!(column.reading, Reading::Size { .. })) as fn(&Column) -> bool),
        ("seconds", |column| matches!(column.reading, Reading::Duration { .. })),
    ] {
        if let Some(names) = names(&is_of) {
            notes.push(format!("{names}: in {unit}"));
        }
    }
    // In a column of numbers, `= 'n/a'` and `> '50%'` find nothing.
    let is_missed = |column: &Column, literal: &str| {
        column.reading.is_number()
            && (is_blank(literal) || Quantity::parse(literal).is_some_and(|number| !number.unit.is_empty()))
    };
    if let Some(names) = names(&|column| literals.iter().any(|literal| is_missed(column, literal))) {
        notes.push(format!("{names}: numbers without their unit, and NULL where there is none"));
    }
    if let Some(names) = names(&|column| column.has_bounds) {
        notes.push(format!("{names}: a bound such as <0.1 counts as its number"));
    }
    for column in &columns {
        if let Some(own) = &column.own_name {
            notes.push(format!("{} is the column {own}: names here do not differ in case alone", column.name));
        }
    }
    for table in tables.iter().filter(|table| read.iter().any(|(name, _)| *name == table.name)) {
        if table.table.left_out() > 0 {
            notes.push(format!("{}: {} more columns are not in the table", table.name, table.table.left_out()));
        }
    }
    if let Some(names) = names(&|column| column.kind == ColumnKind::BigNumber) {
        notes.push(format!("{names}: has numbers beyond 64 bits, kept as text: the column compares and sums as numbers, expressions of it do not"));
    }
    if let Some(names) = names(&|column| column.is_rounded) {
        notes.push(format!("{names}: has numbers with more digits than a double holds, rounded"));
    }
    if left_out > 0 {
        notes.push(format!("{left_out} values that are NULL or no number are left out of sums, means and medians"));
    }
    notes
}

/// What is to be stated about the tables that a statement names.
pub fn of_tables(sql: &str, tables: &[NamedTable]) -> Vec<String> {
    let tokens: Vec<String> = statements::tokens(sql)
        .iter()
        .map(|token| token.trim_matches(['"', '`', '[', ']']).to_ascii_lowercase())
        .collect();
    let named = tables.iter().filter(|table| tokens.contains(&table.name));
    named.filter_map(|table| Some(format!("{}: {}", table.name, table.table.remark()?))).collect()
}

/// Functions that give a text of a value.
const TEXTS: [&str; 9] =
    ["capture", "json_extract", "ltrim", "regexp_replace", "replace", "rtrim", "substr", "substring", "trim"];
/// The operator that does.
const MEMBER: &str = "->>";
/// What makes a number of a text: an operator before or behind it, or a function around it.
const OPERATORS: [&str; 5] = ["+", "-", "*", "/", "%"];
const NUMBERS: [&str; 8] = ["cast", "sum", "avg", "total", "median", "percentile", "abs", "round"];

/// The note on numbers that functions give as texts, if a statement compares or sorts, and does not make numbers of all of them.
pub fn of_functions(sql: &str) -> Option<String> {
    let sql = sql.to_ascii_lowercase();
    let tokens = Tokens(statements::tokens(&sql));
    let mut names: Vec<&str> = Vec::new();
    for (at, &token) in tokens.0.iter().enumerate() {
        let place = match token {
            MEMBER => (tokens.start(at), tokens.end(at + 1)),
            _ if TEXTS.contains(&token) && tokens.is(at + 1, "(") => (at, tokens.end(at + 1)),
            _ => continue,
        };
        if !names.contains(&token) && !tokens.is_made_number(place) {
            names.push(token);
        }
    }
    let first = *names.first().filter(|_| tokens.compare())?;
    let example = if first == MEMBER { "(… ->> …)".to_owned() } else { format!("{first}(…)") };
    let names = names.join(", ");
    Some(format!("{names}: numbers in strings, compared and sorted as text; {example} + 0 compares numbers"))
}

/// The tokens of a statement, in small letters.
struct Tokens<'s>(Vec<&'s str>);

impl Tokens<'_> {
    fn is(&self, at: usize, token: &str) -> bool {
        self.0.get(at) == Some(&token)
    }

    fn is_number(&self, at: usize) -> bool {
        self.0.get(at).is_some_and(|token| token.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
    }

    /// Where what begins with a token ends: at itself, or at the bracket that closes it.
    fn end(&self, at: usize) -> usize {
        let mut depth = 0;
        let closes = |token: &&str| {
            depth += i32::from(*token == "(") - i32::from(*token == ")");
            depth <= 0
        };
        at + self.0.iter().skip(at).position(closes).unwrap_or(0)
    }

    /// Where what is before an operator begins: a column, a call, or what is in brackets, and the way to a member of it.
    fn start(&self, operator: usize) -> usize {
        let mut at = operator.saturating_sub(1);
        loop {
            if self.is(at, ")") {
                at = (0..at).rev().find(|&open| self.is(open, "(") && self.end(open) == at).unwrap_or(at);
                let is_call = at > 0 && self.0[at - 1].ends_with(|c: char| c.is_alphanumeric() || c == '_');
                at -= usize::from(is_call);
            }
            match at.checked_sub(2) {
                Some(before) if [".", "->", MEMBER].contains(&self.0[at - 1]) => at = before,
                _ => return at,
            }
        }
    }

    /// Whether a number is made of what is between two tokens.
    fn is_made_number(&self, (mut start, mut end): (usize, usize)) -> bool {
        loop {
            let before = start.checked_sub(1).map_or("", |at| self.0[at]);
            let behind = self.0.get(end + 1).copied().unwrap_or_default();
            if OPERATORS.contains(&before) || OPERATORS.contains(&behind) {
                return true;
            }
            let around = start.checked_sub(2).map_or("", |at| self.0[at]);
            if before != "(" || behind != ")" || NUMBERS.contains(&around) {
                return before == "(" && NUMBERS.contains(&around);
            }
            (start, end) = (start - 1, end + 1);
        }
    }

    /// Whether a column, whose name is in any case, is compared or sorted somewhere unchanged.
    fn compares_as_text(&self, name: &str) -> bool {
        let is_it = |token: &&str| token.trim_matches(['"', '`', '[', ']']).eq_ignore_ascii_case(name);
        let mut places = self.0.iter().enumerate().filter(|(_, token)| is_it(token)).map(|(at, _)| at);
        places.any(|at| self.is_compared(at) && !self.is_made_number((at, at)))
    }

    /// Whether a token is next to a comparison, in `min` or `max`, or in what rows are sorted by, which may be its place.
    fn is_compared(&self, at: usize) -> bool {
        const COMPARISONS: [&str; 7] = ["<", ">", "=", "!", "between", "in", "not"];
        let is_comparison = |at: usize| self.0.get(at).is_some_and(|token| COMPARISONS.contains(token));
        let is_extreme = at >= 2 && self.is(at - 1, "(") && (self.is(at - 2, "min") || self.is(at - 2, "max"));
        let sorts = |by: usize| {
            let end = self
                .0
                .iter()
                .skip(by)
                .position(|token| ["limit", "from"].contains(token))
                .map_or(usize::MAX, |len| by + len);
            by >= 1 && self.is(by - 1, "order") && self.is(by, "by") && (by < at && at < end || self.is_number(by + 1))
        };
        at >= 1 && is_comparison(at - 1) || is_comparison(at + 1) || is_extreme || (0..self.0.len()).any(sorts)
    }

    /// Whether they sort, or compare which is more, or with a number.
    fn compare(&self) -> bool {
        let equals = |at: usize, next: usize| {
            let sign = usize::from(self.is(next, "-") || self.is(next, "("));
            self.is_number(next + sign) || at > 0 && self.is_number(at - 1)
        };
        self.0.iter().enumerate().any(|(at, &token)| match token {
            "order" => self.is(at + 1, "by"),
            "min" | "max" => self.is(at + 1, "("),
            "between" => true,
            "=" | "in" => equals(at, at + 1),
            "<" if self.is(at + 1, ">") => equals(at, at + 2),
            "<" | ">" => at == 0 || !self.is(at - 1, "<"),
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::of_functions;

    #[test]
    fn numbers_in_texts_are_noted_where_they_are_compared() {
        for (sql, names) in [
            (r"SELECT count(*) FROM log WHERE capture(text, 'took (\d+)') > 1000", "capture:"),
            (r"SELECT Capture(text, '\((\d+)\)') AS ms FROM log ORDER BY ms", "capture:"),
            ("SELECT capture(text, 'a') + 0, max(capture(text, 'b')) FROM log", "capture:"),
            ("SELECT id FROM t WHERE doc->>'n' = 10 AND substr(a, 1, 2) <> -3", "->>, substr:"),
            ("SELECT id FROM t WHERE json_extract(doc, '$.n') IN (1, 2)", "json_extract:"),
            ("SELECT id FROM t WHERE 10 < t.a->'b'->>'n'", "->>:"),
            ("SELECT abs(a->>'n'), a->>'m' FROM t WHERE a->>'n' BETWEEN 1 AND 2", "->>:"),
        ] {
            let note = of_functions(sql).unwrap_or_default();
            assert!(note.starts_with(names), "{sql}: {note}");
        }
        for sql in [
            "SELECT count(*) FROM log WHERE level = 'ERROR' AND line > 5",
            r"SELECT capture(text, '\((\d+)\) ''ms''') + 0 AS ms FROM log ORDER BY ms",
            r"SELECT avg(capture(text, '(\d+)')), CAST( capture(text, 'b') AS INT) FROM log ORDER BY 1",
            "SELECT id FROM t WHERE (t.a->'b'->>'n') + 0 > 5 AND 1 * trim(c) < 2 ORDER BY round(coalesce(a, b)->>'n', 1)",
            "SELECT a->>'zip', count(*) FROM t WHERE a->>'zip' = '10115' GROUP BY 1",
            "SELECT a->>'zip' FROM t WHERE a->>'city' IN ('x') AND b <> 'y'",
        ] {
            assert_eq!(of_functions(sql), None, "{sql}");
        }
    }
}
