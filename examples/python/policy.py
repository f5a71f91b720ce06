"""What the author of these tools decides: room for their results, the columns of a search, what is a series or a grid."""

POLICY = {
    "max_tokens": 2000,
    "tools": {
        "search": {"fields": ["title", "slug", "summary"]},
        "weather": {"series": {"value": "temp_max", "at": "date"}},
        "sweep": {"grid": {"x": "fast", "y": "slow", "value": "score", "feasible": "feasible"}},
    },
}
