"""Questions in SQL and a parser and a loop, as run.mjs asks them: processor milliseconds as JSON, or the peak memory of one question.

Usage: run.py <folder of the texts> <rounds> | run.py <folder of the texts> --memory <side> <question>
"""

import asyncio
import json
import re
import resource
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

from toolshape import Archive, MemoryStore, Shaper

folder, what, *measured = sys.argv[1:]
texts = {name: (Path(folder) / name).read_text("utf-8") for name in "mcl"}
questions = json.loads((Path(folder) / "questions.json").read_text("utf-8"))
archive = Archive(Shaper(), MemoryStore(max_bytes=200_000_000))
handles = {}


def parsed():
    return json.loads(texts["m"])


def cells():
    return [line.split(",") for line in texts["c"].split("\n")[1:]]


def lines():
    return texts["l"].split("\n")


def means(pairs):
    found = defaultdict(lambda: [0, 0])
    for key, number in pairs:
        found[key][0] += 1
        found[key][1] += number
    return found


def matching(pattern, all_of_them):
    return sum(re.search(pattern, text) is not None for text in all_of_them)


def user(line):
    found = re.search(r"user (\w+)", line)
    return found and found[1]


LOOPS = {
    "count": lambda: sum(row["rating"] > 7.5 and row["genre"] == "Drama" for row in parsed()),
    "group and mean": lambda: means((row["genre"], row["rating"]) for row in parsed()),
    "order, limit 20": lambda: sorted(parsed(), key=lambda row: (-row["gross"], row["id"]))[:20],
    "nested ->>": lambda: Counter(row["info"]["city"] for row in parsed()),
    "one value of the document": lambda: parsed()[99999]["title"],
    "regexp": lambda: matching(r"movie [0-9]{3}7\b", (row["title"] for row in parsed())),
    "CSV count": lambda: sum(float(row[3]) > 7.5 and row[2] == "Drama" for row in cells()),
    "CSV group": lambda: means((row[2], float(row[3])) for row in cells()),
    "lines LIKE": lambda: sum("duration: " in line.lower() for line in lines()),
    "lines REGEXP": lambda: matching(r"duration: [0-9]{4,}", lines()),
    "lines by level": lambda: Counter(line.split(" ")[2] for line in lines()),
    "lines by capture": lambda: Counter(map(user, lines())),
}


def ask(name):
    table = re.search(r"FROM ([mcl])(?:_doc)?\b", questions[name])[1]
    if table not in handles:
        shape = archive.shape_json if table == "m" else archive.shape
        shown = asyncio.run(shape(texts[table], tool=table)).text
        handles[table] = re.search(r"result/([a-z]{16})", shown)[1]
    asked = re.sub(rf"FROM {table}(?=_doc\b|\b)", f"FROM {handles[table]}", questions[name])
    return asyncio.run(archive.read_result({"sql": asked}))


def times(run):
    found = []
    for _ in range(int(what) + 1):
        start = time.process_time()
        run()
        found.append((time.process_time() - start) * 1000)
    return found[1:]


if what == "--memory":
    side, name = measured
    {"SQL": ask, "a loop": lambda name: LOOPS[name](), "the text": lambda name: None}[side](name)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
else:
    print(json.dumps({name: {"ours": times(lambda: ask(name)), "theirs": times(LOOPS[name])} for name in questions}))
