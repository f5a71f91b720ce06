//! A server behind streamable HTTP: lines for it in, requests to send out; the parts of their answers in, its lines out. The host
//! sends and receives.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value, json};
use toolshape::Error;
use toolshape_proxy::{Http, HttpEffect, HttpHead, HttpRequest};

use super::{Method, method};
use crate::answer::Answer;
use crate::handles::Handles;
use crate::request::Request;

pub const METHODS: &[Method] = &[
    method("http", &["state"], make),
    method("forgetHttp", &["http"], forget),
    method("httpState", &["http"], state),
    method("httpToServer", &["http", "line"], to_server),
    method("httpAnswered", &["http", "number", "status", "session", "content", "retryAfter"], answered),
    method("httpBody", &["http", "number", "bytes"], body),
    method("httpEnded", &["http", "number", "failure"], ended),
    method("httpIsDelivered", &["http"], is_delivered),
    method("httpClose", &["http"], close),
];

thread_local! {
    static SERVERS: Handles<RefCell<Http>> = const { Handles::new("server behind HTTP") };
}

/// Begins with a server, or goes on with one from its state.
fn make(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    let http = request.optional_string("state")?.map_or_else(Http::default, |state| Http::of_state(&state));
    Ok(json!(SERVERS.with(|servers| servers.add(RefCell::new(http)))))
}

fn forget(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    let number = request.number("http")?;
    Ok(json!(SERVERS.with(|servers| servers.forget(number))))
}

/// What another instance goes on from, or null while a part of an answer waits for the rest.
fn state(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Ok(json!(server(request)?.borrow().state()))
}

fn to_server(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let line = request.text("line")?;
    Ok(steps(server(request)?.borrow_mut().to_server(line), answer))
}

/// What to do with the head of the answer to a request.
fn answered(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let status = u16::try_from(request.number("status")?).unwrap_or(u16::MAX);
    let (session, content) = (request.optional_string("session")?, request.optional_string("content")?);
    let (number, retry_after) = (request.number("number")?, request.optional_string("retryAfter")?);
    let (session, content, retry_after) = (session.as_deref(), content.as_deref(), retry_after.as_deref());
    let head = HttpHead { status, session, content, retry_after };
    Ok(steps(server(request)?.borrow_mut().answered(number, head), answer))
}

fn body(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let (number, bytes) = (request.number("number")?, request.bytes("bytes")?);
    Ok(steps(server(request)?.borrow_mut().body(number, bytes), answer))
}

/// What to do when an answer has ended, or there is none.
fn ended(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let (number, failure) = (request.number("number")?, request.optional_string("failure")?);
    Ok(steps(server(request)?.borrow_mut().ended(number, failure.as_deref()), answer))
}

/// Whether what the client has said is with the server.
fn is_delivered(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Ok(json!(server(request)?.borrow().is_delivered()))
}

/// The request that ends the session, or null.
fn close(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    Ok(server(request)?.borrow_mut().close().map_or(Value::Null, |goodbye| spelled(goodbye, answer)))
}

fn server(request: &Request<'_>) -> Result<Rc<RefCell<Http>>, Error> {
    let number = request.number("http")?;
    SERVERS.with(|servers| servers.find(number))
}

fn steps(effects: Vec<HttpEffect>, answer: &mut Answer) -> Value {
    effects.into_iter().map(|effect| step(effect, answer)).collect()
}

fn step(effect: HttpEffect, answer: &mut Answer) -> Value {
    match effect {
        HttpEffect::Send { number, after, request } => {
            json!({ "send": { "number": number, "after": after, "request": spelled(request, answer) } })
        }
        HttpEffect::Stop(number) => json!({ "stop": number }),
        HttpEffect::FromServer(line) => json!({ "fromServer": answer.part(line) }),
    }
}

fn spelled(request: HttpRequest, answer: &mut Answer) -> Value {
    let body = request.body.map_or(Value::Null, |body| answer.part(body));
    json!({ "method": request.method, "headers": request.headers, "body": body })
}
