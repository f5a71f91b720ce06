//! What the system knows of this process, under the names that Prometheus' own clients use.

use std::fmt::Write;
use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};
use toolshape_pipes::child::most_open_files;

/// The metrics of the process: name, kind, what it is, and its value, where the system knows it.
type Known = (&'static str, &'static str, &'static str, Option<f64>);

/// Writes them. `started`: when the process began to serve.
pub fn write(out: &mut String, started: SystemTime) {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let cpu = time.tv_sec as f64 + time.tv_nsec as f64 / 1e9;
    let began = started.duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
    let open = fs::read_dir("/proc/self/fd").ok().map(|files| files.count() as f64);
    let known: [Known; 5] = [
        ("process_cpu_seconds", "counter", "Time of processors.", Some(cpu)),
        ("process_resident_memory_bytes", "gauge", "Memory in use.", resident()),
        ("process_open_fds", "gauge", "Open files and connections.", open),
        ("process_max_fds", "gauge", "The most of these.", most_open_files().map(|most| most as f64)),
        ("process_start_time_seconds", "gauge", "When it began, since 1970.", Some(began)),
    ];
    for (name, kind, about, value) in known {
        let Some(value) = value else { continue };
        let total = if kind == "counter" { "_total" } else { "" };
        let _ = writeln!(out, "# TYPE {name} {kind}\n# HELP {name} {about}\n{name}{total} {value}");
    }
}

/// `VmRSS` (proc(5)).
fn resident() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse::<f64>().ok().map(|kilobytes| kilobytes * 1024.0)
}
