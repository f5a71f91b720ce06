"""Questions about 100,000 rows, 20 MB of JSON text, as in questions.mjs: answered by ``read_result``, by ``json.loads`` and
a loop that one writes for this question alone, and by pandas from the same text.
"""

import gc
import hashlib
import json
import re
import statistics
import time
from pathlib import Path

WORD = re.compile(r"\bjarhead\b", re.IGNORECASE)
PATTERN = re.compile("star (wars|trek)", re.IGNORECASE)


def total(rows, key):
    return sum(row[key] for row in rows if row[key] is not None)


def numbers(rows, key):
    return [row[key] for row in rows if row[key] is not None]


def grouped(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return groups


def mean_or_zero(rows, key):
    own = numbers(rows, key)
    return sum(own) / len(own) if own else 0


def containing(found):
    return lambda frame: frame[frame.Title.str.lower().str.contains(found, regex=False)]


# The arguments of read_result, the loop, and what one writes in pandas.
QUESTIONS = {
    "sort by a number, 20 rows": (
        {"sql": "SELECT Title, `Worldwide Gross` FROM result ORDER BY 2 DESC LIMIT 20"},
        lambda rows: [
            (row["Title"], row["Worldwide Gross"])
            for row in sorted(rows, key=lambda row: -(row["Worldwide Gross"] or -1))[:20]
        ],
        lambda frame: frame.sort_values("Worldwide Gross", ascending=False)[["Title", "Worldwide Gross"]].head(20),
    ),
    "sort by a text, 20 rows": (
        {"sql": "SELECT * FROM result ORDER BY Title LIMIT 20"},
        lambda rows: sorted(rows, key=lambda row: row["Title"])[:20],
        lambda frame: frame.sort_values("Title").head(20),
    ),
    "group by genre, sum of each": (
        {"sql": "SELECT `Major Genre`, count(*), sum(`Worldwide Gross`) FROM result GROUP BY 1 ORDER BY 3 DESC"},
        lambda rows: sorted(
            ((key or "", len(own), total(own, "Worldwide Gross")) for key, own in grouped(rows, "Major Genre").items()),
            key=lambda group: -group[2],
        ),
        lambda frame: (
            frame.groupby("Major Genre", dropna=False)["Worldwide Gross"]
            .agg(["size", "sum"])
            .sort_values("sum", ascending=False)
        ),
    ),
    "group by director, mean of each": (
        {"sql": "SELECT Director, count(*), avg(`IMDB Rating`) FROM result GROUP BY 1 ORDER BY 3 DESC"},
        lambda rows: sorted(
            ((key or "", len(own), mean_or_zero(own, "IMDB Rating")) for key, own in grouped(rows, "Director").items()),
            key=lambda group: -group[2],
        ),
        lambda frame: (
            frame.groupby("Director", dropna=False)["IMDB Rating"]
            .agg(["size", "mean"])
            .sort_values("mean", ascending=False)
        ),
    ),
    "aggregate: count, sum, mean, max": (
        {"sql": "SELECT count(*), sum(`Worldwide Gross`), avg(`IMDB Rating`), max(`IMDB Votes`) FROM result"},
        lambda rows: (
            len(rows),
            total(rows, "Worldwide Gross"),
            mean_or_zero(rows, "IMDB Rating"),
            max(numbers(rows, "IMDB Votes")),
        ),
        lambda frame: (
            len(frame),
            frame["Worldwide Gross"].sum(),
            frame["IMDB Rating"].mean(),
            frame["IMDB Votes"].max(),
        ),
    ),
    "median": (
        {"sql": "SELECT median(`Worldwide Gross`) FROM result"},
        lambda rows: statistics.median(numbers(rows, "Worldwide Gross")),
        lambda frame: frame["Worldwide Gross"].median(),
    ),
    "distinct": (
        {"sql": "SELECT count(DISTINCT Director) FROM result"},
        lambda rows: len({row["Director"] for row in rows}),
        lambda frame: frame["Director"].nunique(),
    ),
    "three counts by filters": (
        {"sql": "SELECT sum(`IMDB Rating` > 8), sum(`Major Genre` = 'Western'), sum(Director IS NULL) FROM result"},
        lambda rows: (
            sum((row["IMDB Rating"] or 0) > 8 for row in rows),
            sum(row["Major Genre"] == "Western" for row in rows),
            sum(row["Director"] is None for row in rows),
        ),
        lambda frame: (
            (frame["IMDB Rating"] > 8).sum(),
            (frame["Major Genre"] == "Western").sum(),
            frame["Director"].isna().sum(),
        ),
    ),
    "filter, then group": (
        {"sql": "SELECT `Major Genre`, count(*) FROM result WHERE `IMDB Rating` > 5 GROUP BY 1"},
        lambda rows: [
            (key, len(own))
            for key, own in grouped([row for row in rows if (row["IMDB Rating"] or 0) > 5], "Major Genre").items()
        ],
        lambda frame: frame[frame["IMDB Rating"] > 5].groupby("Major Genre", dropna=False).size(),
    ),
    "filter": (
        {"sql": "SELECT * FROM result WHERE `Worldwide Gross` > 1000000000"},
        lambda rows: [row for row in rows if (row["Worldwide Gross"] or 0) > 1e9],
        lambda frame: frame[frame["Worldwide Gross"] > 1e9],
    ),
    "search": (
        {"search": "transporter"},
        lambda rows: [row for row in rows if "transporter" in row["Title"].lower()],
        containing("transporter"),
    ),
    "search, exact case": (
        {"sql": "SELECT * FROM result WHERE Title GLOB '*Transporter*'"},
        lambda rows: [row for row in rows if "Transporter" in row["Title"]],
        lambda frame: frame[frame.Title.str.contains("Transporter", regex=False)],
    ),
    "search, whole word": (
        {"sql": "SELECT * FROM result WHERE Title REGEXP '(?i)\\bjarhead\\b'"},
        lambda rows: [row for row in rows if WORD.search(row["Title"])],
        lambda frame: frame[frame.Title.str.contains(WORD)],
    ),
    "search, regular expression": (
        {"sql": "SELECT * FROM result WHERE Title REGEXP '(?i)star (wars|trek)'"},
        lambda rows: [row for row in rows if PATTERN.search(row["Title"])],
        lambda frame: frame[frame.Title.str.contains("star (?:wars|trek)", case=False)],
    ),
}

# What it costs to store the rows: what the host does with all of them.
STORING = {
    "to store them, as JSON text": lambda text, rows: json.loads(text),
    "to store them, as values": lambda text, rows: hashlib.sha256(json.dumps(rows).encode()).hexdigest(),
}
CONTENDERS = ("toolshape", "loop", "pandas")


def load(folder):
    return (Path(folder) / "movies.json").read_text("utf-8")


def contender(name, text):
    """A function that answers a question, or stores the rows."""
    match name:
        case "toolshape":
            import toolshape

            shaper = toolshape.Shaper(max_tokens=2000)
            handle = hashlib.sha256(text.encode()).hexdigest()

            def ask(question, rows=None):
                if question == "to store them, as JSON text":
                    return shaper.shape_json(text, tool="bench", store=True)
                if question in STORING:
                    return shaper.shape(rows, tool="bench", store=True)
                answer = shaper.read_result(
                    f"{handle}.json", text, arguments={"handle": handle, **QUESTIONS[question][0]}
                )
                assert not answer.is_error, answer.text
                return answer

            return ask
        case "loop":
            return lambda question, rows=None: (
                STORING[question](text, rows) if question in STORING else QUESTIONS[question][1](json.loads(text))
            )
        case "pandas":
            import pandas

            return lambda question, rows=None: QUESTIONS[question][2](pandas.DataFrame(json.loads(text)))


def timed(folder, rounds):
    text = load(folder)
    runs = {name: contender(name, text) for name in CONTENDERS}
    rows = json.loads(text)
    gc.collect()
    gc.freeze()
    found = []
    for question in [*STORING, *QUESTIONS]:
        milliseconds = {name: [] for name in CONTENDERS if name != "pandas" or question in QUESTIONS}
        for turn in range(rounds + 1):
            for name in milliseconds:
                gc.collect()
                start = time.process_time()
                runs[name](question, rows)
                took = (time.process_time() - start) * 1000
                if turn > 0:
                    milliseconds[name].append(took)
        found.append({"question": question, "milliseconds": milliseconds})
    return found
