//! A server behind streamable HTTP: lines for it in, requests to send out; the parts of its answers in, its lines out. The
//! host sends and receives.

use std::cell::RefCell;

use serde_json::json;
use toolshape_proxy::{Http, HttpEffect, HttpHead, HttpRequest, LINE_BYTES};

use crate::answer::{MethodAnswer, Reply, or_null};
use crate::handles::CONNECTIONS;
use crate::request::Request;

/// Starts with a server, or continues with one from its state.
pub fn create(request: &Request<'_>) -> Reply {
    let most = request.optional_number("maxLineBytes")?.map_or(LINE_BYTES, |bytes| bytes as usize);
    let state = request.optional_string("state")?;
    let http = state.map_or_else(|| Http::new(most), |state| Http::of_state(&state, most));
    Ok(CONNECTIONS.with(|connections| connections.add(RefCell::new(http))).into())
}

/// Whether there was one.
pub fn forget(request: &Request<'_>) -> Reply {
    let number = request.number("http")?;
    Ok(CONNECTIONS.with(|connections| connections.remove(number)).into())
}

/// What another instance continues from, or null while a part of an answer waits for the rest.
pub fn state(http: &mut Http, _: &Request<'_>) -> Reply {
    Ok(or_null(http.state()))
}

/// What to do with a line for the server.
pub fn to_server(http: &mut Http, request: &Request<'_>) -> Reply {
    Ok(steps(http.to_server(request.text("line")?)))
}

/// What to do with the head of the answer to a request.
pub fn answered(http: &mut Http, request: &Request<'_>) -> Reply {
    let status = u16::try_from(request.number("status")?).unwrap_or(u16::MAX);
    let (session, content) = (request.optional_string("session")?, request.optional_string("content")?);
    let (number, retry_after) = (request.number("number")?, request.optional_string("retryAfter")?);
    let (session, content, retry_after) = (session.as_deref(), content.as_deref(), retry_after.as_deref());
    Ok(steps(http.answered(number, HttpHead { status, session, content, retry_after })))
}

/// What to do with bytes of its body.
pub fn body(http: &mut Http, request: &Request<'_>) -> Reply {
    Ok(steps(http.body(request.number("number")?, request.bytes("bytes")?)))
}

/// What to do when an answer has ended, or there is none.
pub fn ended(http: &mut Http, request: &Request<'_>) -> Reply {
    let (number, failure) = (request.number("number")?, request.optional_string("failure")?);
    Ok(steps(http.ended(number, failure.as_deref())))
}

/// Whether the server has received all that the client sent.
pub fn is_delivered(http: &mut Http, _: &Request<'_>) -> Reply {
    Ok(http.is_delivered().into())
}

/// The request that ends the session, or null.
pub fn close(http: &mut Http, _: &Request<'_>) -> Reply {
    Ok(http.close().map_or(MethodAnswer::NULL, request_of))
}

fn steps(effects: Vec<HttpEffect>) -> MethodAnswer {
    MethodAnswer::List(effects.into_iter().map(step).collect())
}

fn step(effect: HttpEffect) -> MethodAnswer {
    match effect {
        HttpEffect::Send { number, after, request } => {
            let send = vec![("number", number.into()), ("after", after.into()), ("request", request_of(request))];
            MethodAnswer::Object(vec![("send", MethodAnswer::Object(send))])
        }
        HttpEffect::Stop(number) => json!({ "stop": number }).into(),
        HttpEffect::FromServer(line) => MethodAnswer::Object(vec![("fromServer", MethodAnswer::Text(line))]),
    }
}

fn request_of(HttpRequest { method, headers, body }: HttpRequest) -> MethodAnswer {
    let body = body.map_or(MethodAnswer::NULL, MethodAnswer::Text);
    MethodAnswer::Object(vec![("method", method.into()), ("headers", json!(headers).into()), ("body", body)])
}
