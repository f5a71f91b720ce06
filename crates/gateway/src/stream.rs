//! A body on its way to the client, part by part, no faster than the client takes it.

use std::time::{Duration, Instant};

use http_body_util::BodyExt;
use hyper::body::Bytes;
use tokio::sync::mpsc::{self, Sender};
use tokio::time::error::Elapsed;
use tokio::time::timeout;

use crate::answer::ExchangeKind;
use crate::exchange::{Exchange, Sent};
use crate::reply::{Body, BoxError, Parts};
use crate::resume;
use toolshape_proxy::{Frame, Frames, read_event, write_event};

type Client = Sender<Result<Bytes, BoxError>>;

/// The parts that wait for a slow client.
const WAITING: usize = 4;
/// Why an answer has no end.
pub const BROKEN: &str = "the server's answer broke off";

/// A body that passes.
pub fn unchanged(exchange: Box<Exchange>, mut body: Body) -> Body {
    let (client, parts) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        let silent = exchange.gateway.limits.silent;
        while let Some(part) = next(&mut body, &client, silent).await {
            let is_broken = part.is_err();
            if client.send(part).await.is_err() || is_broken {
                break;
            }
        }
    });
    Parts(parts).boxed_unsync()
}

/// A stream of events, whose results of tools are shaped. `own` are answers that the server does not send.
pub fn shaped(exchange: Box<Exchange>, kind: ExchangeKind, body: Body, own: Vec<String>) -> Body {
    let (client, parts) = mpsc::channel(WAITING);
    // It is there before the body is asked for, and is written with the head: a client that got the head alone would not resume.
    let mut first = resume::first_event(&exchange);
    first.extend(own.iter().flat_map(|answer| message_event(answer)));
    if !first.is_empty() {
        let _ = client.try_send(Ok(first.into()));
    }
    tokio::spawn(pump(exchange, kind, body, client));
    Parts(parts).boxed_unsync()
}

/// The next part of a body, unless it has ended or nobody takes it.
///
/// # Errors
/// A body that breaks off; [`Elapsed`] for one that is silent for too long.
async fn next(body: &mut Body, client: &Client, silent: Duration) -> Option<Result<Bytes, BoxError>> {
    let part = tokio::select! {
        part = timeout(silent, body.frame()) => part,
        () = client.closed() => return None,
    };
    match part {
        Ok(part) => Some(part?.map(|part| part.into_data().unwrap_or_default())),
        Err(elapsed) => Some(Err(elapsed.into())),
    }
}

async fn pump(mut exchange: Box<Exchange>, kind: ExchangeKind, mut body: Body, client: Client) {
    let is_stream = kind == ExchangeKind::Stream;
    let mut frames = Frames::new(exchange.upstream.max_line_bytes);
    let mut draining = exchange.gateway.draining();
    let silent = exchange.gateway.limits.silent;
    let reason = loop {
        let is_open_ended = is_stream || exchange.is_open_ended();
        let asked = Instant::now();
        let part = tokio::select! {
            part = next(&mut body, &client, silent) => part,
            // Its client opens it again, at another replica.
            _ = draining.wait_for(|is_draining| *is_draining), if is_open_ended => None,
        };
        exchange.report.waited += asked.elapsed();
        let part = match part {
            None => break BROKEN.to_owned(),
            Some(Ok(part)) => part,
            Some(Err(error)) if error.is::<Elapsed>() => {
                let reason = format!("the server was silent for {} seconds (silentSeconds)", silent.as_secs());
                exchange.report.note(reason.clone());
                break reason;
            }
            Some(Err(error)) if is_stream || exchange.is_left_open() => {
                let _ = client.send(Err(error)).await;
                return;
            }
            Some(Err(_)) => break BROKEN.to_owned(),
        };
        for frame in frames.read(&part) {
            let bytes = shape(&mut exchange, is_stream, frame).await;
            if !bytes.is_empty() && client.send(Ok(bytes.into())).await.is_err() {
                return;
            }
        }
    };
    // What has no end is not an event.
    let last = last_events(&mut exchange, is_stream, &reason);
    if !last.is_empty() {
        let _ = client.send(Ok(last.into())).await;
    }
}

/// The errors for the requests that a stream leaves without an answer: else their client waits for ever.
pub fn last_events(exchange: &mut Exchange, is_stream: bool, reason: &str) -> Vec<u8> {
    if is_stream || exchange.is_left_open() {
        return Vec::new();
    }
    let errors = exchange.unanswered(reason);
    errors.iter().flat_map(|error| message_event(error)).collect()
}

/// The bytes for a part of a stream of events.
pub async fn shape(exchange: &mut Exchange, is_stream: bool, frame: Frame) -> Vec<u8> {
    let event = match frame {
        Frame::Event(event) => event,
        Frame::Long(part, is_end) => {
            let errors = exchange.long(&part, is_end).await;
            return errors.into_iter().flat_map(|error| written("", error)).collect();
        }
    };
    let read = read_event(&event);
    if read.has_id && !is_stream {
        exchange.save_requests().await;
    }
    let Some(data) = read.data else { return event };
    let sent = exchange.of_server(data.as_bytes(), is_stream).await;
    if sent == [Sent::Same] {
        return event;
    }
    let Some((last, before)) = sent.split_last() else {
        // Whatever its other lines say still holds.
        return if read.others.is_empty() { Vec::new() } else { write_event(&read.others, None) };
    };
    let line = |sent: &Sent| match sent {
        Sent::Same => Some(data.clone()),
        Sent::ToClient(line) => Some(line.clone()),
        Sent::ToServer(_) => None,
    };
    // A stream that is resumed after the id has all before it.
    let mut bytes: Vec<u8> = before.iter().filter_map(line).flat_map(|line| message_event(&line)).collect();
    bytes.extend(write_event(&read.others, line(last).as_deref()));
    bytes
}

/// An event with a message that is not the server's.
pub fn message_event(message: &str) -> Vec<u8> {
    write_event("event: message\n", Some(message))
}

fn written(others: &str, sent: Sent) -> Vec<u8> {
    if let Sent::ToClient(line) = sent { write_event(others, Some(&line)) } else { Vec::new() }
}
