//! A configuration file of a host on this machine.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};
use toolshape_hosts::{HostFile, files};

use crate::program;

/// The bytes of a configuration.
const MOST: u64 = 64 << 20;

/// A file, and its text.
pub struct Place {
    pub file: &'static HostFile,
    path: PathBuf,
    /// Without links: folders of dotfiles are linked to.
    pub real: PathBuf,
    pub text: String,
}

impl Place {
    /// Nothing if there is no such file.
    ///
    /// # Errors
    /// A file that cannot be read, is too long, or is not UTF-8.
    pub fn open(file: &'static HostFile) -> Result<Option<Self>> {
        let path = home()?.join(file.path);
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        };
        let stays = || format!("{} stays as it is", path.display());
        let bytes = fs::metadata(&real).with_context(stays)?.len();
        ensure!(bytes <= MOST, "{}: it has {bytes} bytes", stays());
        let text = String::from_utf8(fs::read(&real).with_context(stays)?).with_context(stays)?;
        Ok(Some(Self { file, path, real, text }))
    }

    /// The path as the user knows it.
    pub fn shown(&self) -> String {
        format!("{} ({})", self.path.display(), self.file.host)
    }

    /// Writes a new text beside the file and renames it: the mode stays, and so does a link to it.
    ///
    /// # Errors
    /// What the system reports, and a file that somebody wrote in the meantime.
    pub fn write(&self, text: &str) -> Result<()> {
        let failed = || format!("{} is not changed", self.path.display());
        ensure!(
            fs::read(&self.real).with_context(failed)? == self.text.as_bytes(),
            "{}: it was just written",
            failed()
        );
        replace(&self.real, text, fs::metadata(&self.real)?.permissions()).with_context(failed)
    }
}

/// Replaces a file, or makes it.
pub fn replace(file: &Path, text: &str, permissions: fs::Permissions) -> io::Result<()> {
    let beside = file.with_file_name(format!(".toolshape-{}", std::process::id()));
    let written = private(&beside).and_then(|mut to| {
        io::Write::write_all(&mut to, text.as_bytes())?;
        fs::set_permissions(&beside, permissions)?;
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
    std::env::home_dir().context("this user has no folder")
}

/// Whether Claude Code was ever started here.
pub fn has_claude_code() -> bool {
    crate::hook::host_folder().is_some_and(|folder| folder.is_dir())
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

/// Deletes what the relays and hooks of this user have kept.
pub fn clear_cache() -> Result<()> {
    if let Some(folder) = crate::store::cache_folder().filter(|folder| folder.join(".toolshape-store").is_file()) {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot delete {}", folder.display()))?;
    }
    Ok(())
}

/// What uninstall leaves: the user's own options, and a copied program, which may be the one that runs.
pub fn what_stays() -> Vec<PathBuf> {
    let Ok(home) = home() else { return Vec::new() };
    let mut stays: Vec<PathBuf> = [".config/toolshape", ".local/share/toolshape"].map(|path| home.join(path)).into();
    stays.retain(|path| path.exists());
    // A host keeps copies of its file in the same folder.
    let folders: BTreeSet<PathBuf> = files()
        .iter()
        .filter_map(|file| home.join(file.path).parent().map(Path::to_owned))
        .filter(|folder| *folder != home)
        .collect();
    let beside =
        folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten().map(|file| file.path());
    let named = beside.chain(files().iter().map(|file| home.join(file.path)));
    let mentions = |path: &PathBuf| {
        fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() <= MOST)
            && fs::read_to_string(path).is_ok_and(|text| text.contains(program::NAME))
    };
    let named: BTreeSet<PathBuf> = named.filter(mentions).collect();
    stays.extend(named);
    stays
}
