//! The command line.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use serde_json::{Map, Value, json};
use toolshape::host::{OF_CALL, OF_TOOL, OptionSpec, Takes};
use toolshape::options::Format;
use toolshape_hosts::hooks;
use toolshape_proxy::{OF_RELAY, RelayOptions, read_lenient_json};
use toolshape_stores::in_home;

use crate::misuse::Misuse;
use crate::output;
use crate::settings;
use crate::survey::arguments::{LintArguments, MeasureArguments};

/// Runs toolshape as a proxy in front of any MCP server: every result of its tools fits the model's context, and can be
/// queried. All other traffic is forwarded byte for byte.
#[derive(Debug, Parser)]
#[command(
    name = "toolshape",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_flag = true,
    override_usage = "toolshape [OPTIONS] -- COMMAND [ARGUMENTS]\n       toolshape [OPTIONS] --url ADDRESS\n       \
                      toolshape shape|count|expand [OPTIONS] [FILE]\n       \
                      toolshape run [OPTIONS] -- COMMAND [ARGUMENTS]\n       \
                      toolshape read [OPTIONS] HANDLE\n       \
                      toolshape install|uninstall|status|doctor [HOST]...\n       \
                      toolshape off|on SERVER[/TOOL]\n       \
                      toolshape savings [--replay]\n       \
                      toolshape call [--as HOST] TOOL [ARGUMENTS] -- COMMAND\n       \
                      toolshape hook HOST|install|uninstall\n       \
                      toolshape serve [OPTIONS]\n       \
                      toolshape measure|lint [OPTIONS] -- COMMAND [ARGUMENTS]\n       \
                      toolshape measure|lint [OPTIONS] --url ADDRESS",
    after_help = EXAMPLES
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,

    #[command(flatten)]
    pub relay: RelayArguments,

    /// Print help
    #[arg(short, long, global = true, action = ArgAction::HelpShort)]
    help: Option<bool>,
}

const EXAMPLES: &str = "\
Examples:
  toolshape -- npx -y @modelcontextprotocol/server-everything
  toolshape --max-tokens 4000 --store ~/.cache/toolshape -- uvx mcp-server-git
  gh api repos/rust-lang/rust/issues | toolshape shape --max-tokens 1000
  toolshape run -- cargo test
  toolshape hook install
  toolshape serve --config toolshape.json
  toolshape measure --html report.html -- npx -y @modelcontextprotocol/server-filesystem .

In a host's configuration the command becomes toolshape, and the server's command its arguments:
  { \"command\": \"npx\", \"args\": [\"-y\", \"toolshape-cli\", \"--\", \"npx\", \"-y\", \"some-server\"] }

Exit code: the server's; 126 or 127 if it cannot be started, 1 for other failures, 2 for a wrong option.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Shapes a file or the standard input: JSON, or text
    Shape(Box<ShapeArguments>),
    /// Counts the tokens of a file or of the standard input
    Count(Count),
    /// Prints the minified original of a file or of the standard input in the dense form
    Expand(Expand),
    /// Runs a command and shapes what it prints; the exit code is the command's
    Run(Box<RunArguments>),
    /// Reads a result that run or a hook has stored, or answers a question about it
    Read(Box<ReadArguments>),
    /// Shapes the results of a host's tools, as its hook
    Hook(Box<HookArguments>),
    /// Puts toolshape before the servers of the hosts of this machine, after it has shown the changes
    Install(InstallArguments),
    /// Takes toolshape out of all hosts again
    Uninstall(SomeHosts),
    /// Lists the servers of hosts, and whether toolshape is before them
    Status(SomeHosts),
    /// Lists them, and starts each one that toolshape is before
    Doctor(SomeHosts),
    /// Leaves a server or a tool alone
    Off(NamedServer),
    /// Takes back off
    On(NamedServer),
    /// Writes a stored result, whole, into a new file
    Save(SaveArguments),
    /// Answers as a server that only reads what relays have kept, for hosts with several servers
    Reader(Box<ReaderArguments>),
    /// Prints what was saved on this machine, by day, server and tool
    Savings(Box<SavingsArguments>),
    /// Calls a tool of a server, and prints what a host's model reads of the result
    #[command(override_usage = "toolshape call [OPTIONS] <TOOL> [ARGUMENTS] -- <COMMAND>...")]
    Call(Box<CallArguments>),
    /// Answers under one HTTP address in front of servers, as a proxy that shapes the results of their tools
    Serve(ServeArguments),
    /// Measures what servers cost a model's context: their tools and results, before and after shaping
    Measure(Box<MeasureArguments>),
    /// Finds data in a server's tools and results that the model does not see, or that wastes tokens
    Lint(Box<LintArguments>),
    /// Prints a script with which a shell completes the command line
    Completions(Completions),
}

