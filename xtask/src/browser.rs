//! The browser side of the set-up: Chromium and its driver, for the tests that run in a browser.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::layout::Layout;
use crate::run;
use crate::system::{self, SystemPackage};

const CHROMIUM: SystemPackage = SystemPackage {
    what: "Chromium with ChromeDriver",
    apt: &["chromium", "chromium-driver"],
    otherwise: "install Chrome or Chromium and the ChromeDriver of the same version, and put \
                chromedriver on PATH or its path into CHROMEDRIVER",
};

/// The path of ChromeDriver: `CHROMEDRIVER`, else from PATH, else installed.
pub fn ensure(layout: &Layout) -> Result<PathBuf> {
    if let Some(path) = env::var_os("CHROMEDRIVER").map(PathBuf::from) {
        if !path.is_file() {
            bail!("CHROMEDRIVER says {}, which is no file", path.display());
        }
        return Ok(path);
    }
    if let Some(path) = run::find("chromedriver") {
        return Ok(path);
    }
    system::install(layout, &CHROMIUM)?;
    match run::find("chromedriver") {
        Some(path) => Ok(path),
        None => bail!("{} was installed, but chromedriver is not on PATH", CHROMIUM.what),
    }
}

/// The path of Chromium or Chrome: from PATH, else installed with its driver.
pub fn program(layout: &Layout) -> Result<PathBuf> {
    ensure(layout)?;
    match ["chromium", "chromium-browser", "google-chrome"].into_iter().find_map(run::find) {
        Some(path) => Ok(path),
        None => bail!("there is a ChromeDriver, but neither chromium nor google-chrome is on PATH"),
    }
}

/// How long tests in a browser may take, in seconds, compiled before.
const SECONDS: u64 = 600;

/// A command that ends after that time where the system has `timeout`: a test runner waits for a browser for ever.
pub fn within_time(layout: &Layout, program: &str) -> Command {
    match run::find("timeout") {
        Some(_) => {
            let mut command = run::command(layout, "timeout");
            command.args(["--kill-after=5", &SECONDS.to_string(), program]);
            command
        }
        None => run::command(layout, program),
    }
}
