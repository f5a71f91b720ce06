"""What there is to do, as in works.mjs: results that tools return, each in as many versions as are asked for."""

import json
import random
from functools import partial
from html import escape
from pathlib import Path

PAGE_SIZE = 20
TEXT_BYTES = 20_000_000


class Work:
    """One kind of result. `rows` takes a page out of a value, `page` says which to ask for; both None for no list."""

    def __init__(
        self,
        inputs,
        *,
        rows=None,
        pages=0,
        is_json=False,
        calls=3,
        baselines=("json.dumps", "orjson.dumps"),
        serializes=True,
        is_stored=False,
    ):
        self.inputs, self.rows, self.pages = inputs, rows, pages
        self.is_json, self.calls, self.baselines = is_json, calls, baselines
        self.serializes, self.is_stored = serializes, is_stored

    def page(self, version):
        return version % self.pages + 1 if self.pages else None


def load(folder):
    """The articles, those that are published and the others, and the API results of others, by name."""
    folder = Path(folder)
    rows = json.loads((folder / "articles.json").read_text("utf-8"))
    published = [row for row in rows if row["status"] == "published"]
    files = {path.name: json.loads(path.read_text("utf-8")) for path in (folder / "files").iterdir()}
    return {"articles": published, "others": [row for row in rows if row["status"] == "archived"], "files": files}


