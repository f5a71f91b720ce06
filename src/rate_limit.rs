//! Upstream rate limits: finding HTTP status 429 and Retry-After in whatever a client threw.
