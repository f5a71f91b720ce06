//! `toolshape install`: puts toolshape into the hosts of this machine, shows what is where, and takes it out.
//!
//! Where a host lets a hook replace what its model reads, it is a hook: for its own tools, and for all servers. Elsewhere it is the relay
//! before each server that a command starts, or that has fixed headers. Another server at an address stays as it is: a relay would hide
//! its login from the host.

mod doctor;
mod hosts;
mod ledger;
mod place;
mod probe;

use std::collections::BTreeSet;
use std::io::{self, BufRead, IsTerminal};

use anyhow::{Result, bail, ensure};
use toolshape_account::Ledger as Account;
use toolshape_hosts::{Hook, HostFile, Relay, Server, add_reader, remove_reader, servers, set_words, unwrap, wrap};
use toolshape_proxy::CountedKind;

use crate::arguments::{InstallArguments, NamedServer, SomeHosts};
use crate::hook::HookForm;
use crate::hook::settings::{Removed, add, remove};
use crate::misuse::Misuse;
use crate::single_calls::HOOK;
use crate::{output, program};
pub use hosts::named_servers;
use hosts::{Hosts, Target};
pub use ledger::Ledger;
pub use place::{Place, private_new};

/// The words of a relay whose results another server reads.
const APART: [&str; 2] = ["--set", "addReader=false"];
const RESTART: &str = "Start the hosts again.";
/// What starts toolshape on a machine that has not installed it.
const PORTABLE: [&str; 3] = ["npx", "-y", concat!("toolshape-cli@", env!("CARGO_PKG_VERSION"))];

/// Shows the changes, starts each server once behind the relay, and writes those that answer.
pub fn install(asked: &InstallArguments) -> Result<u8> {
    let program = program_words()?;
    let mut ledger = Ledger::open()?;
    let hosts =
        if asked.project { Hosts::of_project(&asked.hosts.hosts)? } else { Hosts::of_user(&asked.hosts.hosts)? };
    let mut failed = hosts.failed;
    let mut wanted = Vec::new();
    for target in hosts.targets {
        // Hook and relay would shape twice.
        let is_hooked = target.is_hooked;
        let chosen = |server: &Server| !is_hooked && !ledger.is_off(&server.name);
        let words = if asked.project { PORTABLE.map(str::to_owned).to_vec() } else { program.clone() };
        match Wrapping::of(target, words, &chosen, asked.observe) {
            Ok(Some(wrapping)) => {
                wrapping.show()?;
                wanted.push(wrapping);
            }
            Ok(None) => {}
            Err(refusal) => failed += refused(&refusal),
        }
    }
    let options = if asked.observe { vec!["--set".to_owned(), "observe=true".to_owned()] } else { Vec::new() };
    let mut hooks = Vec::new();
    for (hook, place) in hosts.hooks {
        let has = place.text.as_deref().and_then(|text| hook.words_in(text));
        if has.is_none_or(|words| words.first() != program.first() || words[3..] != options) {
            output::print(format!(
                "{}\n  + a hook after the tools of {}, its own and those of servers\n",
                place.shown(),
                hook.host
            ))?;
            hooks.push((hook, place));
        }
    }
    if wanted.is_empty() && hooks.is_empty() {
        output::print("nothing to change: no host and no server that a command starts is without toolshape\n")?;
        return Ok(u8::from(failed > 0));
    }
    if asked.dry_run || !confirmed(asked.yes)? {
        output::print("nothing was written\n")?;
        return Ok(u8::from(failed > 0));
    }
    for (hook, place) in hooks {
        match add(hook, &place, &options, &mut ledger) {
            Ok(()) => output::print(format!("{}: hook{}\n", place.shown(), doctor::to_do(hook)))?,
            Err(why) => failed += refused(&why),
        }
    }
    for wrapping in wanted {
        let (written, missed) = wrapping.write(&program, &mut ledger)?;
        failed += missed;
        output::print(written)?;
    }
    output::print(format!(
        "toolshape savings sums what is saved; toolshape off SERVER or SERVER/TOOL leaves one alone; toolshape uninstall takes all of it out. {RESTART}\n"
    ))?;
    Ok(u8::from(failed > 0))
}

