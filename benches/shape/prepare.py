"""Lays out what the works are made of: the articles of the example database, and API results of others.

Usage: prepare.py <articles.db> <jsonexamples folder of npm simdjson> <folder to write to>
"""

import json
import shutil
import sqlite3
import sys
from pathlib import Path

database, examples, out = map(Path, sys.argv[1:])
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
