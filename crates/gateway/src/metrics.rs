//! Counters, as OpenMetrics text (version 1.0.0).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use toolshape::Step;

use crate::share::may_take;

/// The upper bounds of durations, in seconds.
const BOUNDS: [f64; 10] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];
/// The tools that are counted on their own. Clients name them: a tenant adds no more names than it leaves room for.
const TOOLS: usize = 500;
/// The name under which further tools are counted.
const OTHERS: &str = "(other)";

/// What is counted.
#[derive(Default)]
pub struct Metrics {
    store_failures: AtomicU64,
    requests: Mutex<BTreeMap<(String, u16), u64>>,
    calls: Mutex<CountedTools>,
}

/// The calls by server and tool, and how many names each tenant has added.
#[derive(Default)]
struct CountedTools {
    calls: BTreeMap<(String, String), Calls>,
    named: BTreeMap<String, usize>,
}

/// The calls of one tool.
#[derive(Default)]
struct Calls {
    /// By the bounds, and one more for longer ones.
    durations: [u64; BOUNDS.len() + 1],
    seconds: f64,
    shaped: u64,
    before: u64,
    after: u64,
    steps: BTreeMap<String, u64>,
}

/// What a call of a tool took.
pub struct CountedCall<'a> {
    pub upstream: &'a str,
    pub tenant: &'a str,
    pub tool: &'a str,
    pub took: Duration,
    pub is_shaped: bool,
    pub steps: &'a [Step],
    pub tokens_before: usize,
    pub tokens_after: usize,
}

impl Metrics {
    pub fn store_failed(&self) {
        self.store_failures.fetch_add(1, Ordering::Relaxed);
    }

    pub fn answered(&self, upstream: &str, status: u16) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry((upstream.to_owned(), status)).or_default() += 1;
    }

    pub fn called(&self, call: &CountedCall<'_>) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (call.upstream.to_owned(), call.tool.to_owned());
        let CountedTools { calls, named } = &mut *calls;
        let is_known = calls.contains_key(&key);
        let is_new = !is_known && may_take(TOOLS, calls.len(), named.get(call.tenant).copied().unwrap_or_default());
        if is_new {
            *named.entry(call.tenant.to_owned()).or_default() += 1;
        }
        let key = if is_known || is_new { key } else { (key.0, OTHERS.to_owned()) };
        let counted = calls.entry(key).or_default();
        let seconds = call.took.as_secs_f64();
        counted.durations[BOUNDS.iter().position(|bound| seconds <= *bound).unwrap_or(BOUNDS.len())] += 1;
        counted.seconds += seconds;
        counted.shaped += u64::from(call.is_shaped);
        for step in call.steps {
            *counted.steps.entry(step.to_string()).or_default() += 1;
        }
        counted.before += call.tokens_before as u64;
        counted.after += call.tokens_after as u64;
    }

    /// The text, with the requests that are open now and the processes that run.
    pub fn text(&self, open: usize, processes: usize) -> String {
        let mut out = String::new();
        let mut family = |name: &str, kind: &str, about: &str, samples: &dyn Fn(&mut String)| {
            let _ = writeln!(out, "# TYPE {name} {kind}\n# HELP {name} {about}");
            samples(&mut out);
        };
        family("toolshape_open_requests", "gauge", "Requests and streams that are open.", &|out| {
            let _ = writeln!(out, "toolshape_open_requests {open}");
        });
        family("toolshape_processes", "gauge", "Processes of commands.", &|out| {
            let _ = writeln!(out, "toolshape_processes {processes}");
        });
        family("toolshape_store_failures", "counter", "Reads and writes of the store that failed.", &|out| {
            let _ = writeln!(out, "toolshape_store_failures_total {}", self.store_failures.load(Ordering::Relaxed));
        });
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        family("toolshape_requests", "counter", "HTTP requests by their status.", &|out| {
            for ((upstream, status), count) in requests.iter() {
                let _ =
                    writeln!(out, "toolshape_requests_total{{upstream=\"{upstream}\",status=\"{status}\"}} {count}");
            }
        });
        let tools = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = &tools.calls;
        for (name, about, of) in COUNTED {
            family(name, "counter", about, &|out| {
                for (key, counted) in calls.iter() {
                    let _ = writeln!(out, "{name}_total{{{}}} {}", labels(key), of(counted));
                }
            });
        }
        family("toolshape_steps", "counter", "Steps that changed results.", &|out| {
            for (key, counted) in calls.iter() {
                for (step, count) in &counted.steps {
                    let _ = writeln!(out, "toolshape_steps_total{{{},step=\"{step}\"}} {count}", labels(key));
                }
            }
        });
        family("toolshape_call_seconds", "histogram", "How long calls of tools took.", &|out| {
            for (key, counted) in calls.iter() {
                let (labels, mut count) = (labels(key), 0);
                for (place, more) in counted.durations.iter().enumerate() {
                    count += more;
                    let bound = BOUNDS.get(place).map_or("+Inf".to_owned(), f64::to_string);
                    let _ = writeln!(out, "toolshape_call_seconds_bucket{{{labels},le=\"{bound}\"}} {count}");
                }
                let _ = writeln!(out, "toolshape_call_seconds_count{{{labels}}} {count}");
                let _ = writeln!(out, "toolshape_call_seconds_sum{{{labels}}} {}", counted.seconds);
            }
        });
        out + "# EOF\n"
    }
}

type Counted = (&'static str, &'static str, fn(&Calls) -> u64);

const COUNTED: [Counted; 3] = [
    ("toolshape_shaped", "Results that were changed.", |calls| calls.shaped),
    ("toolshape_tokens_before", "Tokens of results as the tools returned them, partly estimated.", |calls| {
        calls.before
    }),
    ("toolshape_tokens_after", "Tokens of results as the model reads them.", |calls| calls.after),
];

fn labels((upstream, tool): &(String, String)) -> String {
    let tool = tool.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("upstream=\"{upstream}\",tool=\"{tool}\"")
}
