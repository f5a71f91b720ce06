//! Packages of the operating system: used if they are there, else installed if that is allowed.

use std::sync::Mutex;

use anyhow::{Result, bail};

use crate::layout::Layout;
use crate::progress::Item;
use crate::run;

/// A package that only the system's package manager provides.
pub struct SystemPackage {
    /// Its description, for messages.
    pub what: &'static str,
    /// The names of its packages on Debian and its derivatives.
    pub apt: &'static [&'static str],
    /// Instructions for systems without apt-get.
    pub otherwise: &'static str,
}

/// apt-get cannot run twice at the same time.
static INSTALLING: Mutex<()> = Mutex::new(());

/// Installs the package by apt-get, as root or through sudo; else returns an error that names what to install.
pub fn install(layout: &Layout, package: &SystemPackage) -> Result<()> {
    let names = package.apt.join(" ");
    if run::find("apt-get").is_none() {
        bail!("{} is missing: {}", package.what, package.otherwise);
    }
    let Some(prefix) = as_root(layout) else {
        bail!(
            "{what} is missing, and only root may install it: run `sudo apt-get install {names}`, \
             or {otherwise}",
            what = package.what,
            otherwise = package.otherwise
        );
    };
    let apt = |arguments: &[&str]| {
        let words = [prefix, &["apt-get", "-y"], arguments].concat();
        let mut command = run::command(layout, words[0]);
        command.args(&words[1..]).env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    let _installing = INSTALLING.lock();
    let item = Item::start(format!("{} (by apt-get: {names})", package.what));
    run::behind(&item, &mut apt(&["update"]))?;
    let install = [&["install", "--no-install-recommends"], package.apt].concat();
    run::behind(&item, &mut apt(&install))?;
    item.done();
    Ok(())
}

/// The prefix that runs a command as root; `None` if that would ask for a password.
fn as_root(layout: &Layout) -> Option<&'static [&'static str]> {
    if run::answer(run::command(layout, "id").arg("-u"))? == "0" {
        return Some(&[]);
    }
    run::answer(run::command(layout, "sudo").args(["-n", "true"])).map(|_| &["sudo", "-n"][..])
}
