//! A conversation with a server behind HTTP: the lines for it, the parts of its answers, and what is done with each.

use serde_json::{Value, json};
use toolshape_proxy::{Http, HttpEffect, HttpHead, HttpRequest};

/// How the same conversation is held.
#[derive(Clone, Copy)]
enum Way {
    Whole,
    /// The bytes of answers come one by one.
    Bytes,
}

/// Runs the steps of a case, in several ways that do the same.
pub fn run(case: &Value) -> Value {
    let [whole, bytes] = [Way::Whole, Way::Bytes].map(|way| {
        let mut http = Http::new(toolshape_proxy::LINE_BYTES);
        let steps = case["steps"].as_array().expect("steps");
        let effects: Vec<Value> = steps.iter().map(|one| step(&mut http, one, way)).collect();
        json!({ "effects": effects })
    });
    assert_eq!(whole, bytes);
    whole
}

fn step(http: &mut Http, step: &Value, way: Way) -> Value {
    let (name, given) = step.as_object().and_then(|step| step.iter().next()).expect("a step");
    let number = given["number"].as_u64().unwrap_or_default();
    let text = |name: &str| given[name].as_str();
    let effects = match name.as_str() {
        "line" => http.to_server(given.as_str().expect("a line")),
        "answered" => {
            let status = u16::try_from(given["status"].as_u64().expect("a status")).unwrap();
            let (session, content, retry_after) = (text("session"), text("content"), text("retryAfter"));
            http.answered(number, HttpHead { status, session, content, retry_after })
        }
        "body" => {
            let bytes = text("text").expect("a text").as_bytes();
            let size = if matches!(way, Way::Bytes) { 1 } else { bytes.len() };
            bytes.chunks(size).flat_map(|part| http.body(number, part)).collect()
        }
        "ended" => http.ended(number, text("failure")),
        "isDelivered" => return json!([{ "isDelivered": http.is_delivered() }]),
        "close" => return http.close().map_or(json!([]), |goodbye| json!([{ "goodbye": request(goodbye) }])),
        other => panic!("{other} is not a step"),
    };
    effects.into_iter().map(seen).collect()
}

fn seen(effect: HttpEffect) -> Value {
    match effect {
        HttpEffect::Send { number, after, request: sent } => {
            let mut seen = request(sent);
            seen["number"] = number.into();
            seen["after"] = after.into();
            json!({ "send": seen })
        }
        HttpEffect::Stop(number) => json!({ "stop": number }),
        HttpEffect::FromServer(line) => json!({ "fromServer": line }),
    }
}

fn request(request: HttpRequest) -> Value {
    let headers: Vec<String> = request.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    json!({ "method": request.method, "headers": headers, "body": request.body })
}
