"""The database of articles: three queries, whose rows are dicts with the same keys in the same order."""

import json
import sqlite3
from typing import Any

Article = dict[str, Any]


class Articles:
    def __init__(self, file: str) -> None:
        self._db = sqlite3.connect(f"file:{file}?mode=ro", uri=True, check_same_thread=False)
        self._db.row_factory = sqlite3.Row

    def _select(self, rest: str, *values: str) -> list[Article]:
        rows = self._db.execute(f"SELECT id, slug, title, updated, tags, summary, body FROM articles {rest}", values)
        return [{**row, "tags": json.loads(row["tags"])} for row in rows]

    def published(self) -> list[Article]:
        """Every published article, the newest first."""
        return self._select("WHERE status = 'published' ORDER BY updated DESC, id")

    def get(self, slug: str) -> Article | None:
        return next(iter(self._select("WHERE slug = ?", slug)), None)

    def search(self, query: str) -> list[Article]:
        """Articles whose text has the words of the query, the longest first."""
        return self._select("WHERE body LIKE '%' || ? || '%' ORDER BY length(body) DESC, id", query)
