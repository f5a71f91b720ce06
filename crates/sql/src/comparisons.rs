//! Texts that a statement compares with a column: `size > '10 MB'` compares with what the column would read there. So do long numbers
//! with a column of such, which SQLite would round.

use toolshape_text::values::column::Reading;
use toolshape_text::values::moment::Moment;

use crate::number;
use crate::table::{Column, ColumnKind};
use crate::tokens::{NUMBERS, OPERATORS, Tokens};
use crate::{sqlite, statements};

/// Functions that give one of their values.
const OF_VALUES: [&str; 4] = ["coalesce", "ifnull", "max", "min"];
const SIGNS: [&str; 4] = ["<", ">", "=", "!"];
/// What may be before a negative number.
const BEFORE_MINUS: [&str; 14] =
    ["<", ">", "=", "(", ",", "and", "between", "having", "is", "not", "on", "or", "when", "where"];
/// Digits of a number that SQLite writes as they are spelled.
const EXACT_DIGITS: usize = 15;

/// A text or a long number that is compared with a column, or with what is computed of one.
struct Comparison<'c> {
    /// The token of the text; the first and the last of the number.
    at: usize,
    last: usize,
    column: &'c Column,
    /// Whether nothing is computed of the column.
    is_bare: bool,
}

/// The statement with what texts are in the columns that they are compared with; `None` if it has no such text.
pub fn read_by_columns(sql: &str, columns: &[&Column]) -> Option<String> {
    let small = sql.to_ascii_lowercase();
    let tokens = Tokens(statements::tokens(&small));
    let spelled = statements::tokens(sql);
    let new = |one: &Comparison<'_>| match tokens.is_number(one.last) {
        true => {
            let is_read = one.is_bare && one.column.kind == ColumnKind::BigNumber;
            is_read.then(|| format!("'{}'", spelled[one.at..=one.last].concat()))
        }
        false => in_column(one.column, inside(spelled[one.at])),
    };
    let found: Vec<(usize, usize, String)> =
        comparisons(&tokens, columns).into_iter().filter_map(|one| Some((one.at, one.last, new(&one)?))).collect();
    let mut out = sql.to_owned();
    for (at, last, new) in found.iter().rev() {
        let place = |at: usize| spelled[at].as_ptr().addr() - sql.as_ptr().addr();
        out.replace_range(place(*at)..place(*last) + spelled[*last].len(), new);
    }
    (!found.is_empty()).then_some(out)
}

/// The columns of numbers that a statement compares with a text in which they are not read.
pub fn with_other_texts<'c>(tokens: &Tokens<'_>, columns: &[&'c Column]) -> Vec<(&'c str, String)> {
    let is_other = |one: &Comparison<'_>| {
        is_numeric(one.column) && inside(tokens.0[one.last]).trim_ascii().parse::<f64>().is_err()
    };
    let found = comparisons(tokens, columns).into_iter().filter(is_other);
    found.map(|one| (&*one.column.name, tokens.0[one.at].to_owned())).collect()
}

/// What a text is in a column, as SQL; `None` if that is the text.
fn in_column(column: &Column, text: &str) -> Option<String> {
    if is_numeric(column) {
        if text.trim_ascii().parse::<f64>().is_ok() {
            return None;
        }
        return match &column.reading {
            Reading::Text => Reading::thousands().number(text),
            reading => reading.number(text),
        };
    }
    if let Reading::Dates { order } = column.reading {
        return Moment::in_order(text, order).map(|moment| format!("'{}'", moment.written()));
    }
    let is_time = column.reading == Reading::Time && text.contains(':') && Moment::parse(text).is_some();
    let is_written = column.reading == Reading::Time && Moment::parse(text).is_some_and(|moment| !moment.is_iso);
    (is_time || is_written).then(|| format!("'{}' COLLATE times", text.replace('\'', "''")))
}

fn is_numeric(column: &Column) -> bool {
    column.reading.is_number() || matches!(column.kind, ColumnKind::Integer | ColumnKind::Real | ColumnKind::Number)
}

/// What is between the quotes of a text.
fn inside(token: &str) -> &str {
    token.strip_prefix('\'').and_then(|token| token.strip_suffix('\'')).unwrap_or(token)
}

