//! Starts a server once, as its host would, and asks for its tools.

use anyhow::{Result, ensure};
use toolshape::host::Redaction;
use toolshape_hosts::Server;
use toolshape_proxy::ConfiguredServer;

use crate::survey;

/// How many seconds a server may take, which the first start of a package does.
const LONGEST: u64 = 60;
/// How the names of readers begin.
const READER: &str = "read_result";
/// No call of a tool.
const NO_CALLS: &str = "[]";

/// What a server answered.
pub struct Answer {
    /// The tool that reads what was kept.
    pub reader: Option<String>,
    /// Its other tools.
    pub tools: Vec<String>,
}

/// Starts a server behind these words.
///
/// # Errors
/// A server that does not start, ends, or does not answer in a minute.
pub fn start(words: &[String], server: &Server) -> Result<Answer> {
    let (command, variables) = server.behind(words);
    ensure!(!command.is_empty(), "it has no command");
    let environment = server.environment.iter().cloned().chain(variables).collect();
    let started = ConfiguredServer { command, environment, ..ConfiguredServer::default() };
    let surveyed = survey::ask(Some(&server.name), &started, &[], Some(NO_CALLS), &Redaction::default(), LONGEST)?;
    let names = surveyed.tools().map(str::to_owned);
    let (mut readers, tools): (Vec<_>, Vec<_>) = names.partition(|name| name.starts_with(READER));
    Ok(Answer { reader: readers.pop(), tools })
}
