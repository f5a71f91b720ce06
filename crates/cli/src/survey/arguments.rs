//! The command lines of `measure` and `lint`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::arguments::{PolicyOptions, path};

/// What servers cost a model's context.
#[derive(Debug, Args)]
pub struct MeasureArguments {
    #[command(flatten)]
    pub policy: PolicyOptions,

    /// Prints JSON in place of the table
    #[arg(long)]
    pub json: bool,

    /// Writes a report that a browser shows
    #[arg(long, value_name = "FILE", value_parser = path)]
    pub html: Option<PathBuf>,

    /// Tokens of the context window that the tools are compared with [default: 200000]
    #[arg(long, value_name = "TOKENS")]
    pub window: Option<usize>,

    #[command(flatten)]
    pub sources: SourceArguments,
}

/// What is wrong with servers.
#[derive(Debug, Args)]
pub struct LintArguments {
    #[command(flatten)]
    pub policy: PolicyOptions,

    /// How findings are printed
    #[arg(long, value_enum, default_value = "text")]
    pub format: LintFormat,

    /// Exits with 1 if the findings cost more tokens together
    #[arg(long, value_name = "TOKENS")]
    pub fail_over: Option<usize>,

    #[command(flatten)]
    pub sources: SourceArguments,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum LintFormat {
    Text,
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

/// Where servers are known from.
#[derive(Debug, Args)]
#[command(next_help_heading = "Servers")]
pub struct SourceArguments {
    /// A server behind streamable HTTP, in place of a command
    #[arg(long, value_name = "ADDRESS", conflicts_with = "server")]
    pub url: Option<String>,

    /// A header of every request to the address, such as 'Authorization: Bearer …'; may be repeated
    #[arg(long, value_name = "HEADER", requires = "url", conflicts_with = "server")]
    pub header: Vec<String>,

    /// A list of tools, as tools/list returns it; may be repeated
    #[arg(long, value_name = "FILE", value_parser = path)]
    pub tools: Vec<PathBuf>,

    /// What toolshape --record FILE wrote; may be repeated
    #[arg(long, value_name = "FILE", value_parser = path)]
    pub recording: Vec<PathBuf>,

    /// A host's configuration file, such as .mcp.json, whose servers are asked one by one; may be repeated
    #[arg(long, value_name = "FILE", value_parser = path)]
    pub servers: Vec<PathBuf>,

    /// The configuration files of the hosts on this machine
    #[arg(long)]
    pub hosts: bool,

    /// Calls to make, as [{"tool": "name", "arguments": {}}]; without it only tools with readOnlyHint
    /// are called, with the values that their schemas name
    #[arg(long, value_name = "FILE", value_parser = path)]
    pub calls: Option<PathBuf>,

    /// How long an answer may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub timeout: u64,

    /// The command that starts a server, and its arguments
    #[arg(value_name = "COMMAND", trailing_var_arg = true, allow_hyphen_values = true)]
    pub server: Vec<String>,
}
