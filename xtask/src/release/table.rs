//! What a dry run found: a line for each artifact, with its size and the checks that it passed.

use std::fs;
use std::path::Path;

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

    /// Prints the lines and, last, the sums; false if a check failed, or none was made.
    pub fn close(&self) -> bool {
        let width = self.0.iter().map(|row| row.what.chars().count()).max().unwrap_or(0);
        println!("\n{:width$}  {:>9}  checks", "artifact", "size");
        for row in &self.0 {
            let size = row.bytes.map_or(String::new(), size);
            println!("{:width$}  {size:>9}  {}", row.what, row.passed.join(", "));
            let below = " ".repeat(width + 13);
            row.not_here.iter().for_each(|why| println!("{below}not here: {why}"));
            row.failed.iter().for_each(|why| println!("{below}FAILED: {why}"));
        }
        let sum = |of: fn(&Row) -> &Vec<String>| self.0.iter().map(|row| of(row).len()).sum::<usize>();
        let (passed, failed) = (sum(|row| &row.passed), sum(|row| &row.failed));
        let not_here = sum(|row| &row.not_here);
        println!("\n{passed} passed, {failed} failed, {not_here} skipped");
        failed == 0 && passed > 0
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
        assert!(!table.close());
        table.of("a").check("one", Ok(Said::NotHere("no tool".to_owned())));
        assert!(!table.close());
        table.of("b").check("one", Ok(Said::Passed)).check("two", Ok(Said::Told("2".to_owned())));
        assert!(table.close());
        table.of("c").check("one", Err(anyhow!("no")));
        assert!(!table.close());
    }
}
