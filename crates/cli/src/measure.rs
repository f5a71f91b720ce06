//! `toolshape measure`: what servers cost a model's context.

use std::fs;

use anyhow::{Context, Result};
use toolshape::Shaper;
use toolshape_proxy::{Lint, Measured};

use crate::output;
use crate::survey;
use crate::survey::arguments::MeasureArguments;

/// Prints the table or the JSON, and writes the report.
pub fn run(asked: &MeasureArguments) -> Result<u8> {
    let shaper = Shaper::new(asked.policy.read()?.policy);
    let servers = survey::read(&asked.sources)?;
    let measured = Measured::of(&servers, &shaper, asked.window, toolshape_account::now())?;
    if let Some(file) = &asked.html {
        let lint = Lint::of(&servers, &shaper)?;
        fs::write(file, measured.report(&lint)).with_context(|| format!("cannot write {}", file.display()))?;
    }
    output::print(match asked.json {
        true => format!("{}\n", measured.to_json()),
        false => measured.table(survey::columns()),
    })?;
    Ok(0)
}
