//! `toolshape install`: puts toolshape before the servers of the hosts of this machine, shows what is where, and takes it out.
//!
//! In Claude Code it is a hook, which also has its own tools and the servers of plug-ins; elsewhere the relay before each server that a
//! command starts. A server at an address stays as it is: a relay would hide its login from the host.

mod ledger;
mod place;
mod probe;

use std::io::{self, BufRead, IsTerminal};

use anyhow::{Result, bail, ensure};
use clap::Parser;
use toolshape_hosts::{Relay, Server, add_reader, files, servers, unwrap, wrap};

use crate::arguments::{Arguments, Command, InstallArguments, NamedServer, SomeHosts};
use crate::misuse::Misuse;
use crate::{hook, output, program, settings};
use ledger::Ledger;
use place::Place;
pub use place::private_new;

/// The host that has a hook instead.
const HOOKED: &str = "claude-code";

/// Shows the changes, starts each server once behind the relay, and writes those that answer.
pub fn install(asked: &InstallArguments) -> Result<u8> {
    let mut words = relay()?;
    words.extend(asked.observe.then(|| "--observe".to_owned()));
    let mut ledger = Ledger::open()?;
    let mut failed = 0;
    let mut wanted = Vec::new();
    for place in places(&asked.hosts.hosts, &mut failed)? {
        // Hook and relay would shape twice.
        let chosen = |server: &Server| place.file.host != HOOKED && !ledger.is_off(&server.name);
        match wrap(place.file, &place.text, Relay { words: &words, reader: &|_| None }, &chosen) {
            Ok(change) if change.servers.is_empty() => {}
            Ok(change) => {
                // Who only observes gets no other tool.
                let readable = if asked.observe { 0 } else { change.servers.len() };
                let reader = ReaderNeed::of(&place, &words, readable);
                let words = reader.words(&words);
                show(&place, &words, &change.servers)?;
                if reader == ReaderNeed::Add {
                    output::print(format!("  {}\n", reader.about()))?;
                }
                wanted.push((place, change.servers, reader));
            }
            Err(refusal) => failed += refused(&place, &refusal),
        }
    }
    let has_hook = is_asked(&asked.hosts.hosts, HOOKED) && place::has_claude_code();
    if has_hook {
        output::print("claude-code: a hook after its tools, for the results of its own tools and of all servers\n")?;
    }
    if wanted.is_empty() && !has_hook {
        output::print("nothing to change: no server that a command starts is without toolshape\n")?;
        return Ok(u8::from(failed > 0));
    }
    if asked.dry_run || !confirmed(asked.yes)? {
        output::print("nothing was written\n")?;
        return Ok(u8::from(failed > 0));
    }
    if has_hook {
        failed += u32::from(hooked("install")? != 0);
    }
    for (place, names, reader) in wanted {
        let program = &words[..1];
        let words = reader.words(&words);
        let before = servers(place.file, &place.text)?;
        let tried: Vec<(&Server, Result<probe::Answer>)> = before
            .iter()
            .filter(|server| names.contains(&server.name) && server.may_be_wrapped())
            .map(|server| (server, probe::start(&words, server)))
            .collect();
        for (server, answer) in &tried {
            if let Err(why) = answer {
                output::say(&format!("toolshape: {}: {} stays as it was: {why:#}", place.shown(), server.name));
                failed += 1;
            }
        }
        let answered = |server: &Server| {
            let found = tried.iter().find(|(tried, _)| tried.name == server.name && tried.place == server.place);
            found.and_then(|(_, answer)| answer.as_ref().ok())
        };
        let names = |server: &Server| answered(server).and_then(|answer| answer.reader.clone());
        let relay = Relay { words: &words, reader: &names };
        let mut change = wrap(place.file, &place.text, relay, &|server| answered(server).is_some())?;
        if !change.servers.is_empty() {
            if reader == ReaderNeed::Add {
                change.text = add_reader(place.file, &change.text, program)?;
            }
            ledger.write(&place, &change.text)?;
            output::print(format!("{}: {}\n", place.shown(), change.servers.join(", ")))?;
        }
    }
    output::print(format!("toolshape uninstall takes all of it out; toolshape off SERVER, one server. {}\n", RESTART))?;
    Ok(u8::from(failed > 0))
}

