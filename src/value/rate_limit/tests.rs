//! What the shared vectors cannot say: endless errors, bounds, no clock, messages one by one.

use serde_json::Value;

use super::*;

/// An error of which every cause, and every member of every group, is another like it.
#[derive(Clone, Default)]
struct Endless {
    group: bool,
}

impl Fault for Endless {
    fn get(&self, name: &str) -> Option<Self> {
        match name {
            "cause" => Some(self.clone()),
            "errors" if self.group => Some(self.clone()),
            _ => None,
        }
    }

    fn call(&self, _: &str, _: &str) -> Option<Self> {
        None
    }

    fn names(&self, _: usize) -> Vec<String> {
        Vec::new()
    }

    fn items(&self, max: usize) -> Vec<Self> {
        vec![self.clone(); max]
    }

    fn text(&self) -> Option<String> {
        None
    }

    fn number(&self) -> Option<f64> {
        None
    }

    fn is_true(&self) -> bool {
        false
    }
}

#[test]
fn endless_errors_come_to_an_end() {
    assert_eq!(find(Endless { group: false }, Said::Itself, None), None);
    assert_eq!(find(Endless { group: true }, Said::Itself, None), None);
}

#[test]
fn a_rate_limit_deep_in_a_chain_is_found_up_to_the_bound() {
    let chain = |causes: usize| {
        (0..causes).fold(serde_json::json!({ "status": 429 }), |cause, _| serde_json::json!({ "cause": cause }))
    };
    assert!(find(&chain(MOST_ERRORS - 1), Said::Itself, None).is_some());
    assert!(find(&chain(MOST_ERRORS), Said::Itself, None).is_none());
}

#[test]
fn without_a_clock_a_date_tells_no_wait() {
    let wait = |value: &str| {
        find(&serde_json::json!({ "status": 429, "headers": { "retry-after": value } }), Said::Itself, None)
            .unwrap()
            .retry_after_seconds
    };
    assert_eq!(wait("Tue, 14 Nov 2023 22:15:20 GMT"), None);
    assert_eq!(wait("120"), Some(120));
}

#[test]
fn the_message_is_never_more_than_what_the_server_shows() {
    fn told(error: Value, said: Said<'_>) -> String {
        find(&error, said, None).unwrap().message
    }
    let secret = serde_json::json!({
        "message": "429 for https://u:p@api.test/?key=k", "status": 429, "statusText": "key k", "headers": { "retry-after": "7" },
    });
    // A client's own words are not repeated.
    assert_eq!(told(secret.clone(), Said::Itself), MESSAGE);
    assert_eq!(told(secret.clone(), Said::Shown("Error executing tool list: 429 for https://u:p@api.test/")), MESSAGE);
    assert_eq!(told(secret.clone(), Said::Shown("masked")), MESSAGE);
    // Those around them are, without secrets of URLs; those of causes never.
    let words = "no articles from https://u:p@api.test/v1?key=k today";
    let within = |causes: Value| {
        let mut error = serde_json::json!({ "message": words });
        error.as_object_mut().unwrap().extend(causes.as_object().unwrap().clone());
        error
    };
    let cause = within(serde_json::json!({ "cause": { "message": "inner k", "cause": secret } }));
    let group = within(serde_json::json!({ "errors": [{ "message": "inner k" }, secret] }));
    for error in [cause, group] {
        assert_eq!(told(error.clone(), Said::Itself), "no articles from https://api.test/v1 today");
        let shown = format!("Error executing tool list: {words}");
        assert_eq!(told(error.clone(), Said::Shown(&shown)), "no articles from https://api.test/v1 today");
        assert_eq!(told(error.clone(), Said::Shown("Error executing tool list")), "Error executing tool list");
        assert_eq!(
            find(&error, Said::Shown(""), None).unwrap(),
            RateLimit { retry_after_seconds: Some(7), message: MESSAGE.to_owned() }
        );
    }
}

#[test]
fn the_result_fits_whatever_the_upstream_said() {
    let hostile = ["🤦🏽‍♀️".repeat(3000), "\u{0}".repeat(9000), "e\u{301} ".repeat(9000), "a".repeat(30_000)];
    for words in hostile {
        let limit = RateLimit { retry_after_seconds: Some(30), message: words.clone() };
        for budget in [200, 2000] {
            for (tool, encoding) in [(None, Encoding::O200kBase), (Some(words.as_str()), Encoding::Cl100kBase)] {
                let json = limit.to_json(tool, budget, encoding);
                assert!(fits_tokens(&json, budget, encoding).is_some(), "{budget}: {json}");
                let value: Value = serde_json::from_str(&json).unwrap();
                let message = value["message"].as_str().unwrap();
                let kept = message.strip_suffix('…').expect("what was cut ends in an ellipsis");
                assert!(!kept.is_empty() && words.starts_with(kept));
                assert_eq!(text_cuts::floor(&words, kept.len()), kept.len());
            }
        }
    }
}

