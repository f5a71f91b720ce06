//! The types of the Python package under `mypy --strict`, as its users have them.

use anyhow::Result;

use crate::layout::{Layout, bin_of};
use crate::steps::Outcome;
use crate::{python, run};

/// The files that import an SDK, by the SDK in whose environment their types are checked.
const TYPES: [(&str, &[&str]); 3] = [
    ("mcp1", &["mcp1", "tasks"]),
    ("fastmcp2", &["fastmcp2"]),
    ("fastmcp3", &["fastmcp3", "fastmcp_on_mcp1", "shaping_middleware", "providers"]),
];

/// Checks the package, a sample of its use and the Python of the pages, and compares the stubs with the module.
pub fn check(layout: &Layout) -> Result<Outcome> {
    python::prepare(layout, python::TESTED_BY)?;
    let folder = layout.path("py-bindings");
    let mypy = |arguments: &[&str]| {
        let mut mypy = python::python(layout);
        mypy.arg("-m").args(arguments).current_dir(&folder);
        run::live_ok(&mut mypy)
    };
    mypy(&["mypy", "--strict", "--package", "toolshape"])?;
    mypy(&["mypy", "--strict", "tests/typing_sample.py"])?;
    let snippets = layout.path("target/typing/snippets.py");
    run::live_ok(python::python(layout).arg("tests/typed_snippets.py").arg(&snippets).current_dir(&folder))?;
    mypy(&["mypy", "--strict", &snippets.to_string_lossy()])?;
    mypy(&["mypy.stubtest", "toolshape._toolshape"])?;
    older(layout)?;
    Ok(Outcome::Done)
}

/// Checks the types of each adapter with mypy, beside the SDK that it imports.
fn older(layout: &Layout) -> Result<()> {
    for (sdk, files) in TYPES {
        python::prepare_older(layout, sdk)?;
        let mut mypy = python::python(layout);
        // The settings leave these files out, because the newest SDKs are no use to them.
        mypy.args(["-m", "mypy", "--config-file=", "--strict", "--python-executable"]);
        mypy.arg(bin_of(&layout.venv_older(sdk)).join("python")).current_dir(layout.path("py-bindings"));
        mypy.args(files.iter().flat_map(|file| ["--module".to_owned(), format!("toolshape._sdks.{file}")]));
        run::live_ok(&mut mypy)?;
    }
    Ok(())
}