def page_of(rows, page, size=PAGE_SIZE):
    """A page of a list, as one writes it; of as many rows as fit."""
    start = (page - 1) * PAGE_SIZE
    return {"total": len(rows), "page": page, "pages": -(-len(rows) // PAGE_SIZE), "items": rows[start : start + size]}


def rows_work(length, data, **more):
    articles = data["articles"]
    rows = [
        {**articles[at % len(articles)], "id": at + 1, "slug": f"{articles[at % len(articles)]['slug']}-{at + 1}"}
        for at in range(length)
    ]
    pages = min(length, len(articles)) // PAGE_SIZE
    return Work(lambda version: rows, rows=page_of, pages=pages, **more)


def many_rows(data, **more):
    articles = data["articles"]
    row_bytes = len(json.dumps(articles)) / len(articles)
    return rows_work(int(TEXT_BYTES / row_bytes), data, **more)


def stored_work(data):
    """All of it goes to a store, which only toolshape does."""
    work = many_rows(data, calls=1, baselines=("json.dumps and SHA-256",), is_stored=True)
    work.pages = 0
    return work


def json_rows_work(data):
    work = many_rows(data)
    text = [json.dumps(work.inputs(0), ensure_ascii=False)]
    # A str keeps what was once made of it: every version is a new one.
    inputs = lambda version: text[0][:-1] + " " * version + "]"
    return Work(inputs, rows=page_of, pages=work.pages, is_json=True, calls=1, baselines=("json.loads", "orjson.loads"))


def file_work(name, data, rows=None):
    return Work(lambda version: turned(data["files"][name], version * 7), rows=rows, calls=1)


def twitter_work(data):
    rows = lambda value, page, size=PAGE_SIZE: {**value, "statuses": page_of(value["statuses"], 1, size)}
    return file_work("twitter.json", data, rows)


def turned(value, by, depth=2):
    """Lists and dictionaries begin elsewhere; an object of few keys is a record, whose keys have an order of their own."""
    if not isinstance(value, (list, dict)) or depth == 0:
        return value
    is_list = isinstance(value, list)
    entries = [(key, turned(child, by, depth - 1)) for key, child in (enumerate(value) if is_list else value.items())]
    cut = by % len(entries) if entries and (is_list or len(entries) > 20) else 0
    moved = entries[cut:] + entries[:cut]
    return [child for _, child in moved] if is_list else dict(moved)


def text_work(after, data):
    def inputs(version):
        parts, length, at = [], 0, version * 20
        while length < TEXT_BYTES:
            part = data["articles"][at % len(data["articles"])]["body"] + after + "\n\n"
            parts.append(part)
            length += len(part.encode())
            at += 1
        return "".join(parts)

    return Work(inputs, calls=1, baselines=())


def read_work(head, part, data):
    """A text that toolshape reads by its structure, while a handler cuts it."""

    def inputs(version):
        parts, length, at = [head], len(head), version * 20
        while length < TEXT_BYTES:
            parts.append(part(data["articles"][at % len(data["articles"])], at))
            length += len(parts[-1])
            at += 1
        return "".join(parts)

    return Work(inputs, calls=1, baselines=("split into lines",))


def log_lines(article, at):
    """The lines of an article as those of a log; some are errors with a stack trace."""
    lines = []
    for nth, text in enumerate(lines_of(article)):
        level = "ERROR" if (at + nth) % 97 == 0 else "WARN" if (at + nth) % 31 == 0 else "INFO"
        lines.append(
            f"2026-11-20T{at // 60 % 24:02}:{at % 60:02}:{nth % 60:02}.000Z {level} [worker-{at % 16}] {article['slug']}-{at}: {text}\n"
        )
        if level == "ERROR":
            lines.append(
                "java.lang.IllegalStateException: no such article\n"
                + "\tat com.example.Articles.find(Articles.java:42)\n" * 8
            )
    return "".join(lines)


def section(article, at):
    paragraph = '<p class="body">{} <a href="/articles/{}">more</a></p>\n'
    lines = "".join(paragraph.format(escape(line, quote=False), article["slug"]) for line in lines_of(article))
    return f'<h2 id="a{at}">{escape(article["title"], quote=False)}</h2>\n{lines}<ul><li><b>{at}</b> {article["slug"]}</li></ul>\n'


def csv_row(article, at):
    title, body = (article[name][:200].replace('"', '""') for name in ("title", "body"))
    return f'{at},{article["slug"]},"{title}",{article["updated"]},"{body}"\n'


def lines_of(article):
    return [line for line in article["body"].split("\n") if line]


def grid(version):
    number = random.Random(version)
    cell = lambda x, y: {
        "x": x,
        "y": y,
        "score": number.random(),
        "rate": round(number.random() * 100, 4),
        "parameters": {
            "window": number.randrange(1000),
            "threshold": number.random(),
            "mode": number.choice(["strict", "lenient"]),
        },
        "totals": {
            "orders": number.randrange(10**5),
            "returns": number.randrange(1000),
            "revenue": round(number.random() * 1e7, 2),
        },
        "measured": f"2026-{number.randrange(1, 13):02}-{number.randrange(1, 29):02}T{number.randrange(24):02}:00:00.000Z",
    }
    return {"rows": 30, "columns": 30, "cells": [[cell(x, y) for x in range(30)] for y in range(30)]}


def small_work(data):
    def inputs(version):
        article, more = (data["articles"][(version * 13 + at) % len(data["articles"])] for at in (0, 1))
        small = {key: article[key] for key in ("id", "slug", "title", "updated", "tags")} | {"body": ""}
        body = (article["body"] + " " + more["body"]).translate({10: " ", 34: " "})
        small["body"] = body[: 2048 - len(json.dumps(small))]
        return small

    return Work(inputs, calls=20)


WORKS = {
    "1,000 rows": partial(rows_work, 1_000),
    "10,000 rows": partial(rows_work, 10_000),
    "100,000 rows": partial(rows_work, 100_000),
    # 2 GB of JSON: whoever serializes all of it is left out.
    "1,000,000 rows": partial(rows_work, 1_000_000, baselines=(), serializes=False),
    "twitter.json": twitter_work,
    "citm_catalog.json": partial(file_work, "citm_catalog.json"),
    "20 MB of rows, as JSON text": json_rows_work,
    "20 MB of rows, stored whole": stored_work,
    "20 MB text": partial(text_work, ""),
    "20 MB text with emoji": partial(text_work, " 🙂"),
    "20 MB log": partial(read_work, "", log_lines),
    "20 MB of HTML": partial(read_work, "<!doctype html><html><head><title>Articles</title></head><body>\n", section),
    "20 MB of CSV": partial(read_work, "id,slug,title,updated,body\n", csv_row),
    "250 KB grid": lambda data: Work(grid, calls=2),
    "2 KB that fits": small_work,
}
