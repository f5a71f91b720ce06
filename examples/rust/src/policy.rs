//! What the author of these tools decides: room for their results, the columns of a listing, what is a series or a grid.

use serde_json::{Value, json};

pub fn policy() -> Value {
    json!({
        "maxTokens": 2000,
        "tools": {
            "list_articles": { "maxTokens": 1400, "fields": ["title", "slug", "updated", "tags"] },
            "search": { "fields": ["title", "slug", "summary"] },
            "weather": { "series": { "value": "temp_max", "at": "date" } },
            "sweep": { "grid": { "x": "fast", "y": "slow", "value": "score", "feasible": "feasible" } },
        },
    })
}
