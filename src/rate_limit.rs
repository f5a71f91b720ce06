//! Upstream rate limits: finding HTTP status 429 and Retry-After in whatever a client threw.

/// How the core reads a thrown thing.
pub trait Fault {}

pub(crate) struct RateLimit {}
impl RateLimit {
    pub(crate) fn to_json(&self, _tool: Option<&str>) -> String {
        String::new()
    }
}
pub(crate) fn find<F: Fault>(_error: &F, _now: Option<u64>) -> Option<RateLimit> {
    None
}
