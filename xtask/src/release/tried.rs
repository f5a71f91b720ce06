//! A folder and an environment in which there is nothing of this checkout, as on the machine of a user.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, process};

use anyhow::{Context, Result};

use crate::layout::Layout;
use crate::run;

/// An empty folder outside of the checkout, which is removed at the end.
pub struct Scratch {
    pub folder: PathBuf,
}

impl Scratch {
    pub fn new(name: &str) -> Result<Self> {
        let folder = env::temp_dir().join(format!("toolshape-{name}-{}", process::id()));
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Self { folder })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A program of the user's PATH, or at a path, in this folder, with no variables but those that any program needs.
    pub fn bare(&self, program: impl AsRef<Path>) -> Result<Command> {
        let program = program.as_ref();
        let found = if program.components().count() > 1 {
            Some(program.to_owned())
        } else {
            run::find(&program.to_string_lossy())
        };
        let found = found.with_context(|| format!("{} is not on PATH", program.display()))?;
        let mut command = Command::new(&found);
        command.current_dir(&self.folder).env_clear().stdin(Stdio::null()).env("HOME", &self.folder);
        // Windows' own programs need these.
        for name in
            ["SystemRoot", "TEMP", "TMP", "PATHEXT", "ComSpec", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "ProgramData"]
        {
            if let Some(value) = env::var_os(name) {
                command.env(name, value);
            }
        }
        let beside = found.parent().map(Path::to_owned).into_iter();
        let system = ["/usr/bin", "/bin"].map(PathBuf::from);
        let path = if cfg!(windows) {
            env::var_os("PATH").unwrap_or_default()
        } else {
            env::join_paths(beside.chain(system))?
        };
        command.env("PATH", path);
        Ok(command)
    }

    /// A new environment of this Python, without packages; returns its Python.
    pub fn venv(&self, python: &Path) -> Result<PathBuf> {
        let venv = self.path("venv");
        run::live_ok(self.bare(python)?.args(["-m", "venv"]).arg(&venv))?;
        Ok(crate::layout::bin_of(&venv).join("python"))
    }

    /// Runs the first example of the README in the metadata of the installed package.
    pub fn python_example(&self, layout: &Layout, python: &mut Command) -> Result<()> {
        let runner = self.path("readme_example.py");
        fs::copy(layout.path("py-bindings/tests/readme_example.py"), &runner)?;
        run::live_ok(python.arg(runner)).map(|_| ())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays is in the system's temporary folder.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
