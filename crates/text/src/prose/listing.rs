//! The rows of a printed listing or table with the largest and the newest values of its columns.

use std::cmp::Ordering;

use crate::values::moment::{Moment, clock_seconds};
use crate::values::quantity::{self, Quantity, spelling};

/// Fewer rows are seen at once.
const LEAST_ROWS: usize = 24;
/// Columns that are compared, and rows that are shown of each.
const COLUMNS: usize = 12;
const MOST_LARGE: usize = 3;
/// The least tenths of the cells of a column that are numbers or times.
const VALUE_TENTHS: usize = 9;

/// Rows in order begin again at most once in this many.
const RESTARTS: usize = 16;

/// What is at the same place in each row.
#[derive(Default)]
struct Column {
    cells: usize,
    /// The values, each with its line.
    values: Vec<(f64, usize)>,
}

impl Column {
    /// The lines with the largest values, the largest first, without a value that more lines have. `None` if few cells have a value, or if
    /// the rows are in the order of these.
    fn largest(mut self) -> Option<Vec<usize>> {
        if self.values.len() < LEAST_ROWS || self.values.len() * 10 < self.cells * VALUE_TENTHS {
            return None;
        }
        let steps =
            |wanted: Ordering| self.values.windows(2).filter(|pair| pair[0].0.total_cmp(&pair[1].0) == wanted).count();
        let (up, down) = (steps(Ordering::Less), steps(Ordering::Greater));
        if up.min(down) * RESTARTS <= up.max(down) {
            return None;
        }
        let most = MOST_LARGE.min(self.values.len() - 1);
        let order = |one: &(f64, usize), other: &(f64, usize)| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1));
        self.values.select_nth_unstable_by(most, order);
        self.values.truncate(most + 1);
        self.values.sort_unstable_by(order);
        let shared = self.values[most].0;
        Some(self.values.iter().take_while(|(value, _)| *value > shared).map(|(_, at)| *at).collect())
    }
}

/// The largest of each column of the `filled` lines, then the second of each.
pub(super) fn largest(lines: &[&str], filled: &[usize]) -> Vec<usize> {
    if filled.len() < LEAST_ROWS {
        return Vec::new();
    }
    let mut columns: Vec<Column> = (0..COLUMNS).map(|_| Column::default()).collect();
    for &at in filled {
        let mut words = lines[at].split_whitespace().peekable();
        for column in &mut columns {
            let Some(word) = words.next() else { break };
            column.cells += 1;
            column.values.extend(value(word, words.peek().copied()).map(|value| (value, at)));
        }
    }
    let columns: Vec<Vec<usize>> = columns.into_iter().filter_map(Column::largest).collect();
    let mut found: Vec<usize> = Vec::new();
    for at in (0..MOST_LARGE).flat_map(|nth| columns.iter().filter_map(move |rows| rows.get(nth).copied())) {
        if !found.contains(&at) {
            found.push(at);
        }
    }
    found
}

/// The number of a cell in the base of its unit, or the seconds of its time, of which the next cell may be the time of the day.
fn value(word: &str, next: Option<&str>) -> Option<f64> {
    if !word.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // `size=81.9 KiB,` has its name before it and its unit behind it.
    let bare = |word: &'_ str| word.trim_end_matches([',', ';', ')']).len();
    let word = &word[..bare(word)];
    let word = word.rsplit_once('=').map_or(word, |(_, value)| value);
    if let Some(quantity) = Quantity::parse(word) {
        let next = next.map_or("", |next| &next[..bare(next)]);
        let unit = if quantity.unit.is_empty() { next } else { quantity.unit };
        let factor = quantity::bytes_of(unit).or_else(|| quantity::seconds_of(unit)).unwrap_or(1.0);
        let spelled = [spelling::THOUSANDS, spelling::COMMA].into_iter().find(|way| quantity.spellings & way > 0)?;
        return Some(quantity.value(spelled) * factor);
    }
    if let Some(seconds) = clock_seconds(word) {
        return Some(seconds);
    }
    let with_time = next.filter(|next| next.contains(':')).and_then(|next| Moment::parse(&format!("{word} {next}")));
    let (seconds, nanoseconds) = with_time.or_else(|| Moment::parse(word)).filter(Moment::is_dated)?.instant();
    #[expect(clippy::cast_precision_loss, reason = "seconds since 1970 are far below 2^53")]
    Some(seconds as f64 + f64::from(nanoseconds) / 1e9)
}

#[cfg(test)]
mod tests {
    use super::largest;

    fn rows(row: impl Fn(usize) -> String) -> Vec<usize> {
        let text: Vec<String> = (0..80).map(row).collect();
        largest(&text.iter().map(String::as_str).collect::<Vec<_>>(), &(0..80).collect::<Vec<_>>())
    }

    #[test]
    fn the_largest_of_each_column_comes_before_the_second() {
        let mixed = |n: usize| (n * 37) % 80;
        assert_eq!(rows(|n| format!("f{n} {} {}\n", mixed(n), 79 - mixed(n)))[..3], [67, 0, 54]);
    }

    #[test]
    fn units_and_times_are_read() {
        let size = |n: usize| if n == 33 { "1.2G".to_owned() } else { format!("{}K", 900 + n % 9) };
        assert_eq!(rows(|n| format!("{} d{n}\n", size(n))), [33]);
        let second = |n: usize| if n == 40 { 59 } else { n % 7 };
        assert_eq!(rows(|n| format!("2026-11-20 10:00:{:02} a{n}\n", second(n))), [40]);
        assert_eq!(rows(|n| format!("10:00 {}%\n", if n == 2 { 99 } else { 30 + n * 7 % 40 })), [2, 17, 57]);
    }

    #[test]
    fn what_is_in_order_or_shared_is_not_the_largest() {
        assert_eq!(rows(|n| format!("{} dir{n}\n", n * n)), []);
        assert_eq!(rows(|n| format!("step {} of 40\n", n % 40)), []);
        assert_eq!(rows(|n| format!("cpu{n}  {}.5%\n", 98 + n % 2)), []);
        assert_eq!(rows(|n| format!("{n:040x} name{n} 007\n")), []);
    }
}
