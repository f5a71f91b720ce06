//! What a text is, by a bounded look at it. The evidence is strong, or the text is taken for none of these: a wrong guess
//! would show it in a form that is not its own.

use super::html;
use super::log_lines;
use super::markdown;
use super::sample::Sample;
use super::trace;

/// What a text is that is read and not queried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    Log,
    Trace,
    Markdown,
    Html,
}

/// What a text is, if it is certain.
pub(crate) fn nature(sample: &Sample) -> Option<Nature> {
    if html::is_page(sample.start()) {
        return Some(Nature::Html);
    }
    let lines = sample.lines();
    if log_lines::is_log(&lines) {
        Some(Nature::Log)
    } else if trace::is_trace(&lines) {
        Some(Nature::Trace)
    } else if markdown::is_markdown(&lines) {
        Some(Nature::Markdown)
    } else {
        None
    }
}
