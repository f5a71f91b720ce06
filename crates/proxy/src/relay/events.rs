//! Server-sent events (WHATWG HTML, "Server-sent events"), read as their bytes come.

use memchr::memchr2;

use super::message::decoded;

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
#[derive(Default)]
pub(super) struct Events {
    /// The line that has no end yet.
    line: Vec<u8>,
    /// Whether the last byte was a carriage return: a line feed after it ends no other line.
    is_after_return: bool,
    is_begun: bool,
    event: ServerSentEvent,
    has_data: bool,
    retry: Option<u64>,
    /// The bytes of the longest event; none without a limit.
    most: Option<usize>,
    /// Whether the event is longer: it is read over.
    is_too_long: bool,
}

impl Events {
    /// A stream whose events have at most this many bytes. A longer one is read over.
    pub fn of_at_most(most: usize) -> Self {
        Self { most: Some(most), ..Self::default() }
    }

    /// Whether the stream is within an event that is too long.
    pub fn is_too_long(&self) -> bool {
        self.is_too_long
    }

    /// The events that end in these bytes.
    pub fn read(&mut self, mut bytes: &[u8]) -> Vec<ServerSentEvent> {
        let mut events = Vec::new();
        while !bytes.is_empty() {
            if std::mem::take(&mut self.is_after_return) {
                bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            }
            let Some(end) = memchr2(b'\n', b'\r', bytes) else {
                self.line.extend_from_slice(bytes);
                break;
            };
            self.line.extend_from_slice(&bytes[..end]);
            let line = std::mem::take(&mut self.line);
            events.extend(self.take(&decoded(&line)));
            self.is_after_return = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
        }
        if self.most.is_some_and(|most| self.line.len() + self.event.data.len() > most) {
            // Something of the line has to stay: an empty one would end the event.
            self.line = self.line.first().copied().into_iter().collect();
            self.event.data = String::new();
            self.is_too_long = true;
        }
        events
    }

    /// How long to wait before a reconnection, in milliseconds, if the stream set it.
    pub fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// Takes a line; an empty one ends the event.
    fn take(&mut self, line: &str) -> Option<ServerSentEvent> {
        let line = if self.is_begun { line } else { line.strip_prefix('\u{feff}').unwrap_or(line) };
        self.is_begun = true;
        if line.is_empty() {
            let next = ServerSentEvent { id: self.event.id.clone(), ..ServerSentEvent::default() };
            let event = std::mem::replace(&mut self.event, next);
            if std::mem::take(&mut self.is_too_long) {
                self.has_data = false;
                return None;
            }
            return (std::mem::take(&mut self.has_data) || event.id.is_some()).then_some(event);
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "event" => value.clone_into(&mut self.event.name),
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                if !self.is_too_long {
                    self.event.data.push_str(value);
                }
                self.has_data = true;
            }
            "id" if !value.contains('\0') => self.event.id = Some(value.to_owned()),
            "retry" => self.retry = value.parse().ok().or(self.retry),
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_the_same_however_their_bytes_come() {
        let stream =
            "\u{feff}: hello\r\nid: 7\rretry: 50\n\ndata: {\"a\":\ndata:1}\nid: 8\r\n\r\nevent: x\ndata\n\ndata: open";
        let mut events = Events::default();
        let whole = events.read(stream.as_bytes());
        let datas: Vec<_> =
            whole.iter().map(|event| (event.name.as_str(), event.data.as_str(), event.id.as_deref())).collect();
        assert_eq!(datas, [("", "", Some("7")), ("", "{\"a\":\n1}", Some("8")), ("x", "", Some("8"))]);
        assert_eq!(events.retry(), Some(50));
        let mut events = Events::default();
        let single: Vec<ServerSentEvent> = stream.as_bytes().iter().flat_map(|byte| events.read(&[*byte])).collect();
        assert_eq!((single, events.retry()), (whole, Some(50)));
    }
}