/// A shell.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_parser = PossibleValuesParser::new(["bash", "fish", "powershell", "zsh"]).try_map(|name| name.parse::<Shell>()))]
    pub shell: Shell,
}

/// A server behind the relay.
#[derive(Debug, Args)]
pub struct RelayArguments {
    #[command(flatten)]
    pub policy: PolicyOptions,

    /// Server behind streamable HTTP, instead of a command
    #[arg(long, value_name = "ADDRESS", conflicts_with = "server")]
    pub url: Option<String>,

    /// Header of every request to the address, such as 'Authorization: Bearer …'; may be repeated
    #[arg(long, value_name = "HEADER", requires = "url", conflicts_with = "server")]
    pub header: Vec<String>,

    /// Takes more headers, a line each, from this environment variable
    #[arg(long, value_name = "VARIABLE", requires = "url", conflicts_with = "server")]
    pub header_env: Option<String>,

    /// Keeps whole results in this folder or in a Redis (redis://host:port) instead of the user's cache
    #[arg(long, value_name = "PLACE", conflicts_with = "no_store")]
    pub store: Option<String>,

    /// Keeps no results: the rest of a result is reached by calling the tool again
    #[arg(long)]
    pub no_store: bool,

    #[arg(long, value_name = "TOOL", help = help(&OF_RELAY, "resultArguments"))]
    pub result_arguments: Vec<String>,

    #[arg(long, value_name = "BYTES", value_parser = whole_number, help = help(&OF_RELAY, "maxLineBytes"))]
    pub max_line_bytes: Option<u64>,

    #[arg(long, help = help(&OF_RELAY, "observe"))]
    pub observe: bool,

    /// Name of the server in what savings sums, instead of what it calls itself
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,

    /// Appends the traffic of both sides to a file, for `toolshape measure`
    #[arg(long, value_name = "FILE", value_parser = path)]
    pub record: Option<PathBuf>,

    /// Prints the JSON Schema of toolshape.json
    #[arg(long, exclusive = true)]
    pub print_schema: bool,

    /// The command that starts the server, and its arguments
    #[arg(required_unless_present_any = ["print_schema", "url"], value_name = "COMMAND", trailing_var_arg = true)]
    pub server: Vec<String>,
}

/// How results are shaped.
#[derive(Debug, Args)]
pub struct PolicyOptions {
    #[arg(long, value_name = "TOKENS", value_parser = whole_number, help = help(&OF_TOOL, "maxTokens"))]
    pub max_tokens: Option<u64>,

    /// JSON file with options [default: toolshape.json of the user, and what shapes of ./toolshape.json]
    #[arg(long, visible_alias = "policy", value_name = "FILE", value_parser = path)]
    pub config: Option<PathBuf>,

    /// An option of the file, such as preview=tail or paginateAfter=100; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub set: Vec<(String, Value)>,

    /// Writes also what fits in the dense form where that saves tokens: --set format=auto
    #[arg(long)]
    pub dense: bool,
}

/// The help of an option of the table: its sentence, its words and its default.
pub fn help(options: &[OptionSpec], name: &str) -> String {
    let Some(option) = options.iter().find(|option| option.name == name) else { return String::new() };
    let mut help = option.about.trim().trim_end_matches('.').to_owned();
    match option.takes {
        Takes::Choice(_, words) => help += &format!(" [values: {}]", words.join(", ")),
        Takes::Texts => help += "; may be repeated",
        _ => {}
    }
    match option.default {
        "none" => help,
        default => format!("{help} [default: {}]", default.replace('`', "")),
    }
}

/// The default of an option of the table.
fn default(options: &[OptionSpec], name: &str) -> &'static str {
    let option = options.iter().find(|option| option.name == name);
    option.map_or("", |option| option.default.trim_matches('`'))
}

/// A path, in which `~` at the start is the user's home: hosts start commands without a shell.
pub fn path(text: &str) -> Result<PathBuf, &'static str> {
    if text.is_empty() { Err("must name a file") } else { Ok(in_home(Path::new(text)).into_owned()) }
}

/// A whole number; its range is checked with the policy and the call.
fn whole_number(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(|_| "must be a whole number")
}

