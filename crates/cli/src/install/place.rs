//! A file of a host on this machine, which may not be there yet.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};
use toolshape_account::folder_of;
use toolshape_hosts::{files, hooks};

use crate::program;

/// The bytes of a configuration.
const MOST: u64 = 64 << 20;

/// The folders that hosts take from a variable.
const FOLDERS: [(&str, &str); 4] = [
    (".claude", "CLAUDE_CONFIG_DIR"),
    (".codex", "CODEX_HOME"),
    (".copilot", "COPILOT_HOME"),
    (".config", "XDG_CONFIG_HOME"),
];

/// A file, and its text.
pub struct Place {
    host: String,
    pub path: PathBuf,
    /// Without links: folders of dotfiles are linked to.
    pub real: PathBuf,
    /// Nothing if there is no file.
    pub text: Option<String>,
}

impl Place {
    /// The file of a host at a path below the user's folder.
    ///
    /// # Errors
    /// A file that cannot be read, is too long, or is not UTF-8.
    pub fn open(host: &str, below_home: &str) -> Result<Self> {
        Self::at(host, in_home(below_home)?)
    }

    /// The file at a path.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn at(host: &str, path: PathBuf) -> Result<Self> {
        let host = host.to_owned();
        let stays = || format!("{} stays as it is", path.display());
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let real = std::path::absolute(&path)?;
                return Ok(Self { host, path, real, text: None });
            }
            Err(error) => return Err(error).with_context(stays),
        };
        let bytes = fs::metadata(&real).with_context(stays)?.len();
        ensure!(bytes <= MOST, "{}: it has {bytes} bytes", stays());
        let text = String::from_utf8(fs::read(&real).with_context(stays)?).with_context(stays)?;
        Ok(Self { host, path, real, text: Some(text) })
    }

    /// The path as the user knows it.
    pub fn shown(&self) -> String {
        format!("{} ({})", self.path.display(), self.host)
    }

    /// Writes a new text beside the file and renames it: the mode stays, and so does a link to it. Nothing deletes the file.
    ///
    /// # Errors
    /// What the system reports, and a file that somebody wrote in the meantime.
    pub fn write(&self, text: Option<&str>) -> Result<()> {
        let failed = || format!("{} is not changed", self.path.display());
        let now = match fs::read(&self.real) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error).with_context(failed),
        };
        ensure!(now.as_deref() == self.text.as_deref().map(str::as_bytes), "{}: it was just written", failed());
        match text {
            None if now.is_none() => Ok(()),
            None => fs::remove_file(&self.real).with_context(failed),
            Some(text) => {
                let permissions = fs::metadata(&self.real).ok().map(|about| about.permissions());
                replace(&self.real, text, permissions).with_context(failed)
            }
        }
    }
}

/// A path below the user's folder, or below the folder that a variable names.
pub fn in_home(below: &str) -> Result<PathBuf> {
    let (first, rest) = below.split_once('/').unwrap_or((below, ""));
    let variable = FOLDERS.iter().find(|(folder, _)| *folder == first).and_then(|(_, name)| folder_of(name));
    match variable {
        Some(folder) => Ok(folder.join(rest)),
        None => Ok(home()?.join(below)),
    }
}

/// Replaces a file, or makes it as a private one.
fn replace(file: &Path, text: &str, permissions: Option<fs::Permissions>) -> io::Result<()> {
    let beside = file.with_file_name(format!(".toolshape-{}", std::process::id()));
    let written = private(&beside).and_then(|mut to| {
        io::Write::write_all(&mut to, text.as_bytes())?;
        permissions.map_or(Ok(()), |permissions| fs::set_permissions(&beside, permissions))?;
        to.sync_all()?;
        fs::rename(&beside, file)
    });
    written.inspect_err(|_| drop(fs::remove_file(&beside)))
}

/// The same, if there is none of this name.
pub fn private_new(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// A new file that only its user reads.
pub fn private(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

pub fn digest(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn home() -> Result<PathBuf> {
    toolshape_account::home().context("this user has no folder")
}

/// A path of the program that is still there tomorrow: what `npx` and `uvx` run is in a cache.
pub fn lasting(program: &Path) -> Result<PathBuf> {
    let is_cached =
        program.components().any(|part| ["_npx", "archive-v0"].iter().any(|cache| part.as_os_str() == *cache));
    if !is_cached {
        return Ok(program.to_path_buf());
    }
    let folder = home()?.join(".local/share/toolshape/bin");
    let to = folder.join(program::NAME).with_extension(std::env::consts::EXE_EXTENSION);
    fs::create_dir_all(&folder)?;
    // A program that runs cannot be written.
    let beside = folder.join(format!(".{}", std::process::id()));
    fs::copy(program, &beside)
        .and_then(|_| fs::rename(&beside, &to))
        .context("cannot copy the program out of a cache")?;
    Ok(to)
}

/// Deletes what the relays and hooks of this user have kept. Returns the folder if there was one.
pub fn clear_cache() -> Result<Option<PathBuf>> {
    let folder = crate::store::cache_folder().filter(|folder| folder.join(".toolshape-store").is_file());
    if let Some(folder) = &folder {
        fs::remove_dir_all(folder).with_context(|| format!("cannot delete {}", folder.display()))?;
    }
    Ok(folder)
}

/// Deletes the folders that are empty around one, up to the first one that was made for it.
pub fn remove_empty(inside: &Path, made: &Path) {
    let around = inside.ancestors().skip(1).take_while(|folder| folder.starts_with(made));
    // Those that have something else in them stay.
    around.map(fs::remove_dir).take_while(std::result::Result::is_ok).for_each(drop);
}

/// What names toolshape and is not installed by it: the user's own options, a copied program, which may be the one that runs, and
/// files in the folders of hosts.
pub fn what_stays() -> Vec<PathBuf> {
    let Ok(home) = home() else { return Vec::new() };
    let mut stays: Vec<PathBuf> = [".config/toolshape", ".local/share/toolshape"].map(|path| home.join(path)).into();
    stays.retain(|path| path.exists());
    let known = files().iter().map(|file| file.path).chain(hooks().iter().map(|hook| hook.path));
    let known: BTreeSet<PathBuf> = known.filter_map(|path| in_home(path).ok()).collect();
    // A host keeps copies of its file in the same folder.
    let folders: BTreeSet<&Path> =
        known.iter().filter_map(|file| file.parent()).filter(|folder| *folder != home).collect();
    let beside =
        folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten().map(|file| file.path());
    let mentions = |path: &PathBuf| {
        fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() <= MOST)
            && fs::read_to_string(path).is_ok_and(|text| text.contains(program::NAME))
    };
    stays.extend(beside.chain(known.iter().cloned()).filter(mentions).collect::<BTreeSet<_>>());
    stays
}
