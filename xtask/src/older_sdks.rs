//! The adapters of older Python SDKs: each SDK in an environment of its own, with the wheel and the tests of adapters.

use std::process::Command;
use std::thread;

use anyhow::{Result, anyhow};

use crate::console;
use crate::counts::Counts;
use crate::layout::Layout;
use crate::python::{self, OLDER};
use crate::run::{self, Ended};
use crate::steps::Outcome;

/// The tests that run whatever SDK is there.
const TESTS: &[&str] = &[
    "tests/test_adapters.py",
    "tests/test_adapter_authorization.py",
    "tests/test_adapter_layers.py",
    "tests/test_adapter_low_level.py",
    "tests/test_adapter_rate_limits.py",
    "tests/test_adapter_tasks.py",
    "tests/test_fastmcp_data.py",
    "tests/test_summarizers.py",
];

/// Runs the tests with all SDKs at the same time, because they wait for servers more than they compute.
pub fn test(layout: &Layout) -> Result<Outcome> {
    for sdk in OLDER {
        python::prepare_older(layout, sdk)?;
    }
    let page = console::page();
    let ended: Vec<Result<Ended>> = thread::scope(|scope| {
        let start = |sdk| {
            scope.spawn(move || {
                console::print_on(page);
                run::live(&mut pytest(layout, sdk))
            })
        };
        let running = OLDER.map(start);
        running.into_iter().map(|run| run.join().unwrap_or_else(|_| Err(anyhow!("a run panicked")))).collect()
    });
    let mut sum = Counts::default();
    for run in ended {
        let run = run?;
        let mut counts = Counts::read(&run.text);
        if !run.ok && counts.failed == 0 {
            counts.failed = 1;
        }
        sum += counts;
    }
    Ok(Outcome::Ran(sum, Vec::new()))
}

fn pytest(layout: &Layout, sdk: &str) -> Command {
    let mut python = python::python_of(layout, &layout.venv_older(sdk));
    python.args(["-m", "pytest", "--quiet", "-m", "not documents"]).args(TESTS);
    python.current_dir(layout.path("py-bindings")).env("VECTORS_DIR", layout.path("vectors"));
    python
}