/// An option and its value: JSON, or else a text.
fn setting(text: &str) -> Result<(String, Value), &'static str> {
    let (name, value) = text.split_once('=').ok_or("must be NAME=VALUE")?;
    Ok((name.to_owned(), serde_json::from_str(value).unwrap_or_else(|_| value.into())))
}

/// Sets an option, or with `tools.NAME` what holds for one tool, whose name may have dots.
fn set(options: &mut Map<String, Value>, name: &str, value: &Value) {
    if let Some(tool) = name.strip_prefix("tools.")
        && let Value::Object(tools) = options.entry("tools").or_insert_with(|| json!({}))
    {
        tools.insert(tool.to_owned(), value.clone());
    } else {
        options.insert(name.to_owned(), value.clone());
    }
}

/// A value, and what is shown of it.
#[derive(Debug, Args)]
pub struct ShapeArguments {
    #[command(flatten)]
    pub policy: PolicyOptions,

    #[command(flatten)]
    pub controls: ControlArguments,

    /// Explain on standard error why the result looks as it does
    #[arg(long)]
    pub explain: bool,

    #[command(flatten)]
    pub question: QuestionArguments,

    /// File [default: standard input, also -]
    #[arg(value_name = "FILE", value_parser = path)]
    pub file: Option<PathBuf>,
}

/// What is shown of a value.
#[derive(Debug, Args)]
pub struct ControlArguments {
    #[arg(long, value_parser = whole_number, help = help(&OF_CALL, "page"))]
    pub page: Option<u64>,

    #[arg(long, value_name = "ROWS", value_parser = whole_number, help = help(&OF_CALL, "pageSize"))]
    pub page_size: Option<u64>,

    #[arg(long, value_parser = NonEmptyStringValueParser::new(), help = help(&OF_CALL, "cursor"))]
    pub cursor: Option<String>,

    #[arg(long, value_delimiter = ',', value_name = "FIELD,…", value_parser = NonEmptyStringValueParser::new(), help = help(&OF_CALL, "fields"))]
    pub fields: Vec<String>,

    #[arg(long, value_parser = NonEmptyStringValueParser::new(), help = help(&OF_CALL, "format"))]
    pub format: Option<String>,
}

/// A command whose output is shaped.
#[derive(Debug, Args)]
pub struct RunArguments {
    #[command(flatten)]
    pub policy: PolicyOptions,

    /// The command and its arguments
    #[arg(required = true, value_name = "COMMAND", trailing_var_arg = true)]
    pub command: Vec<String>,
}

/// A stored result, and what is asked about it. Agents may run this command without asking: no option names a place.
#[derive(Debug, Args)]
pub struct ReadArguments {
    #[arg(long, value_name = "TOKENS", value_parser = whole_number, help = help(&OF_TOOL, "maxTokens"))]
    pub max_tokens: Option<u64>,

    #[command(flatten)]
    pub controls: ControlArguments,

    #[command(flatten)]
    pub question: QuestionArguments,

    /// The 16 letters of the result, or all arguments as JSON; none lists what is stored in this folder
    #[arg(value_name = "HANDLE")]
    pub handle: Option<String>,

    /// A question in SQL: the table is the handle, or `result`
    #[arg(value_name = "SQL", conflicts_with = "sql", value_parser = NonEmptyStringValueParser::new())]
    pub statement: Option<String>,
}

/// A host, or what is done with its settings.
#[derive(Debug, Args)]
pub struct HookArguments {
    #[command(flatten)]
    pub policy: PolicyOptions,

    /// The settings that install and uninstall change [default: ~/.claude/settings.json]
    #[arg(long, value_name = "FILE", value_parser = path)]
    pub settings: Option<PathBuf>,

    /// A host, whose hook shapes one result; install and uninstall set that of Claude Code up with options
    #[arg(value_parser = PossibleValuesParser::new(hooks().iter().map(|hook| hook.host).chain(["install", "uninstall"])))]
    pub what: String,
}

/// Changes in the configuration of hosts.
#[derive(Debug, Args)]
pub struct InstallArguments {
    #[command(flatten)]
    pub hosts: SomeHosts,

    /// Only show the changes
    #[arg(long)]
    pub dry_run: bool,

    /// Changes the files of the project in this folder, which others have too
    #[arg(long)]
    pub project: bool,

    /// Changes no result: toolshape savings prints what would have been saved
    #[arg(long)]
    pub observe: bool,

    /// Write the changes without asking
    #[arg(short, long, conflicts_with = "dry_run")]
    pub yes: bool,
}

