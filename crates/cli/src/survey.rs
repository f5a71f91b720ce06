//! The servers that `measure` and `lint` look at, from wherever they are known.

pub mod arguments;
mod pump;
mod server;

use std::env;
use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use toolshape::host::{Redaction, printable_within};
use toolshape_hosts::{HostFile, Server};
use toolshape_proxy::{Address, ConfiguredServer, Surveyed};

use crate::input;
use crate::misuse::Misuse;
use crate::output;
use arguments::SourceArguments;

/// The most characters of a message that quotes a server.
pub const MOST_CHARS: usize = 1000;

/// The columns of an output that is not a terminal.
const COLUMNS: usize = 100;

/// The servers, in the order in which they are named. One of several that cannot be reached is reported, and left out.
pub fn read(sources: &SourceArguments) -> Result<Vec<Surveyed>> {
    let (mut servers, nothing) = (Vec::new(), Redaction::default());
    for file in &sources.tools {
        servers.push(in_file(file, Surveyed::of_tools(stem(file), &input::read(Some(file))?))?);
    }
    for file in &sources.recording {
        servers.push(in_file(file, Surveyed::of_recording(None, &input::read(Some(file))?))?);
    }
    let script = sources.calls.as_ref().map(|file| input::read(Some(file))).transpose()?;
    if !sources.server.is_empty() {
        let command = ConfiguredServer::started_by(&sources.server);
        servers.push(ask(None, &command, &[], script.as_deref(), &nothing, sources.timeout)?);
    }
    if let Some(url) = &sources.url {
        let server = ConfiguredServer::at(url);
        servers.push(ask(None, &server, &sources.header, script.as_deref(), &nothing, sources.timeout)?);
    }
    let mut files = Vec::new();
    for file in &sources.servers {
        files.push((file.clone(), configured(file)?));
    }
    if sources.hosts {
        files.extend(of_hosts());
    }
    for (file, configured) in &files {
        for server in configured {
            let name = &server.name;
            let filled = server.filled(|name| env::var(name).ok()).map_err(|error| anyhow!("{}", error.message()));
            let asked = filled.and_then(|server| {
                let headers: Vec<String> =
                    server.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
                ask(Some(name), &server, &headers, script.as_deref(), &nothing, sources.timeout)
            });
            match asked {
                Ok(surveyed) => servers.push(surveyed),
                Err(error) => {
                    let said = format!("{name} of {}: {error:#}", file.display());
                    output::say(&format!("toolshape: {}", printable_within(&said, MOST_CHARS)));
                }
            }
        }
    }
    if servers.is_empty() {
        bail!(Misuse("no server: pass a command, --url, --tools, --recording, --servers or --hosts"));
    }
    Ok(servers)
}

/// The file that findings are about: the first that is named.
pub fn place(sources: &SourceArguments) -> String {
    let file = sources.tools.iter().chain(&sources.recording).chain(&sources.servers).chain(&sources.calls).next();
    file.map_or_else(|| "package.json".to_owned(), |file| file.to_string_lossy().replace('\\', "/"))
}

/// The columns of the terminal.
pub fn columns() -> usize {
    let size = terminal_size::terminal_size_of(std::io::stdout());
    size.map_or(COLUMNS, |(terminal_size::Width(columns), _)| usize::from(columns))
}

fn in_file(file: &Path, read: Result<Surveyed, toolshape::Error>) -> Result<Surveyed> {
    read.map_err(|error| anyhow!("{}: {}", file.display(), error.message()))
}

fn stem(file: &Path) -> Option<&str> {
    file.file_stem().and_then(|name| name.to_str())
}

/// The servers of a configuration file that a host would start, without toolshape before them.
fn configured(file: &Path) -> Result<Vec<ConfiguredServer>> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let found = toolshape_hosts::servers(&HostFile::of_any(file), &text);
    let found = found.map_err(|error| anyhow!("{}: {error}", file.display()))?;
    ensure!(!found.is_empty(), "{}: the file names no servers", file.display());
    Ok(started(found))
}

/// The servers in the configuration files of hosts that are in the user's folder, without toolshape before them. Files of a project,
/// which may be anybody's, are named with --servers.
fn of_hosts() -> Vec<(PathBuf, Vec<ConfiguredServer>)> {
    let Some(home) = toolshape_account::home() else { return Vec::new() };
    let read = |file: &HostFile| {
        let path = home.join(file.path);
        let text = fs::read_to_string(&path).ok()?;
        let found = toolshape_hosts::servers(file, &text);
        let found = found.inspect_err(|error| output::say(&format!("toolshape: {}: {error}", path.display()))).ok()?;
        Some((path, started(found)))
    };
    toolshape_hosts::files().iter().filter_map(read).collect()
}

fn started(servers: Vec<Server>) -> Vec<ConfiguredServer> {
    let started = servers.into_iter().filter(|server| !server.is_off && !server.is_reader());
    let configured = started.map(|server| ConfiguredServer {
        command: server.bare_command().to_vec(),
        name: server.name,
        environment: server.environment.into_iter().collect(),
        folder: server.folder,
        url: server.url,
        headers: server.headers.into_iter().collect(),
    });
    configured.collect()
}

pub fn ask(
    name: Option<&str>,
    server: &ConfiguredServer,
    headers: &[String],
    script: Option<&str>,
    redaction: &Redaction,
    seconds: u64,
) -> Result<Surveyed> {
    let shown = match (name, &server.url) {
        (Some(name), _) => name.to_owned(),
        (None, Some(url)) => Address::new(url).to_string(),
        (None, None) => server.command[0].clone(),
    };
    if std::io::stderr().is_terminal() {
        output::say(&format!("asking {} …", printable_within(&shown, MOST_CHARS)));
    }
    let surveyed = pump::ask(name, server, headers, script, redaction, seconds)?;
    if !surveyed.is_listed() {
        let notes = surveyed.notes().join("; ");
        bail!("it lists no tools: {}", redaction.of_text(&notes).unwrap_or(notes));
    }
    Ok(surveyed)
}
