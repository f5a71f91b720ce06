"""Lays out what the works are made of: the articles of the example database, API results of others, and rows of others
about which questions are asked: the movies of npm vega-datasets, repeated.

Usage: prepare.py <articles.db> <jsonexamples folder of npm simdjson> <movies.json> <folder to write to>
"""

import json
import shutil
import sqlite3
import sys
from pathlib import Path

ROWS = 100_000
FIELDS = ["Release Date", "Distributor", "Major Genre", "Director", "Worldwide Gross", "IMDB Rating", "IMDB Votes"]

database, examples, movies, out = map(Path, sys.argv[1:])
with sqlite3.connect(database) as connection:
    connection.row_factory = sqlite3.Row
    rows = [dict(row) for row in connection.execute("SELECT * FROM articles ORDER BY id")]
for row in rows:
    row["tags"] = json.loads(row["tags"])
files = out / "files"
files.mkdir(parents=True, exist_ok=True)
(out / "articles.json").write_text(json.dumps(rows), "utf-8")
for name in ("twitter.json", "citm_catalog.json"):
    shutil.copyfile(examples / name, files / name)

movies = json.loads(movies.read_text("utf-8"))
rows = (
    {"id": at, "Title": f"{movie['Title']} {at // len(movies)}"} | {field: movie[field] for field in FIELDS}
    for at in range(ROWS)
    for movie in [movies[at % len(movies)]]
)
text = json.dumps(list(rows), ensure_ascii=False, separators=(",", ":"))
(out / "movies.json").write_text(text, "utf-8")
