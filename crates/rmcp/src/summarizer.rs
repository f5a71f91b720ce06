//! A summarizer that the server supplies, such as a model of its own. It has a time limit and is not trusted.

use std::any::type_name;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolshape::Error;
use toolshape::host::{Naming, SummarizerOptions};

use crate::call::CallContext;

/// What a summarizer is asked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SummaryRequest {
    pub text: String,
    /// The most tokens of a summary; a longer one is not shown.
    pub max_tokens: usize,
    /// The kind of text that the caller names: `log` or `document`.
    pub kind: Option<String>,
    /// The SDK's context of the call.
    pub context: CallContext,
}

/// Writes summaries in place of toolshape's. If it fails, takes too long, or its summary does not fit, toolshape's own is
/// used, with the reason.
#[derive(Clone)]
pub struct Summarizer {
    by: String,
    timeout: Duration,
    work: Arc<Summarize>,
}

type Summarize = dyn Fn(SummaryRequest) -> Pin<Box<dyn Future<Output = Result<String, String>> + Send>> + Send + Sync;

impl Summarizer {
    /// A summarizer by name, which each summary has as `by`, and what it does. Of an error the model reads only the name of
    /// its type.
    ///
    /// ```
    /// use toolshape_rmcp::{Summarizer, SummaryRequest};
    /// let house = Summarizer::new("the house", |asked: SummaryRequest| async move {
    ///     Ok::<_, std::io::Error>(format!("{} characters", asked.text.len()))
    /// });
    /// # let _ = house;
    /// ```
    pub fn new<F, Fut, E>(by: impl Into<String>, work: F) -> Self
    where
        F: Fn(SummaryRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<String, E>> + Send + 'static,
        E: 'static,
    {
        let work = move |asked| -> Pin<Box<dyn Future<Output = Result<String, String>> + Send>> {
            let summary = work(asked);
            Box::pin(async move { summary.await.map_err(|_| named::<E>()) })
        };
        Self { by: by.into(), timeout: Duration::from_secs(30), work: Arc::new(work) }
    }

    /// How long one summary may take. Default: 30 seconds.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Rejects an invalid time limit.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.options().map(drop)
    }

    fn options(&self) -> Result<SummarizerOptions, Error> {
        SummarizerOptions::new(&json!({ "timeout_seconds": self.timeout.as_secs_f64() }), Naming::Snake)
    }

    /// The summary that it returns, or why there is none, as options of a summary.
    pub(crate) async fn ask(&self, asked: SummaryRequest) -> Result<Value, Error> {
        let options = self.options()?;
        let terms = options.to_json();
        // In a task of its own, so that its panic is its own too.
        let mut task = tokio::spawn((self.work)(asked));
        let limit = Duration::try_from_secs_f64(options.timeout_seconds).unwrap_or(Duration::MAX);
        let failure = |reason: String| json!({ "by": self.by, "failure": reason });
        let why = |name: &str| terms[name].as_str().unwrap_or_default().to_owned();
        Ok(match tokio::time::timeout(limit, &mut task).await {
            Err(_) => {
                task.abort();
                failure(why("late"))
            }
            Ok(Err(_)) => failure(format!("{}: panic", why("failed"))),
            Ok(Ok(Err(name))) => failure(format!("{}: {name}", why("failed"))),
            Ok(Ok(Ok(summary))) if summary.is_empty() => failure(why("empty")),
            Ok(Ok(Ok(summary))) => json!({ "by": self.by, "summary": summary }),
        })
    }
}

/// The name of a type of errors, without its module; of one in a box, nothing is known.
fn named<E>() -> String {
    let name = type_name::<E>();
    match name.contains('<') {
        true => "an error".to_owned(),
        false => name.rsplit("::").next().unwrap_or(name).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_told_by_its_type_alone() {
        assert_eq!(named::<std::io::Error>(), "Error");
        assert_eq!(named::<std::fmt::Error>(), "Error");
        assert_eq!(named::<Box<dyn std::error::Error>>(), "an error");
        assert_eq!(named::<std::num::ParseIntError>(), "ParseIntError");
    }
}
