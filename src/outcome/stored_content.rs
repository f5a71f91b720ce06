//! A whole result for the store: it is read once, piece by piece, for its id, its size, its start and its end.
//!
//! Its text is copied only if nobody else holds it.

use crate::base::error::Error;
use crate::base::json_string;
use crate::base::text_cuts;
use crate::outcome::to_store::Keep;
use crate::outcome::tool_output::ToolOutput;
use crate::request::handle::Handle;
use crate::request::stored_id::{Form, Id, Namer};
use crate::value::source::{Kind, Source};

/// The bytes of each end that are kept: more than any preview shows.
const WINDOW: usize = 8192;
/// Characters, or bytes, beyond a cut that are checked to see whether the cut is safe.
const MARGIN: usize = 256;

/// What is known about a whole result.
#[derive(Debug)]
pub(crate) struct StoredContent {
    pub id: Id,
    pub form: Form,
    pub bytes: usize,
    /// Whose it is, if the call has a scope.
    pub owner: Option<String>,
    /// Its first and its last bytes; together all of it if it is short.
    head: String,
    tail: String,
    /// The text, if nobody else holds it.
    text: Option<String>,
}

impl StoredContent {
    /// What the store must hold, without the text.
    pub fn keep(&self) -> Keep {
        let ticket = Handle::of(&self.id).ticket_key();
        let (id, key, owner) = (self.id.to_string(), self.form.key(&self.id), self.owner.clone());
        Keep { id, key, ticket, owner, content: None }
    }

    /// Takes the text out.
    pub fn take_text(&mut self) -> Option<String> {
        self.text.take()
    }

    /// The first and the last characters, at most `chars` of each, cut at safe places.
    pub fn ends(&self, chars: usize) -> (&str, &str) {
        let Self { form, head, tail, bytes, .. } = self;
        let to = text_cuts::offset(head, chars);
        // JSON text has escapes like a literal, but only in its strings.
        let end = match form {
            Form::Json => json_string::floor(json_string::slice(head, 0, chars + MARGIN), to),
            Form::Text => text_cuts::floor(&head[..floor_char(head, to + MARGIN)], to),
        };
        let shown = end.saturating_sub(bytes - tail.len());
        let from = tail.char_indices().rev().nth(chars.saturating_sub(1)).map_or(0, |(at, _)| at).max(shown);
        let mut before = floor_char(tail, from.saturating_sub(MARGIN));
        // A run of backslashes is read from its start; otherwise it is unclear which of them begin escapes.
        before -= tail.as_bytes()[..before].iter().rev().take_while(|&&byte| byte == b'\\').count();
        let start = before
            + match form {
                Form::Json => json_string::ceil(&tail[before..], from - before),
                Form::Text => text_cuts::ceil(&tail[before..], from - before),
            };
        (&head[..end], &tail[start..])
    }
}

/// Reads the whole output of a tool, which is stored for `owner`.
pub(crate) fn read(output: &ToolOutput<'_>, namer: Namer, owner: Option<String>) -> Result<StoredContent, Error> {
    let ToolOutput { value, given, form, is_lent, .. } = output;
    let (form, is_lent) = (*form, *is_lent);
    let mut reading = ContentReader { namer, bytes: 0, head: String::new(), tail: String::new() };
    let text = match (given, form) {
        (Some(given), Form::Text) => {
            reading.push(given);
            (!is_lent).then(|| (*given).to_owned())
        }
        (Some(given), Form::Json) => {
            let json = value.json()?;
            reading.push(&json);
            (!is_lent || json.len() != given.len()).then(|| json.into_owned())
        }
        (None, _) => {
            let mut copy = (!is_lent || !value.holds_whole()).then(String::new);
            value.whole(form == Form::Text && value.kind() == Kind::String, &mut |piece| {
                reading.push(piece);
                copy.iter_mut().for_each(|copy| copy.push_str(piece));
            })?;
            copy
        }
    };
    let ContentReader { namer, bytes, head, tail } = reading;
    Ok(StoredContent { id: namer.finish(), form, bytes, owner, head, tail, text })
}

/// Collects a text piece by piece.
struct ContentReader {
    namer: Namer,
    bytes: usize,
    head: String,
    tail: String,
}

impl ContentReader {
    fn push(&mut self, piece: &str) {
        self.namer.update(piece);
        // Once the head is full, it takes no later pieces.
        if self.bytes == self.head.len() {
            self.head.push_str(&piece[..floor_char(piece, WINDOW - self.head.len().min(WINDOW))]);
        }
        self.bytes += piece.len();
        if piece.len() >= WINDOW {
            self.tail.clear();
        }
        self.tail.push_str(&piece[floor_char(piece, piece.len().saturating_sub(WINDOW))..]);
        if self.tail.len() > 2 * WINDOW {
            self.tail.drain(..floor_char(&self.tail, self.tail.len() - WINDOW));
        }
    }
}

/// The last character boundary at or before a byte.
fn floor_char(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::call::Call;

    #[test]
    fn pieces_make_up_the_whole_whatever_their_size() {
        let text: String = (0..9000).map(|i| ["a", "é", "中", "😀", "\n"][i % 5]).collect();
        let whole = read(&ToolOutput::text(&text, &Call::default()), Namer::new(None, &[]), None).unwrap();
        for size in [1, 7, 4096, 8192, 20_000] {
            let mut reading =
                ContentReader { namer: Namer::new(None, &[]), bytes: 0, head: String::new(), tail: String::new() };
            let mut at = 0;
            while at < text.len() {
                let to =
                    (at + size..).find(|&to| to >= text.len() || text.is_char_boundary(to)).unwrap().min(text.len());
                reading.push(&text[at..to]);
                at = to;
            }
            assert_eq!((reading.namer.finish(), reading.bytes), (whole.id, text.len()));
            assert!(text.starts_with(&reading.head) && text.ends_with(&reading.tail));
            let (head, tail) = (reading.head.len(), reading.tail.len());
            assert!(head > WINDOW - 4 && (WINDOW..=2 * WINDOW + 4).contains(&tail), "{size}: {head}, {tail}");
        }
    }

    #[test]
    fn the_ends_of_a_short_whole_do_not_overlap() {
        let read = |text: &str| {
            let whole = read(&ToolOutput::text(text, &Call::default()), Namer::new(None, &[]), None).unwrap();
            let (head, tail) = whole.ends(10);
            (head.to_owned(), tail.to_owned())
        };
        assert_eq!(read("short"), ("short".to_owned(), String::new()));
        assert_eq!(read("fifteen letters"), ("fifteen le".to_owned(), "tters".to_owned()));
        assert_eq!(read(&"ab ".repeat(5000)), ("ab ab ab a".to_owned(), " ab ab ab ".to_owned()));
    }
}
