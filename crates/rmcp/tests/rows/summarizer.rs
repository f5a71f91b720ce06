//! A summarizer of a host's own, that does as the text says with which it is asked.

use std::fmt;
use std::time::Duration;

use toolshape_rmcp::{Summarizer, SummaryRequest};

#[derive(Debug)]
struct TypeError;

impl fmt::Display for TypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("in /etc/secret")
    }
}

impl std::error::Error for TypeError {}

pub fn house() -> Summarizer {
    Summarizer::new("the house", summarize).timeout(Duration::from_millis(300))
}

async fn summarize(asked: SummaryRequest) -> Result<String, TypeError> {
    let SummaryRequest { text, max_tokens, .. } = asked;
    match text.lines().next() {
        Some("THROW") => Err(TypeError),
        Some("HANG") => std::future::pending().await,
        Some("NOTHING") => Ok(String::new()),
        Some("LONG") => Ok("All went well. ".repeat(500)),
        _ => Ok(format!("It has {} characters; {max_tokens} tokens are left for them.", text.chars().count())),
    }
}
