//! An answer with a message that is longer than what is held.

use super::{Http, HttpEffect};

impl Http {
    /// Reads no more of such an answer.
    pub(super) fn too_long(&mut self, number: u64) -> Vec<HttpEffect> {
        let Some(exchange) = self.open.remove(&number) else { return Vec::new() };
        let reason = format!("the server's answer has over {} bytes (maxLineBytes)", self.most_bytes);
        let mut effects = vec![HttpEffect::Stop(number)];
        effects.extend(self.fail(&exchange, &reason));
        effects.extend(self.release_after(number));
        effects
    }
}

#[cfg(test)]
mod tests {
    use super::super::HttpHead;
    use super::*;

    const MOST: usize = 1000;

    /// What comes of a call whose answer has this type and this body, in parts.
    fn answered(content: &str, body: &str) -> Vec<HttpEffect> {
        let mut http = Http::new(MOST);
        http.to_server(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#);
        let mut effects = http.answered(1, HttpHead { status: 200, content: Some(content), ..HttpHead::default() });
        for part in body.as_bytes().chunks(64) {
            effects.extend(http.body(1, part));
        }
        effects.extend(http.ended(1, None));
        effects
    }

    #[test]
    fn the_request_of_an_answer_that_is_too_long_gets_an_error() {
        let long = "x".repeat(2 * MOST);
        let many = format!("data: {}\n", "x".repeat(50)).repeat(40);
        for (content, body) in [
            ("application/json", long.clone()),
            ("text/event-stream", format!("data: {long}")),
            ("text/event-stream", many),
        ] {
            let effects = answered(content, &body);
            let HttpEffect::FromServer(line) = &effects[1] else { panic!("{effects:?}") };
            assert!(effects[0] == HttpEffect::Stop(1) && effects.len() > 1, "{effects:?}");
            assert!(
                line.starts_with(r#"{"jsonrpc":"2.0","id":7,"error":{"#) && line.contains("over 1000 bytes"),
                "{line}"
            );
            assert!(effects[2..].iter().all(|effect| *effect == HttpEffect::Stop(1)), "{effects:?}");
        }
    }

    #[test]
    fn the_stream_of_the_server_goes_on_behind_a_message_that_is_too_long() {
        let mut http = Http::new(MOST);
        http.to_server(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        let effects = http.answered(1, HttpHead { status: 202, ..HttpHead::default() });
        assert!(matches!(effects[..], [HttpEffect::Send { number: 2, .. }]), "{effects:?}");
        http.answered(2, HttpHead { status: 200, content: Some("text/event-stream"), ..HttpHead::default() });
        let body = format!("data: {}\ndata: y\n\ndata: {{\"a\":1}}\n\n", "x".repeat(2 * MOST));
        let effects: Vec<HttpEffect> = body.as_bytes().chunks(64).flat_map(|part| http.body(2, part)).collect();
        assert_eq!(effects, [HttpEffect::FromServer(r#"{"a":1}"#.to_owned())]);
    }
}
