//! The plain WebAssembly module: built, within its size, and the same in three runtimes.

use anyhow::{Result, bail};

use crate::layout::Layout;
use crate::plain;
use crate::release::table::{Said, Table};
use crate::release::{copied, emptied};
use crate::steps::Outcome;

pub fn rows(layout: &Layout, table: &mut Table) -> Result<()> {
    plain::build(layout)?;
    let module = copied(&plain::module(layout), &emptied(layout, "module", &[".wasm"])?)?;
    let row = table.of_file(&module);
    row.check("size", plain::check_size(layout).map(|()| Said::Passed));
    row.check("three runtimes", tested(layout));
    Ok(())
}

fn tested(layout: &Layout) -> Result<Said> {
    match plain::hosts::test(layout)? {
        Outcome::Ran(counts, _) if counts.failed == 0 => Ok(Said::Told(format!("{} answers", counts.passed))),
        _ => bail!("a runtime answers otherwise"),
    }
}
