//! Packages of the operating system: used where they are found, installed where that is allowed.

use std::sync::Mutex;

use anyhow::{Result, bail};

use crate::layout::Layout;
use crate::progress::Item;
use crate::run;

/// Something that only the system's own package manager has.
pub struct SystemPackage {
    /// What it is, for people.
    pub what: &'static str,
    /// The names of its packages on Debian and its kin.
    pub apt: &'static [&'static str],
    /// What someone without apt-get should do.
    pub otherwise: &'static str,
}

/// apt-get refuses to run twice at a time.
static INSTALLING: Mutex<()> = Mutex::new(());

/// Installs the package by apt-get, as root or through sudo; else says what to install.
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

/// The words before a command that make it run as root; none if that would ask for a password.
fn as_root(layout: &Layout) -> Option<&'static [&'static str]> {
    if run::answer(run::command(layout, "id").arg("-u"))? == "0" {
        return Some(&[]);
    }
    run::answer(run::command(layout, "sudo").args(["-n", "true"])).map(|_| &["sudo", "-n"][..])
}