/// Whether the servers of a file have one tool that reads, in a server of its own: it costs as much as one of many.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReaderNeed {
    No,
    Add,
    IsThere,
}

impl ReaderNeed {
    fn of(place: &Place, words: &[String], wrapped: usize) -> Self {
        let is_there = servers(place.file, &place.text).is_ok_and(|all| all.iter().any(Server::is_reader));
        match is_there {
            true => Self::IsThere,
            false if wrapped > 1 && add_reader(place.file, &place.text, &words[..1]).is_ok() => Self::Add,
            false => Self::No,
        }
    }

    fn words(self, words: &[String]) -> Vec<String> {
        let apart = ["--set", "addReader=false"].map(str::to_owned);
        [words, if self == Self::No { &[] } else { &apart }].concat()
    }

    fn about(self) -> &'static str {
        "+ toolshape: one server that reads what these keep"
    }
}

const RESTART: &str = "Start the hosts again.";

/// Takes toolshape out: files that nobody has changed since are byte for byte as they were, others entry by entry.
pub fn uninstall(asked: &SomeHosts) -> Result<u8> {
    let mut ledger = Ledger::open()?;
    let mut failed = 0;
    if is_asked(&asked.hosts, HOOKED) && place::has_claude_code() {
        failed += u32::from(hooked("uninstall")? != 0);
    }
    for place in places(&asked.hosts, &mut failed)? {
        match ledger.original(&place)? {
            Some(original) => {
                place.write(&original)?;
                output::print(format!("{}: as it was, byte for byte\n", place.shown()))?;
            }
            None => match unwrap(place.file, &place.text, &|_| true) {
                Ok(change) if change.servers.is_empty() => {}
                Ok(change) => {
                    place.write(&change.text)?;
                    let names = change.servers.join(", ");
                    output::print(format!("{}: changed since; without toolshape: {names}\n", place.shown()))?;
                }
                Err(refusal) => failed += refused(&place, &refusal),
            },
        }
        ledger.forget(&place)?;
    }
    if asked.hosts.is_empty() {
        ledger.delete()?;
        place::clear_cache()?;
        for kept in place::what_stays() {
            output::print(format!("{} stays\n", kept.display()))?;
        }
    }
    Ok(u8::from(failed > 0))
}

/// What is before each server. With `is_thorough`, each one that is wrapped is started.
pub fn status(asked: &SomeHosts, is_thorough: bool) -> Result<u8> {
    let ledger = Ledger::open()?;
    let mut failed = 0;
    if is_asked(&asked.hosts, HOOKED) && place::has_claude_code() {
        let state = if hook::is_installed()? { "hook" } else { "no hook" };
        output::print(format!("claude-code: {state}\n"))?;
    }
    for place in places(&asked.hosts, &mut failed)? {
        let found = match servers(place.file, &place.text) {
            Ok(found) => found,
            Err(refusal) => {
                failed += refused(&place, &refusal);
                continue;
            }
        };
        for server in found {
            let mut state = state(&place, &server, &ledger).to_owned();
            if is_thorough
                && (server.is_wrapped() || server.is_reader())
                && let Err(why) = probe::start(&[], &server)
            {
                state = format!("{state}, does not start: {why:#}");
                failed += 1;
            }
            output::print(format!("{}: {}: {state}\n", place.shown(), server.name))?;
        }
    }
    Ok(u8::from(failed > 0))
}

fn state(place: &Place, server: &Server, ledger: &Ledger) -> &'static str {
    match server {
        _ if server.is_wrapped() => "relay",
        _ if server.is_reader() => "reads what the others keep",
        _ if server.is_off => "disabled in the host",
        _ if ledger.is_off(&server.name) => "off",
        _ if server.url.is_some() => "at an address: as it is",
        _ if place.file.host == HOOKED => "by the hook",
        _ => "without toolshape",
    }
}

