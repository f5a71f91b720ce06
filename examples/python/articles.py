"""The database: a query for each tool, whose rows are dicts with the same keys in the same order."""

import json
import sqlite3
from contextlib import closing
from typing import Any

Article = dict[str, Any]


class Articles:
    def __init__(self, file: str) -> None:
        self._file = file

    def _query(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        # Opened again, to see what others have written meanwhile, even if they replaced the file.
        with closing(sqlite3.connect(f"file:{self._file}?mode=ro", uri=True)) as db:
            db.row_factory = sqlite3.Row
            return [dict(row) for row in db.execute(sql, values)]

    def _select(self, rest: str, *values: Any) -> list[Article]:
        rows = self._query(f"SELECT id, slug, title, updated, tags, summary, body FROM articles {rest}", *values)
        return [{**row, "tags": json.loads(row["tags"])} for row in rows]

    def published(self) -> list[Article]:
        """Every published article, the newest first."""
        return self._select("WHERE status = 'published' ORDER BY updated DESC, id")

    def published_after(self, last: list[Any] | None, limit: int) -> list[Article]:
        """The next published articles, the newest first: from the start, or after ``updated`` and ``id`` of the last."""
        updated, id = last or ("9999", 0)
        after = "(updated < ? OR (updated = ? AND id > ?))"
        rest = f"WHERE status = 'published' AND {after} ORDER BY updated DESC, id LIMIT ?"
        return self._select(rest, updated, updated, id, limit)

    def get(self, slug: str) -> Article | None:
        return next(iter(self._select("WHERE slug = ?", slug)), None)

    def search(self, query: str) -> list[Article]:
        """Articles whose text has the words of the query, the longest first."""
        return self._select("WHERE body LIKE '%' || ? || '%' ORDER BY length(body) DESC, id", query)

    def weather(self) -> list[dict[str, Any]]:
        """The weather of Seattle, day by day: millimetres, degrees Celsius, metres a second."""
        return self._query("SELECT date, precipitation, temp_max, temp_min, wind, weather FROM weather ORDER BY date")

    def sweep(self) -> list[dict[str, Any]]:
        """A trading rule with each pair of its two parameters."""
        return [json.loads(row["cell"]) for row in self._query("SELECT cell FROM sweep ORDER BY rowid")]