/// Hosts by their names.
#[derive(Debug, Args)]
pub struct SomeHosts {
    /// Hosts, such as claude-code, codex or cursor [default: all]
    #[arg(value_name = "HOST")]
    pub hosts: Vec<String>,
}

/// A server of a host, or one of its tools.
#[derive(Debug, Args)]
pub struct NamedServer {
    /// The server's name in the hosts' configuration; with /TOOL, one tool
    #[arg(value_name = "SERVER[/TOOL]", value_parser = NonEmptyStringValueParser::new())]
    pub name: String,
}

/// A stored result and a file.
#[derive(Debug, Args)]
pub struct SaveArguments {
    /// The 16 letters of the result
    #[arg(value_name = "HANDLE")]
    pub handle: String,

    /// The file, which must not be there yet
    #[arg(value_name = "FILE", value_parser = path)]
    pub file: PathBuf,
}

/// A server that reads.
#[derive(Debug, Args)]
pub struct ReaderArguments {
    #[command(flatten)]
    pub policy: PolicyOptions,
}

/// What was saved.
#[derive(Debug, Args)]
pub struct SavingsArguments {
    #[command(flatten)]
    pub policy: PolicyOptions,

    /// Reads the sessions of Claude Code, Codex, Gemini CLI and opencode, and says what would have been saved
    #[arg(long)]
    pub replay: bool,

    /// Only the last days
    #[arg(long, value_name = "DAYS")]
    pub days: Option<u64>,

    /// Prints JSON in place of the tables
    #[arg(long)]
    pub json: bool,
}

/// A call of a tool.
#[derive(Debug, Args)]
pub struct CallArguments {
    #[command(flatten)]
    pub policy: PolicyOptions,

    /// The host whose model reads the result, such as claude-code or codex [default: one that shows everything]
    #[arg(long = "as", value_name = "HOST")]
    pub host: Option<String>,

    /// A server behind streamable HTTP, in place of a command
    #[arg(long, value_name = "ADDRESS", conflicts_with = "server")]
    pub url: Option<String>,

    /// A header of every request to the address; may be repeated
    #[arg(long, value_name = "HEADER", requires = "url", conflicts_with = "server")]
    pub header: Vec<String>,

    /// How long an answer may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub timeout: u64,

    /// The tool
    #[arg(value_name = "TOOL")]
    pub tool: String,

    /// Its arguments, a JSON object
    #[arg(value_name = "ARGUMENTS", default_value = "{}")]
    pub arguments: String,

    /// The command that starts the server, and its arguments
    #[arg(value_name = "COMMAND", last = true, required_unless_present = "url")]
    pub server: Vec<String>,
}

/// Servers behind one address.
#[derive(Debug, Args)]
pub struct ServeArguments {
    /// JSON file with servers and options
    #[arg(long, value_name = "FILE", value_parser = path)]
    pub config: Option<PathBuf>,

    /// An option of the file, such as maxTokens=4000; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub set: Vec<(String, Value)>,

    /// Address to listen on, such as 0.0.0.0:8080 [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<String>,

    /// Answers Envoy's external processing over gRPC instead of clients over HTTP; servers need no url
    #[arg(long)]
    pub ext_proc: bool,

    /// Answers agentgateway's policies of MCP over gRPC instead of clients over HTTP; servers need no url
    #[arg(long, conflicts_with = "ext_proc")]
    pub ext_mcp: bool,
}

/// What is asked about the value, as read_result takes it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Questions")]
pub struct QuestionArguments {
    /// SQL over the table result, such as SELECT count(*) FROM result
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    pub sql: Option<String>,

    /// A JSON Pointer to a part, such as /items/0/name
    #[arg(long)]
    pub pointer: Option<String>,

    /// Text to search for
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub search: Option<String>,

    /// Lines of a text: 100-200, 100-, -50
    #[arg(long, allow_hyphen_values = true, value_parser = NonEmptyStringValueParser::new())]
    pub lines: Option<String>,

    /// The headings of a text with their lines
    #[arg(long)]
    pub outline: bool,
}

/// A text whose tokens are counted.
#[derive(Debug, Args)]
pub struct Count {
    /// The encoding: o200k_base, cl100k_base or estimate
    #[arg(long, default_value = default(&OF_TOOL, "encoding"))]
    pub encoding: String,

    /// File [default: standard input, also -]
    #[arg(value_name = "FILE", value_parser = path)]
    pub file: Option<PathBuf>,
}

