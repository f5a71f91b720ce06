//! A server behind HTTP: lines for it in, requests out; parts of its answers in, lines of it out. A process speaks to one
//! server at a time.

use std::cell::RefCell;

use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::outcome::outcome;
use toolshape_proxy::{Http, HttpEffect, HttpHead, HttpRequest};

thread_local! {
    static HTTP: RefCell<Http> = RefCell::default();
}

/// What to do next.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Step {
    /// Send a request, which has this number, after so many milliseconds.
    Send(u64, u64, Request),
    /// Close the connection of a request.
    Stop(u64),
    /// A line of the server, whose end is not yet there.
    FromServer(String),
}

#[derive(Serialize)]
struct Request {
    method: &'static str,
    headers: Vec<(String, String)>,
    body: Option<String>,
}

/// Begins with another server.
#[wasm_bindgen]
pub fn http() {
    HTTP.take();
}

/// What is known of the server, if nothing of an answer waits for the rest.
pub(super) fn state() -> Option<String> {
    HTTP.with_borrow(Http::state)
}

/// Goes on with a server from what [`state`] said.
pub(super) fn go_on(state: &str) {
    HTTP.set(Http::of_state(state));
}

/// What to do with a line for the server.
#[wasm_bindgen(js_name = httpToServer)]
pub fn http_to_server(line: &str) -> JsValue {
    steps(|http| http.to_server(line))
}

/// What to do with the head of the answer to a request.
#[wasm_bindgen(js_name = httpAnswered)]
pub fn http_answered(
    number: f64,
    status: u16,
    session: Option<String>,
    content: Option<String>,
    retry_after: Option<String>,
) -> JsValue {
    let (session, content, retry_after) = (session.as_deref(), content.as_deref(), retry_after.as_deref());
    steps(|http| http.answered(number as u64, HttpHead { status, session, content, retry_after }))
}

/// What to do with bytes of its body.
#[wasm_bindgen(js_name = httpBody)]
pub fn http_body(number: f64, bytes: &[u8]) -> JsValue {
    steps(|http| http.body(number as u64, bytes))
}

/// What to do when it has ended; `failure` says why there is no more of it.
#[wasm_bindgen(js_name = httpEnded)]
pub fn http_ended(number: f64, failure: Option<String>) -> JsValue {
    steps(|http| http.ended(number as u64, failure.as_deref()))
}

/// Whether what the client has said is with the server.
#[wasm_bindgen(js_name = httpIsDelivered)]
pub fn http_is_delivered() -> bool {
    HTTP.with_borrow(Http::is_delivered)
}

/// The request that ends the session, or null.
#[wasm_bindgen(js_name = httpClose)]
pub fn http_close() -> JsValue {
    outcome(Ok(HTTP.with_borrow_mut(Http::close).map(Request::from)))
}

fn steps(work: impl FnOnce(&mut Http) -> Vec<HttpEffect>) -> JsValue {
    let effects = HTTP.with_borrow_mut(work);
    outcome(Ok(effects.into_iter().map(Step::from).collect::<Vec<_>>()))
}

impl From<HttpEffect> for Step {
    fn from(effect: HttpEffect) -> Self {
        match effect {
            HttpEffect::Send { number, after, request } => Self::Send(number, after, request.into()),
            HttpEffect::Stop(number) => Self::Stop(number),
            HttpEffect::FromServer(line) => Self::FromServer(line),
        }
    }
}

impl From<HttpRequest> for Request {
    fn from(HttpRequest { method, headers, body }: HttpRequest) -> Self {
        Self { method, headers, body }
    }
}