/// Leaves a server or a tool alone, until `on`.
pub fn off(asked: &NamedServer) -> Result<u8> {
    if let Some((_, tool)) = asked.name.split_once('/') {
        return settings::set_tool(tool, false);
    }
    let mut ledger = Ledger::open()?;
    ledger.set_off(&asked.name, true)?;
    let mut failed = 0;
    for place in places(&[], &mut failed)? {
        match unwrap(place.file, &place.text, &|server| server.name == asked.name) {
            Ok(change) if change.servers.is_empty() => {}
            Ok(change) => {
                ledger.write(&place, &change.text)?;
                output::print(format!("{}: {} is without toolshape. {RESTART}\n", place.shown(), asked.name))?;
            }
            Err(refusal) => failed += refused(&place, &refusal),
        }
    }
    Ok(u8::from(failed > 0))
}

/// Takes back `off`.
pub fn on(asked: &NamedServer) -> Result<u8> {
    if let Some((_, tool)) = asked.name.split_once('/') {
        return settings::set_tool(tool, true);
    }
    let mut ledger = Ledger::open()?;
    ensure!(
        ledger.is_off(&asked.name),
        Misuse("this server is not off; toolshape install puts toolshape before all servers")
    );
    ledger.set_off(&asked.name, false)?;
    let words = relay()?;
    let mut failed = 0;
    for place in places(&[], &mut failed)? {
        // What was never installed there is not put there by this.
        if !ledger.has(&place) {
            continue;
        }
        let words = ReaderNeed::of(&place, &words, 1).words(&words);
        let relay = Relay { words: &words, reader: &|_| None };
        match wrap(place.file, &place.text, relay, &|server| server.name == asked.name) {
            Ok(change) if change.servers.is_empty() => {}
            Ok(change) => {
                ledger.write(&place, &change.text)?;
                output::print(format!("{}: {} is behind toolshape. {RESTART}\n", place.shown(), asked.name))?;
            }
            Err(refusal) => failed += refused(&place, &refusal),
        }
    }
    Ok(u8::from(failed > 0))
}

/// The files that exist of the hosts asked for; of all hosts if none are.
fn places(hosts: &[String], failed: &mut u32) -> Result<Vec<Place>> {
    if let Some(unknown) = hosts.iter().find(|host| files().iter().all(|file| file.host != **host)) {
        let mut known: Vec<&str> = files().iter().map(|file| file.host).collect();
        known.dedup();
        bail!("{unknown} is not a host that toolshape knows; it takes {}", known.join(", "));
    }
    let mut found = Vec::<Place>::new();
    for file in files().iter().filter(|file| is_asked(hosts, file.host)) {
        match Place::open(file) {
            Ok(Some(place)) if found.iter().all(|other| other.real != place.real) => found.push(place),
            Ok(_) => {}
            Err(error) => {
                output::say(&format!("toolshape: {error:#}"));
                *failed += 1;
            }
        }
    }
    Ok(found)
}

fn is_asked(hosts: &[String], host: &str) -> bool {
    hosts.is_empty() || hosts.iter().any(|asked| asked == host)
}

/// The words before the `--`: an absolute path, because graphical programs have another PATH than shells.
fn relay() -> Result<Vec<String>> {
    let Some(path) = program::path() else { bail!("the program toolshape has no path of its own here") };
    Ok(vec![place::lasting(&path)?.to_string_lossy().into_owned()])
}

fn show(place: &Place, words: &[String], names: &[String]) -> Result<()> {
    output::print(format!("{}\n", place.shown()))?;
    for server in servers(place.file, &place.text)?.iter().filter(|server| names.contains(&server.name)) {
        if server.may_be_wrapped() {
            let command = server.command.join(" ");
            output::print(format!("  {}\n  - {command}\n  + {} -- {command}\n", server.name, words.join(" ")))?;
        }
    }
    Ok(())
}

fn refused(place: &Place, why: &toolshape_hosts::Refusal) -> u32 {
    output::say(&format!("toolshape: {} stays as it is: {why}", place.shown()));
    1
}

fn confirmed(yes: bool) -> Result<bool> {
    if yes {
        return Ok(true);
    }
    if !io::stdin().is_terminal() {
        bail!(Misuse("nobody can be asked here: --yes writes the changes, --dry-run only shows them"));
    }
    output::print("Write this? [y/N] ")?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn hooked(what: &str) -> Result<u8> {
    match Arguments::try_parse_from(["toolshape", "hook", what])?.command {
        Some(Command::Hook(asked)) => hook::run(&asked),
        _ => bail!("hook is not a command"),
    }
}