/// The change of a file with servers.
struct Wrapping {
    target: Target,
    /// The words before the `--`.
    words: Vec<String>,
    /// The servers that are not wrapped yet.
    names: Vec<String>,
    /// Whether a server is added that reads what all others keep: it costs as much as one of many.
    adds_reader: bool,
    /// Whether there is one then, so that no relay has a reader of its own.
    is_apart: bool,
}

impl Wrapping {
    /// Nothing where there is nothing to change. Who only observes gets no other tool.
    fn of(
        target: Target,
        mut words: Vec<String>,
        chosen: &dyn Fn(&Server) -> bool,
        observes: bool,
    ) -> Result<Option<Self>> {
        let text = target.text();
        let all = servers(target.file, text).map_err(|why| target.refusal(&why))?;
        let names: Vec<String> = all
            .iter()
            .filter(|server| server.may_be_wrapped() && chosen(server))
            .map(|server| server.name.clone())
            .collect();
        let has_reader = all.iter().any(Server::is_reader);
        let may_read = !observes && !has_reader && add_reader(target.file, text, &words).is_ok();
        let relays = names.len() + all.iter().filter(|server| server.is_wrapped()).count();
        let adds_reader = may_read && if target.is_hooked { target.is_read_by_server() } else { relays > 1 };
        let is_apart = !observes && (has_reader || adds_reader);
        if observes {
            words.push("--observe".to_owned());
        } else if is_apart {
            words.extend(APART.map(str::to_owned));
        }
        let is_needed = !names.is_empty() || adds_reader;
        Ok(is_needed.then_some(Self { target, words, names, adds_reader, is_apart }))
    }

    fn show(&self) -> Result<()> {
        let mut shown = format!("{}\n", self.target.place.shown());
        for server in servers(self.target.file, self.target.text())?.iter().filter(|server| self.is_meant(server)) {
            let before = server.url.clone().unwrap_or_else(|| server.command.join(" "));
            let after = server.behind(&self.words).0.join(" ");
            shown += &format!("  {}\n  - {before}\n  + {after}\n", server.name);
        }
        if self.adds_reader {
            shown += "  + toolshape: one server that reads what the others keep\n";
        }
        Ok(output::print(shown)?)
    }

    fn is_meant(&self, server: &Server) -> bool {
        self.names.contains(&server.name) && server.may_be_wrapped()
    }

    /// Starts each server as it will be started, and writes those that answer; `program` is what starts toolshape here. Returns what was
    /// written, and how many failed.
    fn write(&self, program: &[String], ledger: &mut Ledger) -> Result<(String, u32)> {
        let Target { file, place, .. } = &self.target;
        let before = servers(file, self.target.text())?;
        let meant: Vec<&Server> = before.iter().filter(|server| self.is_meant(server)).collect();
        let tried = [program, &self.words[self.words.len().min(portable_words(&self.words, program))..]].concat();
        let answers: Vec<(&Server, Result<probe::Answer>)> =
            meant.into_iter().map(|server| (server, probe::start(&tried, server))).collect();
        let mut failed = 0;
        for (server, answer) in &answers {
            if let Err(why) = answer {
                output::say(&format!("toolshape: {}: {} stays as it was: {why:#}", place.shown(), server.name));
                failed += 1;
            }
        }
        let answered = |server: &Server| {
            let found = answers.iter().find(|(tried, _)| tried.name == server.name && tried.place == server.place);
            found.and_then(|(_, answer)| answer.as_ref().ok())
        };
        let names = |server: &Server| answered(server).and_then(|answer| answer.reader.clone());
        let relay = Relay { words: &self.words, reader: &names };
        let mut change = wrap(file, self.target.text(), relay, &|server| answered(server).is_some())?;
        let relays = servers(file, &change.text)?.iter().filter(|server| server.is_wrapped()).count();
        if self.is_apart {
            change.text = set_words(file, &change.text, &|_| true, &APART.map(str::to_owned), true)?;
        }
        if self.adds_reader && (self.target.is_hooked || relays > 0) {
            change.text = add_reader(file, &change.text, &self.words[..portable_words(&self.words, program)])?;
            change.servers.push("toolshape".to_owned());
        }
        if change.servers.is_empty() {
            return Ok((String::new(), failed));
        }
        for (server, tool) in ledger.off().filter_map(|name| name.split_once('/')) {
            change.text = set_words(file, &change.text, &|one| one.name == server, &leaving(tool), true)?;
        }
        ledger.write(place, before_install(&self.target, ledger)?, &change.text)?;
        Ok((format!("{}: {}\n", place.shown(), change.servers.join(", ")), failed))
    }
}

