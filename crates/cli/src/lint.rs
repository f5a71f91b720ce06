//! `toolshape lint`: what is wrong with servers, for people and for CI.

use anyhow::Result;
use toolshape::Shaper;
use toolshape_proxy::{Lint, Surveyed};

use crate::survey;
use crate::survey::arguments::{self, Format};

/// Prints the findings; fails if they cost more than they may.
pub fn run(asked: &arguments::Lint) -> Result<u8> {
    let shaper = Shaper::new(asked.policy.read()?.policy);
    let servers = survey::read(&asked.sources)?;
    servers.iter().flat_map(Surveyed::notes).for_each(|note| eprintln!("toolshape: {note}"));
    let lint = Lint::of(&servers, &shaper)?;
    match asked.format {
        Format::Text => print!("{}", lint.text(survey::columns())),
        Format::Json => println!("{}", lint.to_json()),
        Format::Sarif => println!("{}", lint.sarif(&survey::place(&asked.sources))),
        Format::Github => print!("{}", lint.github()),
    }
    let is_over = asked.fail_over.is_some_and(|most| lint.cost() > most);
    Ok(u8::from(is_over))
}