#[test]
fn the_result_of_an_everyday_limit_is_the_documented_one() {
    let limit = RateLimit { retry_after_seconds: Some(30), message: "Too Many Requests".to_owned() };
    assert_eq!(
        limit.to_json(Some("list_articles"), 200, Encoding::O200kBase),
        r#"{"type":"rate_limited","retryAfterSeconds":30,"upstream":"list_articles","message":"Too Many Requests"}"#
    );
    assert!(limit.to_json(None, 200, Encoding::O200kBase).contains(r#""upstream":null,"#));
}

#[test]
fn messages_that_report_a_429_are_told_from_those_that_count_one() {
    for message in [
        "Request failed with status code 429",
        "Request failed with status code 429 (Too Many Requests): GET http://127.0.0.1:4299/",
        "Request failed with status code 429 Too Many Requests: GET http://127.0.0.1:4299/",
        "429 rate limited",
        "429 API rate limit exceeded",
        "429 status code (no body)",
        "429 {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\"}}",
        "Too Many Requests",
        "too many requests.",
        "Error executing tool list_articles: Too Many Requests",
        "Request to Notion API failed with status: 429",
        "429 Client Error: Too Many Requests for url: http://127.0.0.1:4299/",
        "Client error '429 Too Many Requests' for url 'http://127.0.0.1:4299'",
        "429, message='Too Many Requests', url='http://127.0.0.1:4299'",
        "HTTP Error 429: Too Many Requests",
        "HTTP/1.1 429",
        "<HttpError 429 when requesting http://127.0.0.1:4299/ returned \"rate limited\">",
        "Error code: 429 - rate limited",
        "An error occurred (429) when calling the ListBuckets operation (reached max retries: 0): Too Many Requests",
        "API rate limit exceeded: 429 {\"error\": {\"message\": \"rate limited\"}}",
        "429 GET http://127.0.0.1:4299/: rate limited",
        "Error executing tool list_articles: 429 GET http://127.0.0.1:4299/: rate limited",
        "Error calling tool 'list': 429 Client Error: Too Many Requests for url: http://127.0.0.1/",
        "429 RESOURCE_EXHAUSTED. {'error': {'code': 429}}",
        "[GoogleGenerativeAI Error]: Error fetching from https://example.com/v1: [429 Too Many Requests] Quota exceeded",
        "{\"status\":429,\"title\":\"slow down\"}",
        "upstream answered {'statusCode': 429}",
        "HTTP 429",
        "Error 429: rate limit of 100 requests per 60 seconds exceeded",
        "{\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\"}}",
    ] {
        assert!(message::reports_429(message), "{message}");
    }
    for message in [
        "",
        "processed 429 rows",
        "Run-time error '429': ActiveX component can't create object",
        "exit code 429",
        "429 rows processed",
        "429",
        "rows: 429",
        "expected 429, got 430",
        "Error code: 42900",
        "status code 4290",
        "status code 200 for 429 rows",
        "took 429 ms",
        "429 client errors were logged",
        "found 429 rate limit rules",
        "article 429 not found; the rate limit has 10 left",
        "connect ECONNREFUSED 127.0.0.1:429",
        "GET http://example.com/articles/429 failed",
        "GET http://example.com/?status=429 failed with status code 500",
        "$429.00 is over the limit",
        "429,000 rows are too many",
        "1.429",
        "a batch with too many requests",
        "Error executing tool batch: the limit of 20 is too many requests",
        "429% of the rate limit",
        "v429 GET rate limit",
        "E429: rate limited",
        "Unknown status code 429 in rules.yaml line 3; allowed: 200, 404",
        "FAILED test_retry: expected HTTP 429 Too Many Requests but got 200",
        "404 Not Found: no doc titled '429 Too Many Requests'",
        "HTTP 400 Bad Request: the webhook answered HTTP 429",
        "Could not parse 'HTTP 429' as a date",
    ] {
        assert!(!message::reports_429(message), "{message}");
    }
}