/// How many of the words start toolshape.
fn portable_words(words: &[String], program: &[String]) -> usize {
    if words.first() == program.first() { program.len() } else { PORTABLE.len() }
}

/// The words with which a relay leaves a tool alone.
fn leaving(tool: &str) -> [String; 2] {
    ["--set".to_owned(), format!("tools.{tool}=false")]
}

/// The text to which a file goes back. A relay that is there when toolshape first writes the file is the user's own.
fn before_install(target: &Target, ledger: &Ledger) -> Result<Option<String>> {
    match &target.place.text {
        Some(text) if ledger.has(&target.place) => {
            without(target.file, text, ledger.copy(&target.place).as_deref()).map(Some)
        }
        text => Ok(text.clone()),
    }
}

/// A text without toolshape, which may be before a server twice.
fn without(file: &HostFile, text: &str, original: Option<&str>) -> Result<String> {
    let once = unwrap(file, text, original, &|_| true)?.text;
    if once == text { Ok(remove_reader(file, text)?) } else { without(file, &once, original) }
}

/// Takes toolshape out: files that nobody has changed since are byte for byte as they were, others entry by entry.
pub fn uninstall(asked: &SomeHosts) -> Result<u8> {
    let mut ledger = Ledger::open()?;
    let hosts = Hosts::installed(&ledger, &asked.hosts)?;
    let (mut failed, mut is_there) = (hosts.failed, false);
    for (hook, place) in &hosts.hooks {
        is_there |= has_hook(hook, place);
        match remove(hook, place, &mut ledger) {
            Ok(Removed::Nothing) => {}
            Ok(Removed::Whole) => output::print(format!("{}: as it was, byte for byte\n", place.shown()))?,
            Ok(Removed::Words) => output::print(format!("{}: changed since; without the hook\n", place.shown()))?,
            Err(why) => failed += refused(&why),
        }
    }
    for target in &hosts.targets {
        let place = &target.place;
        if place.text.is_none() {
            continue;
        }
        if let Some(original) = ledger.original(place)? {
            is_there = true;
            ledger.take_back(place, original.as_deref())?;
            output::print(format!("{}: as it was, byte for byte\n", place.shown()))?;
            continue;
        }
        match without(target.file, target.text(), ledger.copy(place).as_deref()) {
            Ok(text) if text == target.text() => {}
            Ok(text) => {
                is_there = true;
                ledger.take_back(place, Some(&text))?;
                output::print(format!("{}: changed since; without toolshape\n", place.shown()))?;
            }
            Err(why) => failed += refused(&why.context(format!("{} stays as it is", place.shown()))),
        }
    }
    if asked.hosts.is_empty() {
        let made = ledger.made().to_vec();
        let deleted = [
            (ledger.delete()?, "copies of these files, and the account of what was saved"),
            (place::clear_cache()?, "results that were kept"),
        ];
        for (folder, what) in deleted {
            if let Some(folder) = folder {
                is_there = true;
                output::print(format!("{} is deleted: {what}\n", folder.display()))?;
                made.iter().for_each(|made| place::remove_empty(&folder, made));
            }
        }
        for kept in place::what_stays() {
            output::print(format!("{} stays\n", kept.display()))?;
        }
    }
    if !is_there && failed == 0 {
        output::print("nothing of toolshape is installed\n")?;
    }
    Ok(u8::from(failed > 0))
}

