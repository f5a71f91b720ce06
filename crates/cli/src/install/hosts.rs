//! The hosts of this machine or of a project: their hooks, and their files with servers.

use anyhow::{Error, Result, bail};
use toolshape_hosts::{Hook, HostFile, Refusal, files, hooks, project_files, servers};

use super::ledger::Ledger;
use super::place::{Place, in_home};
use crate::output;

/// What may be changed.
pub struct Hosts {
    pub hooks: Vec<(&'static Hook, Place)>,
    pub targets: Vec<Target>,
    /// How many files cannot be read.
    pub failed: u32,
}

/// A file with servers.
pub struct Target {
    pub file: &'static HostFile,
    pub place: Place,
    /// Whether the host has a hook instead.
    pub is_hooked: bool,
}

impl Target {
    /// Empty for a file that is not there.
    pub fn text(&self) -> &str {
        self.place.text.as_deref().unwrap_or_default()
    }

    pub fn refusal(&self, why: &Refusal) -> Error {
        Error::msg(format!("{} stays as it is: {why}", self.place.shown()))
    }

    /// Whether the model of a hooked host reads by a server.
    pub fn is_read_by_server(&self) -> bool {
        hook_of(self.file.host).is_some_and(super::is_read_by_server)
    }
}

impl Hosts {
    /// Those of the user that are asked for; all if none are.
    ///
    /// # Errors
    /// A host that is not known.
    pub fn of_user(asked: &[String]) -> Result<Self> {
        check(asked, files().iter().map(|file| file.host).chain(hooks().iter().map(|hook| hook.host)))?;
        let mut all = Self { hooks: Vec::new(), targets: Vec::new(), failed: 0 };
        for hook in hooks().iter().filter(|hook| is_asked(asked, hook.host) && is_here(hook)) {
            all.hooks.extend(opened(Place::open(hook.host, hook.path), &mut all.failed).map(|place| (hook, place)));
        }
        for file in files().iter().filter(|file| is_asked(asked, file.host)) {
            let is_hooked = hook_of(file.host).is_some_and(is_here);
            let Some(place) = opened(Place::open(file.host, file.path), &mut all.failed) else { continue };
            // The server that reads has to be somewhere: in a file of a host that has none yet, in its first.
            let is_first = all.targets.iter().all(|target| target.file.host != file.host);
            let has_other = files()
                .iter()
                .any(|other| other.host == file.host && in_home(other.path).is_ok_and(|path| path.is_file()));
            let may_be_made = is_hooked && is_first && !has_other;
            if place.text.is_some() || may_be_made {
                all.add(file, place, is_hooked);
            }
        }
        Ok(all)
    }

    /// Those of the folder in which this runs.
    ///
    /// # Errors
    /// As [`of_user`](Self::of_user).
    pub fn of_project(asked: &[String]) -> Result<Self> {
        check(asked, project_files().iter().map(|file| file.host))?;
        let mut all = Self { hooks: Vec::new(), targets: Vec::new(), failed: 0 };
        let folder = std::env::current_dir()?;
        for file in project_files().iter().filter(|file| is_asked(asked, file.host)) {
            if let Some(place) = opened(Place::at(file.host, folder.join(file.path)), &mut all.failed)
                && place.text.is_some()
            {
                all.add(file, place, false);
            }
        }
        Ok(all)
    }

    /// The same, and the files of projects in which toolshape was installed.
    pub fn installed(ledger: &Ledger, asked: &[String]) -> Result<Self> {
        let mut all = Self::of_user(asked)?;
        for path in ledger.files() {
            let file = project_files().iter().find(|file| path.ends_with(file.path) && is_asked(asked, file.host));
            let is_known = all.targets.iter().any(|target| target.place.real == *path)
                || all.hooks.iter().any(|(_, place)| place.real == *path);
            if let (Some(file), false) = (file, is_known)
                && let Some(place) = opened(Place::at(file.host, path.to_owned()), &mut all.failed)
                && place.text.is_some()
            {
                all.add(file, place, false);
            }
        }
        Ok(all)
    }

    fn add(&mut self, file: &'static HostFile, place: Place, is_hooked: bool) {
        if self.targets.iter().all(|other| other.place.real != place.real) {
            self.targets.push(Target { file, place, is_hooked });
        }
    }
}

/// The servers in the files of a host, as far as these can be read.
pub fn named_servers(host: &str) -> Vec<String> {
    let of_host = files().iter().filter(|file| file.host == host);
    let texts = of_host.filter_map(|file| Some((file, Place::open(host, file.path).ok()?.text?)));
    texts.filter_map(|(file, text)| servers(file, &text).ok()).flatten().map(|server| server.name).collect()
}

/// Says what cannot be read, and counts it.
fn opened(place: Result<Place>, failed: &mut u32) -> Option<Place> {
    place.inspect_err(|error| output::say(&format!("toolshape: {error:#}"))).inspect_err(|_| *failed += 1).ok()
}

fn check(asked: &[String], known: impl Iterator<Item = &'static str>) -> Result<()> {
    let mut known: Vec<&str> = known.collect();
    known.sort_unstable();
    known.dedup();
    match asked.iter().find(|host| !known.contains(&host.as_str())) {
        Some(unknown) => bail!("{unknown} is not a host that toolshape knows; it takes {}", known.join(", ")),
        None => Ok(()),
    }
}

fn is_asked(hosts: &[String], host: &str) -> bool {
    hosts.is_empty() || hosts.iter().any(|asked| asked == host)
}

fn hook_of(host: &str) -> Option<&'static Hook> {
    hooks().iter().find(|hook| hook.host == host)
}

/// Whether the host was ever started here: it has a folder of its own.
fn is_here(hook: &Hook) -> bool {
    let mut parts = hook.path.split('/');
    let first = parts.next().unwrap_or_default();
    let own =
        if first == ".config" { format!("{first}/{}", parts.next().unwrap_or_default()) } else { first.to_owned() };
    in_home(&own).is_ok_and(|folder| folder.is_dir())
}
