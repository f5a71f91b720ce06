//! Counters, as OpenMetrics text (version 1.0.0).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};
use toolshape::Step;
use toolshape_pipes::child::most_open_files;

use crate::lock::locked;
use crate::share::may_take;

/// The tools that are counted on their own. Servers name them: one adds no more names than it leaves room for.
const TOOLS: usize = 500;
/// The name under which further tools are counted, and those that no server has listed.
const OTHERS: &str = "(other)";

/// What is counted.
pub struct Metrics {
    started: SystemTime,
    in_flight: AtomicUsize,
    spans_dropped: AtomicUsize,
    store_failures: AtomicU64,
    /// By operation.
    store: Mutex<BTreeMap<&'static str, StoreOperations>>,
    /// By upstream and status.
    requests: Mutex<BTreeMap<String, BTreeMap<u16, u64>>>,
    /// By upstream and tool.
    calls: Mutex<BTreeMap<String, BTreeMap<String, Calls>>>,
    /// Tokens of definitions without toolshape and with it, by server.
    definitions: Mutex<BTreeMap<String, (u64, u64)>>,
}

/// The operations of the store of one kind.
#[derive(Default)]
struct StoreOperations {
    durations: Histogram,
    bytes: u64,
}

/// The calls of one tool.
#[derive(Default)]
struct Calls {
    durations: Histogram,
    waited: Duration,
    errors: u64,
    shaped: u64,
    before: u64,
    after: u64,
    steps: BTreeMap<String, u64>,
}

/// What a call of a tool took.
pub struct CountedCall<'a> {
    pub upstream: &'a str,
    /// None where the server has not listed it.
    pub tool: Option<&'a str>,
    pub took: Duration,
    pub waited: Duration,
    pub is_error: bool,
    pub is_shaped: bool,
    pub steps: &'a [Step],
    pub tokens_before: usize,
    pub tokens_after: usize,
}

impl Metrics {
    pub fn new() -> Self {
        Self {
            started: SystemTime::now(),
            in_flight: AtomicUsize::new(0),
            spans_dropped: AtomicUsize::new(0),
            store_failures: AtomicU64::new(0),
            store: Mutex::default(),
            requests: Mutex::default(),
            calls: Mutex::default(),
            definitions: Mutex::default(),
        }
    }

    /// A call of a tool began. It ends when it is [`called`](Self::called).
    pub fn calls_began(&self) {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
    }

    pub fn spans_dropped(&self, count: usize) {
        self.spans_dropped.fetch_add(count, Ordering::Relaxed);
    }

    /// The store has done what it was asked, or has failed.
    pub fn store_asked(&self, operation: &'static str, took: Duration, bytes: usize) {
        let mut store = locked(&self.store);
        let counted = store.entry(operation).or_default();
        counted.durations.add(took);
        counted.bytes += bytes as u64;
    }

    pub fn store_failed(&self) {
        self.store_failures.fetch_add(1, Ordering::Relaxed);
    }

    pub fn answered(&self, upstream: &str, status: u16) {
        let mut requests = locked(&self.requests);
        *under(&mut requests, upstream).entry(status).or_default() += 1;
    }

    pub fn listed(&self, upstream: &str, (before, after): (usize, usize)) {
        if before + after > 0 {
            let mut definitions = locked(&self.definitions);
            let sum = definitions.entry(upstream.to_owned()).or_default();
            *sum = (sum.0 + before as u64, sum.1 + after as u64);
        }
    }

    pub fn called(&self, call: &CountedCall<'_>) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
        let mut calls = locked(&self.calls);
        let all = calls.values().map(BTreeMap::len).sum();
        let calls = under(&mut calls, call.upstream);
        let is_counted = |tool: &&str| calls.contains_key(*tool) || may_take(TOOLS, all, calls.len());
        let tool = call.tool.filter(is_counted).unwrap_or(OTHERS);
        let counted = under(calls, tool);
        counted.durations.add(call.took);
        counted.waited += call.waited;
        counted.errors += u64::from(call.is_error);
        counted.shaped += u64::from(call.is_shaped);
        for step in call.steps {
            *counted.steps.entry(step.to_string()).or_default() += 1;
        }
        counted.before += call.tokens_before as u64;
        counted.after += call.tokens_after as u64;
    }

