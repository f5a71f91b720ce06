//! The sums as text.

use crate::savings::{ALL, By, Savings, Sum};

const HEAD: [&str; 7] = ["results", "without", "with", "read back", "definitions", "saved", "handles read"];
/// The most rows by one name; the others are one row.
const MOST: usize = 20;
/// The most characters of a name, which a server may have chosen.
const NAME: usize = 40;

impl Savings {
    /// A sentence with this verb, and a table by each name.
    #[must_use]
    pub fn table(&self, verb: &str) -> String {
        let (handles, read) = self.all.handles();
        let share = |part: i64, of: u64| if of == 0 { 0.0 } else { 100.0 * part as f64 / of as f64 };
        let mut out = format!(
            "toolshape {verb} {} of {} tokens ({:.0} %) in {} results, each counted once; {read} of {handles} handles were read.\n",
            grouped(self.all.saved()),
            grouped(self.all.without as i64),
            share(self.all.saved(), self.all.without),
            grouped(self.all.results as i64),
        );
        for (by, name) in ALL {
            let mut sums: Vec<(&str, &Sum)> = self.by(by).collect();
            if by != By::Day {
                sums.sort_by_key(|(_, sum)| -sum.saved());
            }
            let start = if by == By::Day { sums.len().saturating_sub(MOST) } else { 0 };
            let rows: Vec<[String; 8]> = sums.iter().skip(start).take(MOST).map(|(name, sum)| row(name, sum)).collect();
            let mut head = [name; 8];
            head[1..].copy_from_slice(&HEAD);
            out += &format!("\n{}", lines(&[vec![head.map(str::to_owned)], rows].concat()));
            if sums.len() > MOST {
                out += &format!("and {} more: --json has all\n", sums.len() - MOST);
            }
        }
        out
    }
}

fn row(name: &str, sum: &Sum) -> [String; 8] {
    let printable: String =
        name.chars().map(|letter| if letter.is_control() { '?' } else { letter }).take(NAME).collect();
    let (handles, read) = sum.handles();
    let numbers = [sum.results, sum.without, sum.with, sum.read_back].map(|number| grouped(number as i64));
    let [results, without, with, read_back] = numbers;
    let rate = (100 * read).checked_div(handles).map_or("-".to_owned(), |percent| format!("{percent} %"));
    [printable, results, without, with, read_back, grouped(sum.definitions), grouped(sum.saved()), rate]
}

/// Rows in columns: the first to the left, numbers to the right.
fn lines(rows: &[[String; 8]]) -> String {
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or_default();
    let line = |row: &[String; 8]| {
        let numbers: String = (1..8).map(|at| format!("  {:>width$}", row[at], width = width(at))).collect();
        format!("{:width$}{numbers}\n", row[0], width = width(0))
    };
    rows.iter().map(line).collect()
}

/// A number with commas.
fn grouped(number: i64) -> String {
    format!("{}{}", if number < 0 { "-" } else { "" }, toolshape_proxy::grouped(number.unsigned_abs() as usize))
}
