//! Findings as text for a terminal, and as annotations of GitHub Actions.

use super::rule::LintLevel;
use super::{Finding, Lint};
use crate::survey::numbers::{counted, grouped};
use crate::survey::table::{shown, wrapped};
use toolshape::host::printable_within;

const LEAST_COLUMNS: usize = 60;
const NAME_CHARS: usize = 128;

impl Lint {
    /// As text in lines of at most this many columns, with 60 as the least.
    pub fn text(&self, columns: usize) -> String {
        let columns = columns.max(LEAST_COLUMNS);
        let mut out = String::new();
        for rule in self.broken() {
            out += &format!("{} {}\n", rule.level.name(), rule.id);
            for said in [rule.what, rule.fix] {
                write_wrapped(&format!("{said}."), "  ", columns, &mut out);
            }
            for finding in self.findings.iter().filter(|finding| finding.rule.id == rule.id) {
                out += &format!("  - {}\n", shown(self.place(finding), NAME_CHARS));
                write_wrapped(&finding.evidence(), "    ", columns, &mut out);
            }
            out.push('\n');
        }
        out + &format!(
            "{} in {} and {}: {}\n",
            counted(self.findings.len(), "finding", "findings"),
            counted(self.tools, "tool", "tools"),
            counted(self.results, "result", "results"),
            counted(self.cost(), "token", "tokens"),
        ) + &match self.dense {
            0 => String::new(),
            saved => format!("Behind toolshape, --dense saves {}\n", counted(saved, "token", "tokens")),
        }
    }

    /// As annotations of GitHub Actions, a line each.
    pub fn github(&self) -> String {
        let line = |finding: &Finding| {
            let title = format!("{}: {}", finding.rule.id, self.place(finding));
            let message = format!("{}. {} {}.", finding.rule.what, finding.evidence(), finding.rule.fix);
            let (title, message) = (of_property(&printable_within(&title, NAME_CHARS)), of_data(&message));
            format!("::{} title={title}::{message}\n", finding.rule.level.name())
        };
        self.findings.iter().map(line).collect()
    }
}

impl Finding {
    /// The evidence as a sentence, with the cost.
    pub fn evidence(&self) -> String {
        let results = if self.results > 1 { format!("{} results; the worst: ", self.results) } else { String::new() };
        let cost = match (self.cost, self.rule.level) {
            (0, _) => String::new(),
            (cost, LintLevel::Error) => format!("; {} tokens are not seen", grouped(cost)),
            (cost, LintLevel::Warning) => format!("; {} tokens for nothing", grouped(cost)),
        };
        format!("{results}{}{cost}.", self.evidence)
    }
}

/// A text in indented lines.
fn write_wrapped(text: &str, indent: &str, columns: usize, out: &mut String) {
    for line in wrapped(text, columns - indent.len()) {
        *out += &format!("{indent}{}\n", shown(&line, columns * 4));
    }
}

/// A text as the data of a workflow command.
fn of_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A text as the property of a workflow command.
fn of_property(text: &str) -> String {
    of_data(text).replace(':', "%3A").replace(',', "%2C")
}
