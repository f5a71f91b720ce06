//! The sizes of results on a logarithmic axis, as they are and behind toolshape, with the limit of each host as a line.

use super::html::{share, text_within};
use crate::survey::measured::{Measured, MeasuredResult};
use crate::survey::numbers::{grouped, log_place};
use toolshape::host::{Host, TextSize, sort_by_key};

/// The most tools in the picture; the others are in the table.
const ROWS: usize = 24;

/// The axis begins at this many bytes, and ends at a power of ten of at least this many.
const LEAST: usize = 100;
const MOST: usize = 1_000_000;

/// Heights: of a host's name, of the units at the end, of a row, and where its line is.
const NAME: usize = 18;
const UNITS: usize = 22;
const ROW: usize = 40;
const LINE: usize = 26;

/// The characters of a tool's name that a telephone has room for.
const NAME_CHARS: usize = 26;

pub(super) fn section(measured: &Measured) -> String {
    let heading = "<section>\n<h2>Results and what hosts show of them</h2>\n";
    let results = largest(measured);
    if results.is_empty() {
        return format!(
            "{heading}<p>No result was measured: only tools that say <code>readOnlyHint</code> and need no arguments are \
             called. Name calls with <code>--calls</code>, or record a session with <code>--record</code>.</p>\n</section>\n"
        );
    }
    let biggest = results.iter().map(|result| result.before.most().bytes).max().unwrap_or_default();
    let mut most = MOST;
    while most < biggest {
        most *= 10;
    }
    // A little room at both ends, for dots.
    let place = |bytes: usize| share(150 + log_place(bytes, LEAST, most) * 97 / 100);
    let shown = &results[..results.len().min(ROWS)];
    let top = Host::limited().count() * NAME + 8;
    let end = top + shown.len() * ROW;
    let height = end + UNITS;
    let mut picture = String::new();
    let mut unit = LEAST;
    while unit <= most {
        let at = place(unit);
        let anchor = if unit == most {
            "end"
        } else if unit == LEAST {
            "start"
        } else {
            "middle"
        };
        picture += &format!("<line class=\"grid\" x1=\"{at}\" x2=\"{at}\" y1=\"{top}\" y2=\"{end}\"/>\n");
        picture += &format!(
            "<text class=\"tick\" x=\"{at}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>\n",
            end + 16,
            size(unit)
        );
        unit *= 10;
    }
    // From the highest limit down, so that no line crosses a name.
    for (row, host) in Host::limited().rev().enumerate() {
        let (limit, unit) = limit(host);
        let (at, y) = (place(limit), row * NAME);
        picture += &format!(
            "<g class=\"t\"><title>{}: over {} {unit} it {}</title>\
             <line class=\"limit\" x1=\"{at}\" x2=\"{at}\" y1=\"{}\" y2=\"{end}\"/>\
             <text class=\"host\" x=\"{at}\" y=\"{}\" dx=\"-5\" text-anchor=\"end\">{} <tspan>{}</tspan></text></g>\n",
            host.title,
            grouped(limit),
            host.then,
            y + 3,
            y + 14,
            host.title,
            grouped(limit),
        );
    }
    for (row, result) in shown.iter().enumerate() {
        write_row(result, top + row * ROW, &place, &mut picture);
    }
    let more = match results.len() - shown.len() {
        0 => String::new(),
        more => format!(" The table has {} more.", grouped(more)),
    };
    format!(
        "{heading}<p>The largest result of each tool, in bytes of its larger channel: \
         <span class=\"key\"><svg class=\"dot\" width=\"12\" height=\"12\" aria-hidden=\"true\"><circle class=\"before\" cx=\"6\" \
         cy=\"6\" r=\"5\"/></svg> as the server returns it</span>, \
         <span class=\"key\"><svg class=\"dot\" width=\"12\" height=\"12\" aria-hidden=\"true\"><circle class=\"after\" cx=\"6\" \
         cy=\"6\" r=\"4\"/></svg> behind toolshape</span>. What is to the right of a host's line, that host does not show \
         whole.{more}</p>\n<svg role=\"img\" aria-label=\"{} results on a logarithmic axis of bytes, and the limits of {} \
         hosts; the same as numbers in the tables\" height=\"{height}\">\n{picture}</svg>\n</section>\n",
        shown.len(),
        Host::limited().count(),
    )
}

/// The largest result of each tool, the largest first.
fn largest(measured: &Measured) -> Vec<&MeasuredResult> {
    let mut out: Vec<&MeasuredResult> = Vec::new();
    for server in &measured.servers {
        let begin = out.len();
        for result in &server.results {
            match out[begin..].iter_mut().find(|other| other.tool == result.tool) {
                Some(other) if result.before.most().bytes > other.before.most().bytes => *other = result,
                Some(_) => {}
                None => out.push(result),
            }
        }
    }
    sort_by_key(&mut out, |result| std::cmp::Reverse(result.before.most().bytes));
    out
}

fn write_row(result: &MeasuredResult, y: usize, place: &impl Fn(usize) -> String, picture: &mut String) {
    let (before, after) = (result.before.most(), result.after.most());
    let (from, to) = (place(after.bytes), place(before.bytes));
    let tokens = match before.tokens == after.tokens {
        true => grouped(before.tokens),
        false => format!("{} → {}", grouped(before.tokens), grouped(after.tokens)),
    };
    let class = if result.over.is_empty() { "before" } else { "before over" };
    let (text_at, line) = (y + 14, y + LINE);
    *picture += &format!("<g class=\"t\"><title>{}</title>\n", title(result, before, after));
    *picture += &format!("<text x=\"0\" y=\"{text_at}\">{}</text>\n", text_within(&result.tool, NAME_CHARS));
    *picture += &format!("<text class=\"number\" x=\"100%\" y=\"{text_at}\" text-anchor=\"end\">{tokens}</text>\n");
    *picture += &format!("<line class=\"way\" x1=\"{from}\" x2=\"{to}\" y1=\"{line}\" y2=\"{line}\"/>\n");
    *picture += &format!("<circle class=\"{class}\" cx=\"{to}\" cy=\"{line}\" r=\"5\"/>\n");
    if before.bytes != after.bytes {
        *picture += &format!("<circle class=\"after\" cx=\"{from}\" cy=\"{line}\" r=\"4\"/>\n");
    }
    *picture += "</g>\n";
}

fn title(result: &MeasuredResult, before: TextSize, after: TextSize) -> String {
    let mut said = format!(
        "{}: {} tokens, {} bytes; behind toolshape {} tokens, {} bytes",
        text_within(&result.tool, NAME_CHARS * 2),
        grouped(before.tokens),
        grouped(before.bytes),
        grouped(after.tokens),
        grouped(after.bytes),
    );
    let hosts: Vec<&str> = result.over.iter().map(|over| over.host.title).collect();
    if !hosts.is_empty() {
        said += &format!("; not shown whole by {}", hosts.join(", "));
    }
    said
}

/// A host's limit on the axis: bytes or characters, which are bytes for most results.
fn limit(host: &Host) -> (usize, &'static str) {
    match host.limit.bytes {
        usize::MAX => (host.limit.chars, "characters"),
        bytes => (bytes, "bytes"),
    }
}

/// A power of ten in bytes.
fn size(bytes: usize) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{} KB", bytes / 1000),
        _ => format!("{} MB", grouped(bytes / 1_000_000)),
    }
}
