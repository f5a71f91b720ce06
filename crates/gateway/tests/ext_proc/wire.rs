//! The messages have the bytes that code generated from Envoy's own definitions writes (the crate envoy-types 0.7.7).

use prost::Message;

use crate::messages::{
    Answer, BodyMutation, BodySendMode, CommonResponse, HeaderField, HeaderList, HeaderMutation, HeaderOption,
    HeaderSendMode, HttpBody, HttpHeaders, HttpStatus, HttpTrailers, ImmediateResponse, Mutation, PartResponse, Phase,
    ProcessingMode, ProcessingRequest, ProcessingResponse, ProtocolConfiguration, TrailersResponse,
};

fn hex(message: &impl Message) -> String {
    message.encode_to_vec().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn field(key: &str, value: &str, raw_value: &str) -> HeaderField {
    HeaderField { key: key.to_owned(), value: value.to_owned(), raw_value: raw_value.as_bytes().to_vec() }
}

#[test]
fn requests_have_the_bytes_of_envoy() {
    let headers = |end_of_stream| {
        let headers = Some(HeaderList { headers: vec![field(":path", "", "/up"), field("a", "b", "")] });
        HttpHeaders { headers, end_of_stream }
    };
    let body = |end_of_stream| HttpBody { body: "xy".into(), end_of_stream };
    let request = |phase| ProcessingRequest { request: Some(phase), observability_mode: false, protocol_config: None };
    let first = ProcessingRequest {
        observability_mode: true,
        protocol_config: Some(ProtocolConfiguration { request_body_mode: 2, response_body_mode: 4 }),
        ..request(Phase::RequestHeaders(headers(true)))
    };
    let messages = [
        (first, "121a0a160a0c0a053a706174681a032f75700a060a0161120162180150015a0408021004"),
        (request(Phase::ResponseHeaders(headers(false))), "1a180a160a0c0a053a706174681a032f75700a060a0161120162"),
        (request(Phase::RequestBody(body(true))), "22060a0278791001"),
        (request(Phase::ResponseBody(body(false))), "2a040a027879"),
        (request(Phase::RequestTrailers(HttpTrailers {})), "3200"),
        (request(Phase::ResponseTrailers(HttpTrailers {})), "3a00"),
    ];
    for (message, bytes) in messages {
        assert_eq!(hex(&message), bytes, "{message:?}");
    }
}

#[test]
fn responses_have_the_bytes_of_envoy() {
    let headers = || {
        let option = HeaderOption { header: Some(field("content-length", "", "2")), append_action: 2 };
        Some(HeaderMutation { set_headers: vec![option], remove_headers: Vec::new() })
    };
    let part = |header_mutation, body: Option<Mutation>| {
        let body_mutation = body.map(|mutation| BodyMutation { mutation: Some(mutation) });
        PartResponse { response: Some(CommonResponse { header_mutation, body_mutation }) }
    };
    let streamed = Mutation::Streamed(HttpBody { body: "xy".into(), end_of_stream: true });
    let immediate = ImmediateResponse {
        status: Some(HttpStatus { code: 503 }),
        headers: headers(),
        body: "xy".into(),
        details: "why".to_owned(),
    };
    let answers = [
        (
            Answer::RequestHeaders(part(headers(), None)),
            "0a1d0a1b12190a170a130a0e636f6e74656e742d6c656e6774681a01321802",
        ),
        (Answer::ResponseHeaders(part(None, None)), "12020a00"),
        (Answer::RequestBody(part(None, Some(Mutation::Body("xy".into())))), "1a080a061a040a027879"),
        (Answer::ResponseBody(part(None, Some(Mutation::ClearBody(true)))), "22060a041a021001"),
        (Answer::ResponseBody(part(None, Some(streamed))), "220c0a0a1a081a060a0278791001"),
        (Answer::RequestTrailers(TrailersResponse {}), "2a00"),
        (Answer::ResponseTrailers(TrailersResponse {}), "3200"),
        (
            Answer::Immediate(immediate),
            "3a290a0308f70312190a170a130a0e636f6e74656e742d6c656e6774681a013218021a0278792a03776879",
        ),
    ];
    for (answer, bytes) in answers {
        let response = ProcessingResponse { response: Some(answer), mode_override: None };
        assert_eq!(hex(&response), bytes, "{response:?}");
    }
}

#[test]
fn a_body_that_is_not_sent_is_spelled_as_protobuf() {
    let part = PartResponse { response: Some(CommonResponse { header_mutation: None, body_mutation: None }) };
    let mode = ProcessingMode {
        response_body_mode: BodySendMode::None.into(),
        response_trailer_mode: HeaderSendMode::Skip.into(),
    };
    let response = ProcessingResponse { response: Some(Answer::ResponseHeaders(part)), mode_override: Some(mode) };
    assert_eq!(hex(&response), "12020a004a023002");
}
