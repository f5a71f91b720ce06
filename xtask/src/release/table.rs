//! What a dry run found: a line for each artifact, with its size and the checks that it passed.

use std::path::Path;
use std::{fmt, fs};

use anyhow::Result;

use crate::console;

/// How a check ended, if it did not fail.
pub enum Said {
    Passed,
    /// A check that cannot fail, and what it found.
    Told(String),
    /// Not possible here, and why.
    NotHere(String),
}

/// The lines, in the order in which they were made.
#[derive(Default)]
pub struct Table(Vec<Row>);

/// An artifact, or what all of them have in common.
pub struct Row {
    what: String,
    bytes: Option<u64>,
    passed: Vec<String>,
    failed: Vec<String>,
    not_here: Vec<String>,
}

impl Table {
    /// A line for what is no file.
    pub fn of(&mut self, what: impl Into<String>) -> &mut Row {
        let row = Row { what: what.into(), bytes: None, passed: Vec::new(), failed: Vec::new(), not_here: Vec::new() };
        self.0.push(row);
        self.0.last_mut().expect("one was pushed")
    }

    /// A line for a file, by its name.
    pub fn of_file(&mut self, file: &Path) -> &mut Row {
        let row = self.of(file.file_name().unwrap_or_default().to_string_lossy());
        row.bytes = fs::metadata(file).ok().map(|found| found.len());
        row
    }

    /// Whether a check was made, and none failed.
    pub fn is_good(&self) -> bool {
        self.sum(|row| &row.failed) == 0 && self.sum(|row| &row.passed) > 0
    }

    fn sum(&self, of: fn(&Row) -> &Vec<String>) -> usize {
        self.0.iter().map(|row| of(row).len()).sum()
    }
}

/// The lines and, last, the sums.
impl fmt::Display for Table {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.0.iter().map(|row| row.what.chars().count()).max().unwrap_or(0);
        writeln!(to, "{:width$}  {:>9}  checks", "artifact", "size")?;
        for row in &self.0 {
            let size = row.bytes.map_or(String::new(), size);
            writeln!(to, "{:width$}  {size:>9}  {}", row.what, row.passed.join(", "))?;
            let below = " ".repeat(width + 13);
            row.not_here.iter().try_for_each(|why| writeln!(to, "{below}not here: {why}"))?;
            row.failed.iter().try_for_each(|why| writeln!(to, "{below}FAILED: {why}"))?;
        }
        let [passed, failed] = [self.sum(|row| &row.passed), self.sum(|row| &row.failed)];
        writeln!(to, "\n{passed} passed, {failed} failed, {} skipped", self.sum(|row| &row.not_here))
    }
}

impl Row {
    /// Adds a check, and says at once if it failed.
    pub fn check(&mut self, name: &str, said: Result<Said>) -> &mut Self {
        match said {
            Ok(Said::Passed) => self.passed.push(name.to_owned()),
            Ok(Said::Told(what)) => self.passed.push(format!("{name}: {what}")),
            Ok(Said::NotHere(why)) => self.not_here.push(format!("{name}: {why}")),
            Err(error) => {
                console::line(format!("FAILED: {}: {name}: {error:#}", self.what));
                let text = error.to_string();
                self.failed.push(format!("{name}: {}", text.lines().next().unwrap_or_default()));
            }
        }
        self
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{:.1} KB", bytes as f64 / 1e3),
        _ => format!("{:.2} MB", bytes as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::{Said, Table};

    #[test]
    fn one_failed_check_fails_the_whole_and_none_is_no_success() {
        let mut table = Table::default();
        assert!(!table.is_good());
        table.of("a").check("one", Ok(Said::NotHere("no tool".to_owned())));
        assert!(!table.is_good());
        table.of("b").check("one", Ok(Said::Passed)).check("two", Ok(Said::Told("2".to_owned())));
        assert!(table.is_good());
        table.of("c").check("one", Err(anyhow!("no")));
        assert!(!table.is_good());
        let shown = table.to_string();
        assert!(shown.contains("not here: one: no tool\n") && shown.contains("one, two: 2\n"), "{shown}");
        assert!(shown.ends_with("FAILED: one: no\n\n2 passed, 1 failed, 1 skipped\n"), "{shown}");
    }
}
