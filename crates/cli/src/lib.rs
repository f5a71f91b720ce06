//! The command line of toolshape: a relay before an MCP server, and the core in a pipe.
//!
//! A library, so that the program `toolshape` and the console script of the Python package are one.
#![forbid(unsafe_code)]

mod arguments;
mod around;
mod call;
mod completions;
mod count;
mod errors;
mod expand;
mod hook;
mod http;
mod input;
mod install;
mod lint;
mod measure;
mod misuse;
mod network;
mod output;
mod program;
mod pump;
mod read;
mod reader;
mod recording;
mod relay;
mod run;
mod save;
mod savings;
mod serve;
mod settings;
mod shape;
mod single_calls;
mod store;
mod survey;
mod winding_down;

use std::ffi::OsString;

use clap::Parser;

use arguments::{Arguments, Command};
use survey::MOST_CHARS;
use toolshape::host::printable_within;
use toolshape_pipes::{child, gate, lines, writer};
use toolshape_proxy::without_passwords;

/// Runs a command line, whose first argument is the name of the program, and returns the exit code.
///
/// ```no_run
/// let code = toolshape_cli::run(["toolshape", "--", "npx", "-y", "@modelcontextprotocol/server-everything"]);
/// ```
pub fn run(arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            print_usage(&error);
            return u8::try_from(error.exit_code()).unwrap_or(u8::MAX);
        }
    };
    let ended = match &arguments.command {
        Some(Command::Shape(asked)) => shape::run(asked),
        Some(Command::Count(asked)) => count::run(asked),
        Some(Command::Expand(asked)) => expand::run(asked),
        Some(Command::Run(asked)) => run::run(asked),
        Some(Command::Read(asked)) => read::run(asked),
        Some(Command::Hook(asked)) => hook::run(asked),
        Some(Command::Install(asked)) => install::install(asked),
        Some(Command::Uninstall(asked)) => install::uninstall(asked),
        Some(Command::Status(asked)) => install::status(asked, false),
        Some(Command::Doctor(asked)) => install::status(asked, true),
        Some(Command::Off(asked)) => install::off(asked),
        Some(Command::On(asked)) => install::on(asked),
        Some(Command::Save(asked)) => save::run(asked),
        Some(Command::Reader(asked)) => reader::run(asked),
        Some(Command::Savings(asked)) => savings::run(asked),
        Some(Command::Call(asked)) => call::run(asked),
        Some(Command::Serve(asked)) => serve::run(asked),
        Some(Command::Measure(asked)) => measure::run(asked),
        Some(Command::Lint(asked)) => lint::run(asked),
        Some(Command::Completions(asked)) => completions::run(asked),
        None if arguments.relay.print_schema => arguments::print_schema(),
        None => relay::run(&arguments.relay),
    };
    ended.unwrap_or_else(|error| {
        let said = misuse::said(&error);
        // It may quote a server.
        let lines: Vec<String> = said.lines().map(|line| printable_within(line, MOST_CHARS)).collect();
        output::say(&format!("toolshape: {}", without_passwords(&lines.join("\n"))));
        misuse::exit_code(&error)
    })
}

/// Prints what is wrong with a command line, which may quote an address; or the help that it asks for.
fn print_usage(error: &clap::Error) {
    let said = error.to_string();
    match (error.use_stderr(), without_passwords(&said)) {
        (true, std::borrow::Cow::Owned(said)) => output::say(said.trim_end()),
        _ => _ = error.print(),
    }
}
