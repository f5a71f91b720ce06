//! A whole result for the store: it is read once, piece by piece, for its id, its size, its start and its end.
//!
//! Its text is copied only if nobody else holds it.

use std::borrow::Cow;

use crate::base::error::Error;
use crate::base::json_string;
use crate::base::text_cuts::{self, floor_char};
use crate::outcome::to_store::Keep;
use crate::outcome::tool_output::ToolOutput;
use crate::request::content_id::{ContentId, Form, Namer, PartialId};
use crate::request::handle::Handle;
use crate::value::hashed::Hashed;
use crate::value::source::{Source, whole};

/// The bytes of each end that are kept: more than any preview shows.
const WINDOW: usize = 8192;

/// What is known about a whole result.
#[derive(Debug)]
pub(crate) struct StoredContent {
    pub id: ContentId,
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
        Keep { id, key, ticket, owner, content: None, about: String::new(), images: None }
    }

    /// The first line with a word, at most `chars` of it.
    pub fn first_line(&self, chars: usize) -> Cow<'_, str> {
        let line = self.head.lines().map(str::trim).find(|line| !line.is_empty());
        text_cuts::clipped(line.unwrap_or_default(), chars)
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
            Form::Json => json_string::floor(json_string::slice(head, 0, chars + text_cuts::MARGIN), to),
            Form::Text => text_cuts::floor(&head[..floor_char(head, to + text_cuts::MARGIN)], to),
        };
        let shown = end.saturating_sub(bytes - tail.len());
        let from = tail.char_indices().rev().nth(chars.saturating_sub(1)).map_or(0, |(at, _)| at).max(shown);
        let mut before = floor_char(tail, from.saturating_sub(text_cuts::MARGIN));
        // A run of backslashes is read from its start; otherwise it is unclear which of them begin escapes.
        before -= tail.as_bytes()[..before].iter().rev().take_while(|&&byte| byte == b'\\').count();
        // Where the run begins before what is kept, nothing shows it, nor what it may escape.
        if before == 0 && tail.len() < *bytes && *form == Form::Json {
            before = after_escapes(tail);
        }
        let from = from.max(before);
        let start = before
            + match form {
                Form::Json => json_string::ceil(&tail[before..], from - before),
                Form::Text => text_cuts::ceil(&tail[before..], from - before),
            };
        (&head[..end], &tail[start..])
    }
}

/// Where backslashes at the start of a text, of which any may be escaped, and what they may escape have ended.
fn after_escapes(text: &str) -> usize {
    let rest = text.trim_start_matches('\\');
    let run = text.len() - rest.len();
    match rest.chars().next().filter(|_| run > 0) {
        Some('u') => run + 1 + rest.bytes().skip(1).take(4).take_while(u8::is_ascii_hexdigit).count(),
        Some(other) => run + other.len_utf8(),
        None => run,
    }
}

/// Reads the whole output of a tool, which is stored for `owner`.
pub(crate) fn read(output: &ToolOutput<'_>, namer: &Namer<'_>, owner: Option<String>) -> Result<StoredContent, Error> {
    let ToolOutput { value, given, form, .. } = output;
    let (form, is_held) = (*form, output.is_held());
    let (whole, text) = match (given, form) {
        (Some(given), Form::Text) => (hashed(given, namer), (!is_held).then(|| (*given).to_owned())),
        (Some(given), Form::Json) => {
            let json = value.json()?;
            (hashed(&json, namer), (!is_held || json.len() != given.len()).then(|| json.into_owned()))
        }
        (None, _) => read_value(output, namer)?,
    };
    let Hashed { hash, bytes, head, tail } = whole;
    Ok(StoredContent { id: ContentId(hash), form, bytes, owner, head, tail, text })
}

/// Reads the whole of a value: where its host has it, piece by piece, or written for the store.
fn read_value(output: &ToolOutput<'_>, namer: &Namer<'_>) -> Result<(Hashed, Option<String>), Error> {
    let (value, is_text) = (&output.value, output.is_plain_text());
    if !output.is_held() {
        let text = if is_text { value.text()? } else { value.json()? }.into_owned();
        return Ok((hashed(&text, namer), Some(text)));
    }
    if let Some(hashed) = value.fast().map_or(Ok(None), |fast| fast.hashed(is_text, namer.hashing(), WINDOW))? {
        return Ok((hashed, None));
    }
    let mut reading = Collector { id: namer.in_pieces(), bytes: 0, head: String::new(), tail: String::new() };
    whole(value, is_text, &mut |piece| reading.push(piece))?;
    Ok((reading.finish(), None))
}

/// What is known of a whole text.
fn hashed(text: &str, namer: &Namer<'_>) -> Hashed {
    let head = text[..floor_char(text, WINDOW)].to_owned();
    let tail = text[floor_char(text, text.len().saturating_sub(WINDOW))..].to_owned();
    Hashed { hash: namer.name(text).0, bytes: text.len(), head, tail }
}

/// Collects a text piece by piece.
struct Collector {
    id: PartialId,
    bytes: usize,
    head: String,
    tail: String,
}

impl Collector {
    fn push(&mut self, piece: &str) {
        self.id.update(piece);
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

    fn finish(self) -> Hashed {
        let Self { id, bytes, head, tail } = self;
        Hashed { hash: id.finish().0, bytes, head, tail }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::call::Call;

    #[test]
    fn pieces_make_up_the_whole_whatever_their_size() {
        let text: String = (0..9000).map(|i| ["a", "é", "中", "😀", "\n"][i % 5]).collect();
        let namer = Namer::new(None, None, None);
        let whole = hashed(&text, &namer);
        for size in [1, 7, 4096, 8192, 20_000] {
            let mut reading = Collector { id: namer.in_pieces(), bytes: 0, head: String::new(), tail: String::new() };
            let mut at = 0;
            while at < text.len() {
                let to =
                    (at + size..).find(|&to| to >= text.len() || text.is_char_boundary(to)).unwrap().min(text.len());
                reading.push(&text[at..to]);
                at = to;
            }
            let read = reading.finish();
            assert_eq!((read.hash, read.bytes), (whole.hash, whole.bytes));
            assert!(text.starts_with(&read.head) && text.ends_with(&read.tail));
            let (head, tail) = (read.head.len(), read.tail.len());
            assert!(head > WINDOW - 4 && (WINDOW..=2 * WINDOW + 4).contains(&tail), "{size}: {head}, {tail}");
        }
    }

    #[test]
    fn the_ends_of_a_short_whole_do_not_overlap() {
        let read = |text: &str| {
            let namer = Namer::new(None, None, None);
            let whole = read(&ToolOutput::text(text, &Call::default()), &namer, None).unwrap();
            let (head, tail) = whole.ends(10);
            (head.to_owned(), tail.to_owned())
        };
        assert_eq!(read("short"), ("short".to_owned(), String::new()));
        assert_eq!(read("fifteen letters"), ("fifteen le".to_owned(), "tters".to_owned()));
        assert_eq!(read(&"ab ".repeat(5000)), ("ab ab ab a".to_owned(), " ab ab ab ".to_owned()));
    }
}
