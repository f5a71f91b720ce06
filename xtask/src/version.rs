//! `cargo xtask version X.Y.Z`: the one version of all packages, and the title of the changes that it releases.

use std::fs;

use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;

use crate::layout::{Layout, VERSION};
use crate::run;

/// What `cargo xtask version` takes.
#[derive(ClapArgs)]
pub struct Args {
    /// The version of the next release
    version: String,
}

/// Writes the version, and the date of the last commit, into the packages and into CHANGELOG.md.
pub fn command(layout: &Layout, args: &Args) -> Result<()> {
    let parts: Vec<&str> = args.version.split('.').collect();
    if parts.len() != 3 || parts.iter().any(|part| part.parse::<u32>().is_err()) {
        bail!("a version has three numbers: {} does not", args.version);
    }
    let date = run::answer(run::command(layout, "git").args(["log", "-1", "--format=%cs"]));
    let date = date.context("`git log` failed: is this a checkout?")?;
    edit(layout, "CHANGELOG.md", |text| titled(text, &args.version, &date))?;
    edit(layout, "Cargo.toml", |text| Ok(numbered(text, VERSION, &args.version)))?;
    run::live(run::cargo(layout).args(["update", "--workspace"]))?;
    println!("every package has the version {} now; the next step: docs/releasing.md", args.version);
    Ok(())
}

/// What the first section of CHANGELOG.md says about its changes.
pub enum Changes {
    Unreleased,
    Released(String),
}

/// Reads the title of the first section: `0.1.0, not yet released`, `Not yet released`, or `0.1.0, 2026-01-31`.
pub fn changes(changelog: &str) -> Result<Changes> {
    let title = changelog.lines().find_map(|line| line.strip_prefix("## ")).context("CHANGELOG.md has no section")?;
    if title.to_lowercase().ends_with(UNRELEASED) {
        return Ok(Changes::Unreleased);
    }
    let (version, _date) = title.split_once(", ").context("the first section of CHANGELOG.md has no date")?;
    Ok(Changes::Released(version.to_owned()))
}

const UNRELEASED: &str = "not yet released";

/// The page of the source, if the workspace names one.
pub fn repository(layout: &Layout) -> Result<Option<String>> {
    let text = fs::read_to_string(layout.path("Cargo.toml"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("repository = \""));
    Ok(line.map(|rest| rest.trim_end_matches('"').to_owned()))
}

fn edit(layout: &Layout, path: &str, change: impl Fn(&str) -> Result<String>) -> Result<()> {
    let file = layout.path(path);
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {path}"))?;
    fs::write(&file, change(&text)?).with_context(|| format!("cannot write {path}"))
}

/// CHANGELOG.md with its first section released.
fn titled(text: &str, version: &str, date: &str) -> Result<String> {
    let title = text.lines().find(|line| line.starts_with("## ")).context("CHANGELOG.md has no section")?;
    match changes(text)? {
        Changes::Unreleased => Ok(text.replacen(title, &format!("## {version}, {date}"), 1)),
        Changes::Released(last) if last == version => Ok(text.to_owned()),
        Changes::Released(last) => {
            bail!("CHANGELOG.md has no changes since {last}: add them in a first section `## Not yet released`")
        }
    }
}

/// The workspace's manifest with another version of its own packages.
fn numbered(text: &str, old: &str, new: &str) -> String {
    let (old, new) = (format!("version = \"{old}\""), format!("version = \"{new}\""));
    let mut section = "";
    let lines = text.lines().map(|line| {
        if line.starts_with('[') {
            section = line;
        }
        let is_ours = match section {
            "[workspace.package]" => line == old,
            "[workspace.dependencies]" => line.contains("path = \""),
            _ => false,
        };
        if is_ours { line.replace(&old, &new) } else { line.to_owned() }
    });
    joined(lines)
}

fn joined(lines: impl Iterator<Item = String>) -> String {
    lines.flat_map(|line| [line, "\n".to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::{Changes, changes, numbered, titled};

    #[test]
    fn the_changes_get_their_version_and_date_once() {
        for title in ["## 0.2.0, not yet released", "## Not yet released"] {
            let text = format!("# Changelog\n\n{title}\n\n- new\n\n## 0.1.0, 2026-01-01\n\n- old\n");
            assert!(matches!(changes(&text), Ok(Changes::Unreleased)));
            let dated = titled(&text, "0.2.0", "2026-02-03").unwrap();
            assert_eq!(dated, "# Changelog\n\n## 0.2.0, 2026-02-03\n\n- new\n\n## 0.1.0, 2026-01-01\n\n- old\n");
            assert_eq!(titled(&dated, "0.2.0", "2026-02-04").unwrap(), dated);
            assert!(titled(&dated, "0.3.0", "2026-02-04").is_err());
        }
        assert!(titled("# Changelog\n", "0.2.0", "2026-02-03").is_err());
    }

    #[test]
    fn only_our_own_packages_get_the_version() {
        let text = "[workspace.package]\nversion = \"0.1.0\"\n[workspace.dependencies]\nsome = { version = \"0.1.0\" }\n\
                    ours = { version = \"0.1.0\", path = \"x\" }\n[package]\nversion = \"0.1.0\"\n";
        let expected = "[workspace.package]\nversion = \"0.2.0\"\n[workspace.dependencies]\nsome = { version = \"0.1.0\" }\n\
                        ours = { version = \"0.2.0\", path = \"x\" }\n[package]\nversion = \"0.1.0\"\n";
        assert_eq!(numbered(text, "0.1.0", "0.2.0"), expected);
    }
}
