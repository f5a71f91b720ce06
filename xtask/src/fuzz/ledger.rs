//! What all runs of each target took, in a file of the corpus.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::session::Session;

pub struct Ledger {
    file: PathBuf,
    entries: Value,
}

/// What all runs of one target took.
pub struct Entry {
    pub executions: u64,
    pub cpu_seconds: f64,
    pub failures: u64,
}

impl Ledger {
    /// The ledger in a file, which need not exist.
    pub fn read(file: PathBuf) -> Result<Self> {
        let entries = match fs::read_to_string(&file) {
            Ok(text) => serde_json::from_str(&text).with_context(|| format!("cannot read {}", file.display()))?,
            Err(_) => json!({}),
        };
        Ok(Self { file, entries })
    }

    pub fn of(&self, target: &str) -> Entry {
        let number = |name: &str| &self.entries[target][name];
        Entry {
            executions: number("executions").as_u64().unwrap_or(0),
            cpu_seconds: number("cpuSeconds").as_f64().unwrap_or(0.0),
            failures: number("failures").as_u64().unwrap_or(0),
        }
    }

    /// Adds a run to those of its target, and writes the file.
    pub fn enter(&mut self, session: &Session) -> Result<()> {
        let before = self.of(session.target);
        self.entries[session.target] = json!({
            "executions": before.executions + session.executions,
            "cpuSeconds": before.cpu_seconds + session.cpu_seconds,
            "failures": before.failures + session.failures.len() as u64,
        });
        let text = serde_json::to_string_pretty(&self.entries)? + "\n";
        fs::write(&self.file, text).with_context(|| format!("cannot write {}", self.file.display()))
    }
}
