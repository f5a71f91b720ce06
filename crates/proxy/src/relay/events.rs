//! Server-sent events (WHATWG HTML, "Server-sent events"), read as their bytes come.

use super::message::decoded;
use crate::frames::{Frame, Frames};

/// One event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ServerSentEvent {
    /// Its type; none is `message`.
    pub name: String,
    pub data: String,
    /// The last id that the stream named, if it named one.
    pub id: Option<String>,
}

/// A stream of events.
pub(super) struct Events {
    frames: Frames,
    is_begun: bool,
    id: Option<String>,
    retry: Option<u64>,
    /// Whether an event was longer than is held, of those that were read last.
    is_too_long: bool,
}

impl Events {
    /// A stream whose events have at most this many bytes. A longer one is read over.
    pub fn of_at_most(most: usize) -> Self {
        Self { frames: Frames::new(most), is_begun: false, id: None, retry: None, is_too_long: false }
    }

    /// Whether an event was too long, of those that were read last.
    pub fn is_too_long(&self) -> bool {
        self.is_too_long
    }

    /// The events that end in these bytes.
    pub fn read(&mut self, bytes: &[u8]) -> Vec<ServerSentEvent> {
        let frames = self.frames.read(bytes);
        self.is_too_long = self.frames.is_within_long();
        let mut events = Vec::new();
        for frame in frames {
            match frame {
                Frame::Event(event) => events.extend(self.take(&decoded(&event))),
                Frame::Long(..) => self.is_too_long = true,
            }
        }
        events
    }

    /// How long to wait before a reconnection, in milliseconds, if the stream set it.
    pub fn retry(&self) -> Option<u64> {
        // A stream may break off before the event ends.
        let begun = decoded(self.frames.begun());
        let last = begun.split(['\n', '\r']).rev().find_map(|line| line.strip_prefix("retry:")?.trim().parse().ok());
        last.or(self.retry)
    }

    /// Reads an event; one without data and without an id is none.
    fn take(&mut self, event: &str) -> Option<ServerSentEvent> {
        let event = if self.is_begun { event } else { event.strip_prefix('\u{feff}').unwrap_or(event) };
        self.is_begun = true;
        let (mut kind, mut data) = (String::new(), None::<String>);
        for line in event.split(['\n', '\r']) {
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match name {
                "event" => value.clone_into(&mut kind),
                "data" => data = Some(data.map_or_else(|| value.to_owned(), |data| data + "\n" + value)),
                "id" if !value.contains('\0') => self.id = Some(value.to_owned()),
                "retry" => self.retry = value.parse().ok().or(self.retry),
                _ => {}
            }
        }
        let is_one = data.is_some() || self.id.is_some();
        is_one.then(|| ServerSentEvent { name: kind, data: data.unwrap_or_default(), id: self.id.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_the_same_however_their_bytes_come() {
        let stream =
            "\u{feff}: hello\r\nid: 7\rretry: 50\n\ndata: {\"a\":\ndata:1}\nid: 8\r\n\r\nevent: x\ndata\n\ndata: open";
        let mut events = Events::of_at_most(1000);
        let whole = events.read(stream.as_bytes());
        let datas: Vec<_> =
            whole.iter().map(|event| (event.name.as_str(), event.data.as_str(), event.id.as_deref())).collect();
        assert_eq!(datas, [("", "", Some("7")), ("", "{\"a\":\n1}", Some("8")), ("x", "", Some("8"))]);
        assert_eq!(events.retry(), Some(50));
        let mut events = Events::of_at_most(1000);
        let single: Vec<ServerSentEvent> = stream.as_bytes().iter().flat_map(|byte| events.read(&[*byte])).collect();
        assert_eq!((single, events.retry()), (whole, Some(50)));
    }
}
