//! The Python package under pytest, by coverage.py, in the servers that tests start too.

use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

use super::{Covered, Files};
use crate::layout::Layout;
use crate::{python, run};

/// What measures, on top of what tests need.
const MEASURED_BY: &str = "py-bindings/requirements-coverage.txt";

/// The suites of the wheel.
const SUITES: &[&str] = &["python", "stores-python"];

pub fn measure(layout: &Layout, faults: &mut Vec<String>) -> Result<Files> {
    python::ensure(layout, &[python::BUILD, python::EXAMPLES, python::TESTS, MEASURED_BY])?;
    let folder = super::folder(layout).join("python");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let (settings, data) = (folder.join("settings.ini"), folder.join("data"));
    let written = "[run]\nbranch = true\nparallel = true\nsource_pkgs = toolshape\n";
    fs::write(&settings, format!("{written}data_file = {}\n", data.display()))?;
    // Each Python of the environment reads this file when it starts, and measures if the variable is set.
    let site = ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"];
    let site = run::answer(python::python(layout).args(site)).context("where are Python's packages?")?;
    let hook = std::path::Path::new(&site).join("toolshape_coverage.pth");
    fs::write(
        &hook,
        "import os; 'COVERAGE_PROCESS_START' in os.environ and __import__('coverage').process_startup()\n",
    )?;
    let mut suites = super::suites(layout, SUITES)?;
    suites.env("COVERAGE_PROCESS_START", &settings);
    let ran = super::run_all("Python", suites, faults);
    fs::remove_file(hook)?;
    ran?;
    let coverage = |arguments: &[&str]| {
        let mut coverage = python::python(layout);
        coverage.args(["-m", "coverage"]).args(arguments).arg("--rcfile").arg(&settings).current_dir(&folder);
        run::live_ok(&mut coverage)
    };
    coverage(&["combine", "--quiet"])?;
    coverage(&["json", "--quiet", "-o", "report.json"])?;
    let report: Value = serde_json::from_str(&fs::read_to_string(folder.join("report.json"))?)?;
    let mut files = Files::new();
    for (path, file) in report["files"].as_object().context("coverage.py reported no files")? {
        let count = |name: &str| file["summary"][name].as_u64().unwrap_or(0);
        let lines = [count("covered_lines"), count("num_statements")];
        let branches = [count("covered_branches"), count("num_branches")];
        if let Some((_, inside)) = path.replace('\\', "/").rsplit_once("site-packages/") {
            files.insert(format!("py-bindings/python/{inside}"), Covered { lines, branches });
        }
    }
    Ok(files)
}