/// A JSON text in the dense form.
#[derive(Debug, Args)]
pub struct Expand {
    /// File [default: standard input, also -]
    #[arg(value_name = "FILE", value_parser = path)]
    pub file: Option<PathBuf>,
}

impl PolicyOptions {
    /// The options of the file; those of the command line replace them.
    pub fn read(&self) -> Result<RelayOptions> {
        Ok(RelayOptions::new(&Value::Object(self.merged()?))?)
    }

    /// The options of the command line, over those of files.
    pub fn merged(&self) -> Result<Map<String, Value>> {
        Ok(self.over(settings::read(self.config.as_deref())?))
    }

    /// The options of the command line, and of the file that it names, alone.
    pub fn named(&self) -> Result<Map<String, Value>> {
        let file = self.config.as_deref().map(|file| settings::read(Some(file))).transpose()?;
        Ok(self.over(file.unwrap_or_default()))
    }

    fn over(&self, mut options: Map<String, Value>) -> Map<String, Value> {
        if self.dense {
            options.insert("format".to_owned(), Format::Auto.into());
        }
        self.set.iter().for_each(|(name, value)| set(&mut options, name, value));
        if let Some(tokens) = self.max_tokens {
            options.insert("maxTokens".to_owned(), tokens.into());
        }
        options
    }
}

impl ControlArguments {
    /// The arguments that were given.
    pub fn given(&self) -> Map<String, Value> {
        let Self { page, page_size, cursor, fields, format } = self;
        let fields = (!fields.is_empty()).then_some(fields);
        shown(json!({ "page": page, "pageSize": page_size, "cursor": cursor, "fields": fields, "format": format }))
    }
}

impl QuestionArguments {
    /// The arguments that were given.
    pub fn given(&self) -> Map<String, Value> {
        let outline = self.outline.then_some(true);
        shown(json!({
            "sql": self.sql, "pointer": self.pointer, "search": self.search, "lines": self.lines, "outline": outline,
        }))
    }
}

fn shown(arguments: Value) -> Map<String, Value> {
    let Value::Object(arguments) = arguments else { return Map::new() };
    arguments.into_iter().filter(|(_, value)| !value.is_null()).collect()
}

impl RelayArguments {
    /// The options of the file; those of the command line replace them.
    pub fn options(&self) -> Result<RelayOptions> {
        let mut options = self.policy.merged()?;
        match &self.store {
            Some(place) => _ = options.insert("store".to_owned(), place.as_str().into()),
            None if self.no_store => _ = options.insert("store".to_owned(), false.into()),
            None => {}
        }
        if !self.result_arguments.is_empty() {
            options.insert("resultArguments".to_owned(), self.result_arguments.clone().into());
        }
        if self.observe {
            options.insert("observe".to_owned(), true.into());
        }
        if let Some(bytes) = self.max_line_bytes {
            options.insert("maxLineBytes".to_owned(), bytes.into());
        }
        Ok(RelayOptions::new(&Value::Object(options))?)
    }
}

impl ServeArguments {
    /// The options of the file; those of the command line replace them.
    pub fn options(&self) -> Result<Value> {
        let missing = "serve needs --config FILE: a file that is only found does not name servers";
        let file = self.config.as_deref().ok_or(Misuse(missing))?;
        let shown = file.display();
        let read = read_lenient_json(&settings::text(file)?).with_context(|| format!("{shown} is not JSON"))?;
        let Value::Object(mut options) = read else { bail!("{shown} is not a JSON object") };
        options.extend(self.set.iter().cloned());
        if let Some(listen) = &self.listen {
            options.insert("listen".to_owned(), listen.as_str().into());
        }
        Ok(Value::Object(options))
    }
}

/// How similar a word and the one that is meant are at least, as for options.
const SIMILAR: f64 = 0.7;

/// The command that a program's name is a mistyped one of.
pub fn similar_command(program: &str) -> Option<String> {
    let arguments = Arguments::command();
    let commands = arguments.get_subcommands().map(|command| (strsim::jaro(program, command.get_name()), command));
    let similar =
        commands.filter(|(likeness, _)| *likeness > SIMILAR).max_by(|(left, _), (right, _)| left.total_cmp(right));
    similar.map(|(_, command)| command.get_name().to_owned())
}

/// Prints the schema by which editors complete and check `toolshape.json`.
pub fn print_schema() -> Result<u8> {
    output::print(format!("{:#}\n", RelayOptions::schema()))?;
    Ok(0)
}
