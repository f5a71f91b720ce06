//! Server-sent events (WHATWG HTML, "Server-sent events") as their original bytes, so that most pass unchanged.

use crate::relay::decoded;
use memchr::memchr2;

/// A part of a stream.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// An event with the empty line at its end.
    Event(Vec<u8>),
    /// A part of an event that is longer than is held: of its data, and whether it is the last.
    Long(Vec<u8>, bool),
}

/// The events of a stream, however its bytes come.
pub struct Frames {
    bytes: Vec<u8>,
    /// Where the line begins that has no end yet.
    line: usize,
    most: usize,
    /// Whether the last line ended with a carriage return, after which a line feed ends no other line.
    is_after_return: bool,
    is_long: bool,
}

impl Frames {
    /// Events of more than `most` bytes come in parts.
    pub fn new(most: usize) -> Self {
        Self { bytes: Vec::new(), line: 0, most, is_after_return: false, is_long: false }
    }

    /// Whether the stream is within an event of which a part has come.
    pub fn is_within_long(&self) -> bool {
        self.is_long
    }

    /// The lines of the event that has no end yet.
    pub fn begun(&self) -> &[u8] {
        &self.bytes[..self.line]
    }

    /// The events that end in these bytes.
    pub fn read(&mut self, mut more: &[u8]) -> Vec<Frame> {
        let mut frames = Vec::new();
        if self.is_after_return && !more.is_empty() {
            self.is_after_return = false;
            more = more.strip_prefix(b"\n").unwrap_or(more);
        }
        while let Some(end) = memchr2(b'\n', b'\r', more) {
            let is_return = more[end] == b'\r';
            let is_pair = is_return && more.get(end + 1) == Some(&b'\n');
            let next = end + 1 + usize::from(is_pair);
            self.is_after_return = is_return && next == more.len() && !is_pair;
            self.bytes.extend_from_slice(&more[..end]);
            let is_empty = self.bytes.len() == self.line;
            self.bytes.extend_from_slice(&more[end..next]);
            more = &more[next..];
            self.line = self.bytes.len();
            if is_empty {
                self.line = 0;
                let event = std::mem::take(&mut self.bytes);
                match std::mem::take(&mut self.is_long) {
                    true => frames.push(Frame::Long(Vec::new(), true)),
                    false if event.len() > self.most => {
                        frames.extend([Frame::Long(data_from(&event), false), Frame::Long(Vec::new(), true)]);
                    }
                    false => frames.push(Frame::Event(event)),
                }
            }
        }
        self.bytes.extend_from_slice(more);
        if self.bytes.len() > self.most {
            let part = std::mem::take(&mut self.bytes);
            // Something of the line has to stay: an empty one would end the event.
            if part.len() > self.line {
                self.bytes.push(b' ');
            }
            self.line = 0;
            let data = if self.is_long { part } else { data_from(&part) };
            self.is_long = true;
            frames.push(Frame::Long(data, false));
        }
        frames
    }
}

/// What begins with the first line of data.
fn data_from(part: &[u8]) -> Vec<u8> {
    let lines = part.split_inclusive(|byte| matches!(byte, b'\n' | b'\r'));
    let before: usize = lines.take_while(|line| !line.starts_with(b"data:")).map(<[u8]>::len).sum();
    part.get(before + 5..).unwrap_or_default().to_vec()
}

/// An event, read.
pub struct ReadEvent {
    /// Its data, if clients take it for a message.
    pub data: Option<String>,
    /// Its other lines, with `\n` at the end of each.
    pub others: String,
    /// Whether it has an id, after which a stream is resumed.
    pub has_id: bool,
}

/// Reads an event.
pub fn read_event(event: &[u8]) -> ReadEvent {
    let text = decoded(event);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let (mut data, mut others, mut has_id, mut is_message) = (None::<String>, String::new(), false, true);
    for line in text.split(['\n', '\r']).filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        if name == "data" {
            match &mut data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => data = Some(value.to_owned()),
            }
            continue;
        }
        has_id |= name == "id";
        if name == "event" {
            is_message = matches!(value, "" | "message");
        }
        others.push_str(line);
        others.push('\n');
    }
    ReadEvent { data: data.filter(|data| is_message && !data.is_empty()), others, has_id }
}

/// An event with these lines and this data.
pub fn write_event(others: &str, data: Option<&str>) -> Vec<u8> {
    let mut event = others.to_owned();
    for line in data.into_iter().flat_map(|data| data.split(['\n', '\r'])) {
        event.push_str("data: ");
        event.push_str(line);
        event.push('\n');
    }
    event.push('\n');
    event.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = ": ping\r\n\r\nid: 7\rdata: {\"a\":\rdata:1}\r\revent: x\ndata\n\n\r\ndata: open";

    fn read(parts: impl Iterator<Item = Vec<u8>>) -> Vec<Frame> {
        let mut frames = Frames::new(1000);
        parts.flat_map(|part| frames.read(&part)).collect()
    }

    #[test]
    fn events_are_the_same_however_their_bytes_come() {
        let whole = read([STREAM.as_bytes().to_vec()].into_iter());
        let events: Vec<String> = whole
            .iter()
            .map(|frame| match frame {
                Frame::Event(event) => String::from_utf8(event.clone()).unwrap(),
                Frame::Long(..) => "long".to_owned(),
            })
            .collect();
        assert_eq!(events, [": ping\r\n\r\n", "id: 7\rdata: {\"a\":\rdata:1}\r\r", "event: x\ndata\n\n", "\r\n"]);
        let events = |frames: &[Frame]| -> Vec<(Option<String>, String)> {
            let event = |frame: &Frame| match frame {
                Frame::Event(event) => (read_event(event).data, read_event(event).others),
                Frame::Long(..) => (None, "long".to_owned()),
            };
            frames.iter().map(event).collect()
        };
        for size in 1..9 {
            let parts = read(STREAM.as_bytes().chunks(size).map(<[u8]>::to_vec));
            assert_eq!(events(&parts), events(&whole), "in parts of {size}");
        }
    }

    #[test]
    fn an_event_is_read_and_written() {
        let event = read_event(b"id: 7\nevent: message\ndata: {\"a\":\ndata: 1}\n\n");
        assert_eq!(
            (event.data.as_deref(), &*event.others, event.has_id),
            (Some("{\"a\":\n1}"), "id: 7\nevent: message\n", true)
        );
        assert_eq!(write_event(&event.others, Some("{}\n1")), b"id: 7\nevent: message\ndata: {}\ndata: 1\n\n");
        assert_eq!(read_event(b"event: other\ndata: {}\n\n").data, None);
        assert_eq!(read_event(b": ping\n\n").data, None);
    }

    #[test]
    fn a_long_event_comes_in_parts_of_its_data() {
        let stream = format!("id: 1\ndata: {}\n\ndata: 2\n\n", "x".repeat(50));
        for size in [1, 7, 20, 100] {
            let mut frames = Frames::new(20);
            let mut data = Vec::new();
            let mut ends = 0;
            let mut after = Vec::new();
            for part in stream.as_bytes().chunks(size) {
                for frame in frames.read(part) {
                    match frame {
                        Frame::Long(part, is_end) => {
                            data.extend(part);
                            ends += usize::from(is_end);
                        }
                        Frame::Event(event) => after.push(event),
                    }
                }
            }
            assert_eq!((ends, after.len()), (1, 1), "in parts of {size}");
            assert!(data.starts_with(b" x") || data.starts_with(b"x"), "in parts of {size}");
            assert_eq!(after.last().unwrap(), b"data: 2\n\n", "in parts of {size}");
        }
    }
}