/// What is before each server. With `is_thorough`, what is wrong too: each one that is wrapped is started.
pub fn status(asked: &SomeHosts, is_thorough: bool) -> Result<u8> {
    let ledger = Ledger::open()?;
    let hosts = Hosts::installed(&ledger, &asked.hosts)?;
    let mut failed = hosts.failed;
    for (hook, place) in &hosts.hooks {
        let has = has_hook(hook, place);
        output::print(format!("{}: {}\n", place.shown(), if has { "hook" } else { "no hook" }))?;
        if is_thorough {
            failed += doctor::of_hook(hook, place)?;
        }
    }
    for target in hosts.targets.iter().filter(|target| target.place.text.is_some()) {
        let shown = target.place.shown();
        let found = match servers(target.file, target.text()) {
            Ok(found) => found,
            Err(refusal) => {
                failed += refused(&target.refusal(&refusal));
                continue;
            }
        };
        let is_hooked = target.is_hooked
            && hosts.hooks.iter().any(|(hook, place)| hook.host == target.file.host && has_hook(hook, place));
        for server in &found {
            let alone: Vec<&str> =
                ledger.off().filter_map(|name| name.strip_prefix(&server.name)?.strip_prefix('/')).collect();
            let alone = if alone.is_empty() { String::new() } else { format!(", without {}", alone.join(", ")) };
            output::print(format!("{shown}: {}: {}{alone}\n", server.name, state(server, is_hooked, &ledger)))?;
            if is_thorough {
                failed += doctor::of_server(&shown, server)?;
            }
        }
    }
    if is_thorough {
        failed += doctor::of_machine(&ledger, asked.hosts.is_empty())?;
    }
    Ok(u8::from(failed > 0))
}

fn state(server: &Server, is_hooked: bool, ledger: &Ledger) -> &'static str {
    match server {
        _ if server.is_wrapped() => "relay",
        _ if server.is_reader() => "reads what the others keep",
        _ if server.is_off => "disabled in the host",
        _ if ledger.is_off(&server.name) => "off",
        _ if is_hooked => "by the hook",
        _ if server.url.is_some() => "at an address: as it is",
        _ => "without toolshape",
    }
}

/// Leaves a server or one of its tools alone, until `on`. Hooks look it up, relays have it in their words.
pub fn off(asked: &NamedServer) -> Result<u8> {
    let mut ledger = Ledger::open()?;
    check(&ledger, &asked.name)?;
    ledger.set_off(&asked.name, true)?;
    let failed = rewritten(&mut ledger, |target, ledger| match asked.name.split_once('/') {
        Some((server, tool)) => {
            Ok(set_words(target.file, target.text(), &|one| one.name == server, &leaving(tool), true)?)
        }
        None => {
            let original = ledger.copy(&target.place);
            let change = unwrap(target.file, target.text(), original.as_deref(), &|server| server.name == asked.name)?;
            // Where nothing is kept, nothing is read.
            let is_last = !target.is_hooked && !servers(target.file, &change.text)?.iter().any(Server::is_wrapped);
            Ok(if is_last && !change.servers.is_empty() {
                remove_reader(target.file, &change.text)?
            } else {
                change.text
            })
        }
    })?;
    output::print(format!("{} is left alone\n", asked.name))?;
    Ok(u8::from(failed > 0))
}

/// Takes back `off`.
pub fn on(asked: &NamedServer) -> Result<u8> {
    let mut ledger = Ledger::open()?;
    if !ledger.is_off(&asked.name) {
        let all = listed(ledger.off());
        let all = if all.is_empty() { "nothing" } else { &all };
        let why = Misuse("toolshape status lists all servers");
        return Err(anyhow::Error::from(why).context(format!("{} is not off; what is off: {all}", asked.name)));
    }
    ledger.set_off(&asked.name, false)?;
    let program = program_words()?;
    let failed = rewritten(&mut ledger, |target, ledger| match asked.name.split_once('/') {
        Some((server, tool)) => {
            Ok(set_words(target.file, target.text(), &|one| one.name == server, &leaving(tool), false)?)
        }
        // What was never installed there is not put there by this.
        None if target.is_hooked || !ledger.has(&target.place) => Ok(target.text().to_owned()),
        None => {
            let has_reader = servers(target.file, target.text())?.iter().any(Server::is_reader);
            let apart = APART.map(str::to_owned);
            let words = [&program[..], if has_reader { &apart } else { &[] }].concat();
            let relay = Relay { words: &words, reader: &|_| None };
            Ok(wrap(target.file, target.text(), relay, &|server| server.name == asked.name)?.text)
        }
    })?;
    let server = asked.name.split('/').next().unwrap_or_default();
    match ledger.is_off(server) {
        true => output::print(format!("{} is shaped again once {server} is on\n", asked.name))?,
        false => output::print(format!("{} is shaped again\n", asked.name))?,
    }
    Ok(u8::from(failed > 0))
}