fn comparisons<'c>(tokens: &Tokens<'_>, columns: &[&'c Column]) -> Vec<Comparison<'c>> {
    let is_long = |at: usize| tokens.0[at].len() > EXACT_DIGITS && number::is_number(tokens.0[at]);
    let values = (0..tokens.0.len()).filter(|&at| tokens.0[at].starts_with('\'') || is_long(at));
    let one = |last: usize| {
        let at = last - usize::from(is_negative(tokens, last));
        let (column, is_bare) = compared(tokens, (at, last), columns)?;
        Some(Comparison { at, last, column, is_bare })
    };
    values.filter_map(one).collect()
}

/// Whether a number has a minus of its own before it.
fn is_negative(tokens: &Tokens<'_>, at: usize) -> bool {
    at > 1 && tokens.is_number(at) && tokens.is(at - 1, "-") && BEFORE_MINUS.contains(&tokens.0[at - 2])
}

/// The column that the value between two tokens is compared with, and whether nothing is computed of it.
fn compared<'c>(
    tokens: &Tokens<'_>,
    (at, last_of_value): (usize, usize),
    columns: &[&'c Column],
) -> Option<(&'c Column, bool)> {
    let is_sign = |at: usize| tokens.0.get(at).is_some_and(|token| SIGNS.contains(token));
    let before = |at: usize| at.checked_sub(1).map_or("", |at| tokens.0[at]);
    // Where a value that ends at a token begins.
    let value = |last: usize| {
        let is_value = tokens.is_number(last) || tokens.0[last].starts_with('\'');
        is_value.then(|| last - usize::from(is_negative(tokens, last)))
    };
    // Behind the column: `v < 'x'`, `v BETWEEN 'x' AND 'x'`, `v IN ('x', 'x')`, `v IS 'x'`.
    let mut operator = at.checked_sub(1)?;
    if before(at) == "and"
        && let Some(first) = at.checked_sub(2).and_then(value)
        && before(first) == "between"
    {
        operator = first - 1;
    }
    while [",", "("].contains(&tokens.0[operator]) && operator > 0 {
        let is_first = tokens.0[operator] == "(";
        operator -= 1;
        if is_first {
            break;
        }
        operator = value(operator)?.checked_sub(1)?;
    }
    if ["between", "in", "is"].contains(&tokens.0[operator]) || tokens.is(operator, "not") && before(operator) == "is" {
        let operator = if before(operator) == "not" || tokens.is(operator, "not") { operator - 1 } else { operator };
        return column_of(tokens, start(tokens, operator), operator, columns);
    }
    if operator + 1 == at && is_sign(operator) {
        let first = (0..=operator).rev().take_while(|&at| is_sign(at)).last()?;
        return column_of(tokens, start(tokens, first), first, columns);
    }
    // Before it: `'x' < v`.
    if is_sign(last_of_value + 1) {
        let first = (last_of_value + 1..tokens.0.len()).find(|&at| !is_sign(at))?;
        let mut last = first;
        loop {
            if tokens.is(last + 1, "(") {
                last = tokens.end(last + 1);
            }
            let goes_on = |token: &&str| *token == "." || OPERATORS.contains(token);
            match tokens.0.get(last + 1).filter(|token| goes_on(token)) {
                Some(_) => last += 2,
                None => break,
            }
        }
        return column_of(tokens, first, (last + 1).min(tokens.0.len()), columns);
    }
    None
}

/// Where what is before an operator begins, sums and products included.
fn start(tokens: &Tokens<'_>, operator: usize) -> usize {
    let mut at = tokens.start(operator);
    while at >= 2 && OPERATORS.contains(&tokens.0[at - 1]) {
        at = tokens.start(at - 1);
    }
    // `WHERE (…)` is no call.
    at + usize::from(sqlite::is_keyword(tokens.0[at]))
}

/// The only column from which numbers are computed between two tokens; `None` if it is not clear what is computed of what.
fn column_of<'c>(tokens: &Tokens<'_>, start: usize, end: usize, columns: &[&'c Column]) -> Option<(&'c Column, bool)> {
    let mut found: Option<&Column> = None;
    for at in start..end {
        let token = tokens.0[at];
        let is_part = ["(", ")", ".", ",", "distinct"].contains(&token) || OPERATORS.contains(&token);
        let is_function = tokens.is(at + 1, "(") && (NUMBERS.contains(&token) || OF_VALUES.contains(&token));
        if is_part || is_function || tokens.is_number(at) || tokens.is(at + 1, ".") {
            continue;
        }
        let name = token.trim_matches(['"', '`', '[', ']']);
        let mut named = columns.iter().filter(|column| column.name.eq_ignore_ascii_case(name));
        let column = *named.next()?;
        let is_same = |other: &&&Column| (other.kind, &other.reading) == (column.kind, &column.reading);
        if !named.all(|other| is_same(&other)) || found.is_some_and(|found| !is_same(&&found)) {
            return None;
        }
        found = Some(column);
    }
    let is_bare = end == start + 1 || end == start + 3 && tokens.is(start + 1, ".");
    found.map(|column| (column, is_bare))
}
