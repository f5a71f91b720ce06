//! The state of a connection to an HTTP server between two parts of responses, as JSON, with which another instance of the core continues.

use serde_json::{Value, json};

use super::super::exchange::Exchange;
use super::super::headers::Parameters;
use super::{Beginning, Http, Until};

impl Http {
    /// What is known; `None` while a part of an answer waits for the rest.
    pub fn state(&self) -> Option<String> {
        let open = self.open.iter().map(|(number, exchange)| Some(json!([number, exchange.state()?])));
        let open = open.collect::<Option<Vec<Value>>>()?;
        let beginning = self.beginning.as_ref().map(|Beginning { until, waiting }| match until {
            Until::Answer { id, is_own } => json!({ "id": id, "isOwn": is_own, "waiting": waiting }),
            Until::Head(number) => json!({ "number": number, "waiting": waiting }),
        });
        let state = json!({
            "session": self.session, "version": self.version, "initialize": self.initialize, "beginning": beginning,
            "parameters": self.parameters.state(), "open": open, "numbers": self.numbers,
            "isWithoutStream": self.is_without_stream,
        });
        Some(state.to_string())
    }

    /// A connection with this [`state`](Self::state), and the bytes of the longest message. Parts that cannot be read are ignored.
    #[must_use]
    pub fn of_state(state: &str, most_bytes: usize) -> Self {
        let state: Value = serde_json::from_str(state).unwrap_or_default();
        let text = |name: &str| state[name].as_str().map(str::to_owned);
        let open = state["open"].as_array().into_iter().flatten();
        Self {
            session: text("session"),
            version: text("version"),
            initialize: text("initialize"),
            beginning: state["beginning"].is_object().then(|| beginning(&state["beginning"])),
            parameters: Parameters::of_state(&state["parameters"]),
            open: open.filter_map(|open| Some((open[0].as_u64()?, Exchange::of_state(&open[1], most_bytes)))).collect(),
            numbers: state["numbers"].as_u64().unwrap_or_default(),
            is_without_stream: state["isWithoutStream"] == true,
            most_bytes,
        }
    }
}

fn beginning(state: &Value) -> Beginning {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let until = match state["number"].as_u64() {
        Some(number) => Until::Head(number),
        None => Until::Answer { id: text(&state["id"]), is_own: state["isOwn"] == true },
    };
    Beginning { until, waiting: state["waiting"].as_array().into_iter().flatten().map(text).collect() }
}
