//! What a text is, by a bounded look at it. The evidence is strong, or the text is taken for none of these: a wrong guess
//! would show it in a form that is not its own.

use toolshape_text::prose::html;
use toolshape_text::prose::log_lines;
use toolshape_text::prose::markdown;
use toolshape_text::prose::trace;

use super::sample::Sample;
use crate::value::structured_text::TextFormat;

/// What a text is, if it is certain.
pub(crate) fn format(sample: &Sample<'_>) -> Option<TextFormat> {
    if html::is_page(sample.start()) {
        return Some(TextFormat::Html);
    }
    let lines = sample.lines();
    if log_lines::is_log(&lines) {
        Some(TextFormat::Log)
    } else if trace::is_trace(&lines) {
        Some(TextFormat::Trace)
    } else if markdown::is_markdown(&lines) {
        Some(TextFormat::Markdown)
    } else {
        None
    }
}
