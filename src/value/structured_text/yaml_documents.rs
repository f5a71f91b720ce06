//! YAML with several documents, divided by lines `---`. The documents stay texts.

use toolshape_text::rows::grammar::Grammar;
use toolshape_text::rows::head::Head;
use toolshape_text::rows::row_index::RowIndex;
use toolshape_text::rows::yaml_divider::{is_divider, next, preface};

use super::structure::{Structure, TextFormat};

/// Whether a text may begin so: its first lines are those of a document.
pub(super) fn may_begin(head: &Head<'_>) -> bool {
    is_document(&head.text[preface(head.text)..])
}

/// Whether the first lines of a document are keys, items, comments, or inside of these, and at least one is a key or an
/// item.
fn is_document(text: &str) -> bool {
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let mut has_content = false;
    for line in lines.skip_while(|line| is_divider(line)).take(12) {
        if is_divider(line) {
            break;
        }
        let is_outer = !line.starts_with([' ', '\t']);
        let is_content = is_key(line) || line.starts_with("- ") || line == "-";
        if is_outer && !is_content && !line.starts_with(['%', '}', ']']) && line != "..." {
            return false;
        }
        has_content |= is_content;
    }
    has_content
}

/// Whether a line is `key: value`, with a key without spaces or in quotes.
fn is_key(line: &str) -> bool {
    let Some((key, value)) = line.split_once(':') else { return false };
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '$'))
    };
    let is_quoted =
        key.len() > 2 && (key.starts_with('"') && key.ends_with('"') || key.starts_with('\'') && key.ends_with('\''));
    (value.is_empty() || value.starts_with([' ', '\r'])) && (is_name(key) || is_quoted)
}

/// The structure of a text of which every document is YAML.
pub(super) fn recognize(text: &str, head: &Head<'_>) -> Option<Structure> {
    if !may_begin(head) {
        return None;
    }
    let mut index = RowIndex::new(Grammar::YamlDocuments, Vec::new(), 0);
    let mut at = 0;
    while at < text.len() {
        let next = next(text, at);
        // After the last divider there may be nothing.
        if next == text.len() && index.len > 0 && is_divider(text[at..].trim_end()) {
            break;
        }
        if !is_document(&text[at + preface(&text[at..next])..next]) {
            return None;
        }
        index.note(at, next);
        at = next;
    }
    // One document is not evidence.
    (index.len >= 2).then(|| Structure::of_rows(TextFormat::Yaml, index, text, false))
}
