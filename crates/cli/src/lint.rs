//! `toolshape lint`: what is wrong with servers, for people and for CI.

use anyhow::Result;
use toolshape::Shaper;
use toolshape::host::printable_within;
use toolshape_proxy::{Lint, Surveyed};

use crate::output;
use crate::survey;
use crate::survey::arguments::{self, LintFormat};

/// Prints the findings; fails if they cost more than they may, or if every call of a server failed.
pub fn run(asked: &arguments::LintArguments) -> Result<u8> {
    let shaper = Shaper::new(asked.policy.read()?.policy);
    let servers = survey::read(&asked.sources)?;
    servers
        .iter()
        .flat_map(Surveyed::notes)
        .for_each(|note| output::say(&format!("toolshape: {}", printable_within(note, survey::MOST_CHARS))));
    let lint = Lint::of(&servers, &shaper)?;
    output::print(match asked.format {
        LintFormat::Text => lint.text(survey::columns()),
        LintFormat::Json => format!("{}\n", lint.to_json()),
        LintFormat::Sarif => format!("{}\n", lint.sarif(&survey::place(&asked.sources))),
        LintFormat::Github => lint.github(),
    })?;
    let is_over = asked.fail_over.is_some_and(|most| lint.cost() > most);
    let is_blind = servers.iter().any(Surveyed::is_without_results);
    if is_blind {
        output::say("toolshape: every call of a server failed, so results are not checked");
    }
    Ok(u8::from(is_over || is_blind))
}