    /// The text, with the requests that are open now, their limit, and the processes that run.
    pub fn text(&self, open: usize, most: usize, processes: usize) -> String {
        let mut out = String::new();
        write_process(&mut out, self.started);
        let mut family = |name: &str, kind: &str, about: &str, samples: &dyn Fn(&mut String)| {
            let _ = writeln!(out, "# TYPE {name} {kind}\n# HELP {name} {about}");
            samples(&mut out);
        };
        family("toolshape_build", "info", "The version.", &|out| {
            let _ = writeln!(out, "toolshape_build_info{{version=\"{}\"}} 1", env!("CARGO_PKG_VERSION"));
        });
        let gauges = [
            ("toolshape_open_requests", "Requests and streams that are open.", open),
            ("toolshape_max_requests", "The most of these: maxConcurrent.", most),
            ("toolshape_calls_in_flight", "Calls of tools that are open.", self.in_flight.load(Ordering::Relaxed)),
            ("toolshape_processes", "Processes of commands.", processes),
        ];
        for (name, about, value) in gauges {
            family(name, "gauge", about, &|out| _ = writeln!(out, "{name} {value}"));
        }
        family("toolshape_dropped_spans", "counter", "Spans that the collector did not take.", &|out| {
            let _ = writeln!(out, "toolshape_dropped_spans_total {}", self.spans_dropped.load(Ordering::Relaxed));
        });
        let store = locked(&self.store);
        family("toolshape_store_seconds", "histogram", "How long the store took.", &|out| {
            for (operation, counted) in store.iter() {
                counted.durations.write(out, "toolshape_store_seconds", &format!("operation=\"{operation}\""));
            }
        });
        family("toolshape_store_bytes", "counter", "Bytes of values that were read or written.", &|out| {
            for (operation, StoreOperations { bytes, .. }) in store.iter() {
                let _ = writeln!(out, "toolshape_store_bytes_total{{operation=\"{operation}\"}} {bytes}");
            }
        });
        family("toolshape_store_failures", "counter", "Reads and writes of the store that failed.", &|out| {
            let _ = writeln!(out, "toolshape_store_failures_total {}", self.store_failures.load(Ordering::Relaxed));
        });
        let requests = locked(&self.requests);
        family("toolshape_requests", "counter", "HTTP requests by their status.", &|out| {
            for (upstream, status, count) in pairs(&requests) {
                let _ =
                    writeln!(out, "toolshape_requests_total{{upstream=\"{upstream}\",status=\"{status}\"}} {count}");
            }
        });
        let tools = locked(&self.calls);
        let calls: Vec<_> = pairs(&tools).map(|(upstream, tool, calls)| (labels(upstream, tool), calls)).collect();
        for (name, about, of) in COUNTED {
            family(name, "counter", about, &|out| {
                for (labels, counted) in &calls {
                    let _ = writeln!(out, "{name}_total{{{labels}}} {}", of(counted));
                }
            });
        }
        let definitions = locked(&self.definitions);
        for (name, about, of) in LISTED {
            family(name, "counter", about, &|out| {
                for (upstream, sum) in definitions.iter() {
                    let _ = writeln!(out, "{name}_total{{upstream=\"{upstream}\"}} {}", of(sum));
                }
            });
        }
        family("toolshape_steps", "counter", "Steps that changed results.", &|out| {
            for (labels, counted) in &calls {
                for (step, count) in &counted.steps {
                    let _ = writeln!(out, "toolshape_steps_total{{{labels},step=\"{step}\"}} {count}");
                }
            }
        });
        family("toolshape_call_seconds", "histogram", "How long calls of tools took.", &|out| {
            for (labels, counted) in &calls {
                counted.durations.write(out, "toolshape_call_seconds", labels);
            }
        });
        out + "# EOF\n"
    }
}

type Counted = (&'static str, &'static str, fn(&Calls) -> f64);

const COUNTED: [Counted; 5] = [
    ("toolshape_errors", "Calls whose result says isError, or whose answer is an error.", |calls| calls.errors as f64),
    ("toolshape_upstream_seconds", "Seconds of calls in which the server was waited for.", |calls| {
        calls.waited.as_secs_f64()
    }),
    ("toolshape_shaped", "Results that were changed.", |calls| calls.shaped as f64),
    ("toolshape_tokens_before", "Tokens of results as their hosts would show them.", |calls| calls.before as f64),
    ("toolshape_tokens_after", "Tokens of results and of what is read back, as the model reads them.", |calls| {
        calls.after as f64
    }),
];

type Listed = (&'static str, &'static str, fn(&(u64, u64)) -> u64);

const LISTED: [Listed; 2] = [
    ("toolshape_definition_tokens_before", "Tokens of the tools that servers list.", |sum| sum.0),
    ("toolshape_definition_tokens_after", "Tokens of the tools that clients are sent.", |sum| sum.1),
];

/// What is under a name, which is copied the first time alone.
fn under<'m, T: Default>(all: &'m mut BTreeMap<String, T>, name: &str) -> &'m mut T {
    if !all.contains_key(name) {
        all.insert(name.to_owned(), T::default());
    }
    all.get_mut(name).expect("it has been inserted")
}

fn pairs<K, T>(all: &BTreeMap<String, BTreeMap<K, T>>) -> impl Iterator<Item = (&str, &K, &T)> {
    all.iter().flat_map(|(first, rest)| rest.iter().map(|(second, value)| (first.as_str(), second, value)))
}

fn labels(upstream: &str, tool: &str) -> String {
    let tool = tool.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("upstream=\"{upstream}\",tool=\"{tool}\"")
}

/// The upper bounds of a histogram, in seconds.
const BOUNDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// Durations by the bounds, and one more place for longer ones.
#[derive(Default)]
struct Histogram {
    counts: [u64; BOUNDS.len() + 1],
    seconds: f64,
}

impl Histogram {
    fn add(&mut self, took: Duration) {
        let seconds = took.as_secs_f64();
        self.counts[BOUNDS.iter().position(|bound| seconds <= *bound).unwrap_or(BOUNDS.len())] += 1;
        self.seconds += seconds;
    }

    /// Writes the samples of a metric with these labels.
    fn write(&self, out: &mut String, name: &str, labels: &str) {
        let mut count = 0;
        for (place, more) in self.counts.iter().enumerate() {
            count += more;
            let bound = BOUNDS.get(place).map_or("+Inf".to_owned(), f64::to_string);
            let _ = writeln!(out, "{name}_bucket{{{labels},le=\"{bound}\"}} {count}");
        }
        let _ = writeln!(out, "{name}_count{{{labels}}} {count}");
        let _ = writeln!(out, "{name}_sum{{{labels}}} {}", self.seconds);
    }
}

/// The metrics of the process: name, kind, what it is, and its value, where the system knows it.
type Known = (&'static str, &'static str, &'static str, Option<f64>);

/// Writes what the system knows of this process, under the names that Prometheus' own clients use. `started`: when the process began to serve.
fn write_process(out: &mut String, started: SystemTime) {
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
