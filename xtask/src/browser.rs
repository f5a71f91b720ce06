//! The browser side of the set-up: Chromium and its driver, for the tests that run in a browser.

use std::env;
use std::path::PathBuf;

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
