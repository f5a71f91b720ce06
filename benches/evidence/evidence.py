"""The same eighty questions about ten results of others, by what a model is shown: docs/evidence.md.

No model takes part. A question has its SQL, the text that one would search, and a program that computes the answer.
Usage: python evidence.py <folder of the data> <docs/evidence.md>
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
    """The ten results, from packages and from what installing one writes."""
    if not (folder / "pip.log").exists():
        folder.mkdir(parents=True, exist_ok=True)
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        data = ["pycountry==24.6.1", "vega_datasets==0.9.0", "botocore==1.40.0", "etoon"]
        subprocess.run([*pip, "install", "--no-deps", "--target", folder / "python", *data], check=True)
        npm = ["npm", "pack", "--silent", "eslint-plugin-import@2.31.0", "lodash@4.17.20", "lodash@4.17.21"]
        subprocess.run(npm, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        log = ["-vvv", "--log", folder / "pip.log", "--no-cache-dir", "--dest", folder / "downloads"]
        subprocess.run([*pip, "download", *log, "rich"], check=True, stdout=subprocess.DEVNULL)
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
    }
    return {name: text.strip() for name, text in texts.items()}


def computing(text: str) -> dict:
    """What the programs that compute answers use: the second reading of a result, without toolshape."""
    lines = text.splitlines()
    doc = json.loads(text) if text.startswith(("{", "[")) else None
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
    return start(importlib.import_module("etoon").dumps(json.loads(text)) if text.startswith("{") else text)


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


def measured(results: dict[str, str]) -> dict[str, Tally]:
    questions = list(
        csv.DictReader(Path(__file__).with_name("questions.tsv").open(), delimiter="\t", quoting=csv.QUOTE_NONE)
    )
    archive = Archive(Shaper(), MemoryStore(max_bytes=200_000_000))
    arms: dict[str, Tally] = defaultdict(Tally)
    cuts = {
        f"the first {CUT:,} tokens": start,
        f"head and tail, {CUT:,} tokens": ends,
        f"fastmcp's ResponseLimiting, {CUT_BYTES:,} bytes": lambda text: asyncio.run(limited(text)),
        f"TOON, the first {CUT:,} tokens": compressed,
    }
    for result, text in results.items():
        own = [question for question in questions if question["result"] == result]
        named = computing(text)
        expected = [eval(question["python"], dict(named)) for question in own]
        for name, cut in cuts.items():
            tally, shown = arms[name], cut(text)
            is_cut = MARK in shown or "truncated" in shown[-200:]
            tally.result(count_tokens(shown))
            for question in own:
                tally.billed += tally.context
                tally.right += question["sought"] in shown if question["sought"] else not is_cut
        first = asyncio.run(archive.shape(named["doc"] or text, tool=result)).text
        handle = re.search(r"toolshape://result/([a-z]{16})", first)[1]
        names = ("toolshape, pages", "toolshape, SQL", "toolshape, SQL asked together", "a sandbox with files")
        paged, single, together, sandbox = (arms[name] for name in names)
        for tally in (paged, single, together):
            tally.result(count_tokens(first))
        sandbox.result()
        walked = None
        sql = [re.sub(r"\bT\b", "result", question["sql"]) for question in own]
        for question, statement, wanted in zip(own, sql, expected):
            if question["sought"]:
                paged.right += question["sought"] in pages(archive, handle, first, question["sought"], paged)
            else:
                walked = walked or pages(archive, handle, first, "", paged)
                paged.billed += paged.context
                paged.right += '"nextCursor":"' not in walked
            shown = answer(archive, {"handle": handle, "sql": statement}, single)
            if json.loads(shown).get("rows") == wanted:
                single.right += 1
            else:
                print(question, shown, wanted, sep="\n", file=sys.stderr)
            sandbox.call(question["python"], json.dumps(wanted))
            sandbox.right += 1
        answers = json.loads(answer(archive, {"handle": handle, "sql": "; ".join(sql)}, together))["answers"]
        together.right += sum(found.get("rows") == wanted for found, wanted in zip(answers, expected))
    return arms


def main() -> None:
    folder, page = Path(sys.argv[1]), Path(sys.argv[2])
    results = fetched(folder)
    sizes = ", ".join(f"{name} {count_tokens(text):,}" for name, text in results.items())
    arms = measured(results).items()
    rows = [f"| {name} | {one.right} | {one.calls} | {one.tokens:,} | {one.billed:,} |" for name, one in arms]
    head = ["| what the model is shown | right of 80 | calls | tokens | with re-reads |", "|---|---|---|---|---|"]
    before = page.read_text().split("<!-- figures -->")[0]
    page.write_text("\n".join([before + "<!-- figures -->", *head, *rows, "", f"Tokens of each result: {sizes}.", ""]))


if __name__ == "__main__":
    main()