/// Refuses a server that no host has, and a tool that its server does not have. Some servers are only known from the account, such as
/// those of plug-ins.
fn check(ledger: &Ledger, name: &str) -> Result<()> {
    let (server, tool) = name.split_once('/').map_or((name, None), |(server, tool)| (server, Some(tool)));
    let hosts = Hosts::installed(ledger, &[])?;
    let found = hosts.targets.iter().filter_map(|target| servers(target.file, target.text()).ok()).flatten();
    let configured: Vec<Server> = found.filter(|server| !server.is_reader()).collect();
    let mut counted = Account::of_user().map(|account| account.entries()).transpose()?.unwrap_or_default();
    counted.retain(|entry| entry.kind == CountedKind::Result && !entry.server.is_empty());
    let by_hooks = counted.iter().filter(|entry| entry.door == HOOK).map(|entry| &*entry.server);
    let names: BTreeSet<&str> = configured.iter().map(|server| &*server.name).chain(by_hooks).collect();
    ensure!(
        names.contains(server),
        "no host has a server {server}; it takes SERVER or SERVER/TOOL, with one of: {}",
        listed(names)
    );
    let Some(tool) = tool.filter(|tool| !counted.iter().any(|entry| entry.server == server && entry.tool == *tool))
    else {
        return Ok(());
    };
    let asked = configured.iter().filter(|one| one.name == server).filter_map(|one| probe::start(&[], one).ok());
    let tools: BTreeSet<String> = asked.flat_map(|answer| answer.tools).collect();
    // A server that does not answer may have it.
    ensure!(
        tools.is_empty() || tools.contains(tool),
        "{server} has no tool {tool}; it has: {}",
        listed(tools.iter().map(String::as_str))
    );
    Ok(())
}

fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}

fn has_hook(hook: &Hook, place: &Place) -> bool {
    place.text.as_deref().is_some_and(|text| hook.words_in(text).is_some())
}

/// Writes the files of all hosts whose text is another then. Returns how many cannot be read.
fn rewritten(ledger: &mut Ledger, change: impl Fn(&Target, &Ledger) -> Result<String>) -> Result<u32> {
    let hosts = Hosts::installed(ledger, &[])?;
    let mut failed = hosts.failed;
    for target in hosts.targets.iter().filter(|target| target.place.text.is_some()) {
        match change(target, ledger) {
            Ok(text) if text == target.text() => {}
            Ok(text) => {
                let before = before_install(target, ledger)?;
                ledger.write(&target.place, before, &text)?;
                output::print(format!("{}: changed. {RESTART}\n", target.place.shown()))?;
            }
            Err(why) => failed += refused(&why.context(format!("{} stays as it is", target.place.shown()))),
        }
    }
    Ok(failed)
}

/// The words that start toolshape: an absolute path, because graphical programs have another PATH than shells.
pub fn program_words() -> Result<Vec<String>> {
    let Some(path) = program::path() else { bail!("the program toolshape has no path of its own here") };
    Ok(vec![place::lasting(&path)?.to_string_lossy().into_owned()])
}

fn refused(why: &anyhow::Error) -> u32 {
    output::say(&format!("toolshape: {why:#}"));
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

/// Whether the model of a hooked host reads by a server.
fn is_read_by_server(hook: &Hook) -> bool {
    HookForm::of(hook.host).is_some_and(|form| !form.is_read_by_command)
}
