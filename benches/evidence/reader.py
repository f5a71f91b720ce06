"""The questions for a reader, who sees nothing but what an arm shows: docs/evidence.md.

A reader is a model with a shell and this script. Usage:
    python reader.py DATA questions                  the questions, and the rows and columns of each answer
    python reader.py DATA ARM first RESULT           what the arm shows of a result at first
    python reader.py DATA ARM ask RESULT ARGUMENTS   one more call: arguments of read_result, or a program in Python
    python reader.py DATA ARM grade ANSWERS          how many answers are right, and what was read

DATA is the folder that `cargo xtask evidence` fills. ARM is ends, pages, sql, or sandbox. ANSWERS is JSON: a question's number
to its rows.
"""

import asyncio
import json
import math
import subprocess
import sys
from collections import Counter
from pathlib import Path

from evidence import computing, document, ends, fetched, questions
from toolshape import Archive, FileStore, Shaper, count_tokens

ANY_OTHER = "This reader has pages and searches alone, and no sql."
SECONDS = 60  # That a program of the sandbox may take.


def expected(results: dict[str, str]) -> list[list[list]]:
    return [eval(one["python"], dict(computing(results, one["result"]))) for one in questions()]


def first(archive: Archive, arm: str, name: str, text: str, file: Path) -> str:
    if arm == "ends":
        return ends(text)
    if arm == "sandbox":
        file.write_text(text)
        return f"{file}: {len(text.encode())} bytes"
    return asyncio.run(archive.shape(document(text) or text, tool=name)).text


def ask(archive: Archive, arm: str, asked: str) -> str:
    if arm == "sandbox":
        run = [sys.executable, "-c", asked]
        done = subprocess.run(run, capture_output=True, text=True, timeout=SECONDS, check=False)
        return done.stdout + done.stderr
    arguments = json.loads(asked)
    if arm == "pages" and "sql" in arguments:
        return ANY_OTHER
    return asyncio.run(archive.read_result(arguments)).text


def values(rows: object) -> Counter:
    """The values of an answer in any order; numbers to six digits, because a reader rounds."""

    def one(value: object) -> object:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(f"{value:.6g}")
        text = str(value).strip()
        try:
            return float(f"{float(text):.6g}")
        except ValueError:
            return text

    flat = [value for row in rows or [] for value in (row if isinstance(row, list) else [row])]
    return Counter(value for value in map(one, flat) if not (isinstance(value, float) and math.isnan(value)))


def grade(results: dict[str, str], transcript: Path, answers: Path) -> None:
    given, wanted = json.loads(answers.read_text()), expected(results)
    right = [values(given.get(str(at + 1))) == values(rows) for at, rows in enumerate(wanted)]
    tokens = billed = calls = 0
    context: Counter = Counter()
    for line in transcript.read_text().splitlines():
        call = json.loads(line)
        own = count_tokens(call["asked"]) + count_tokens(call["shown"])
        billed += context[call["result"]] + own
        context[call["result"]] += own
        tokens += own
        calls += call["asked"] != ""
    print(f"right {sum(right)} of {len(right)}, calls {calls}, tokens {tokens:,}, with re-reads {billed:,}")
    for at, is_right in enumerate(right):
        if not is_right:
            print(at + 1, questions()[at]["question"], "given", given.get(str(at + 1)), "wanted", wanted[at])


def main() -> None:
    data = Path(sys.argv[1])
    results = fetched(data)
    if sys.argv[2] == "questions":
        for at, (one, rows) in enumerate(zip(questions(), expected(results))):
            shape = f"{len(rows)} x {len(rows[0]) if rows else 0}"
            print(f"{at + 1}. [{one['result']}] {one['question']} ({shape})")
        return
    arm, what, named = sys.argv[2:5]
    folder = data / "readers"
    folder.mkdir(exist_ok=True)
    transcript = folder / f"{arm}.jsonl"
    if what == "grade":
        return grade(results, transcript, Path(named))
    archive = Archive(Shaper(), FileStore(folder / arm))
    asked = sys.argv[5] if what == "ask" else ""
    if asked:
        shown = ask(archive, arm, asked)
    else:
        files = {name: folder / f"{name}.txt" for name in named.split("+")}
        shown = "\n".join(first(archive, arm, name, results[name], file) for name, file in files.items())
    with transcript.open("a") as out:
        out.write(json.dumps({"result": named, "asked": asked, "shown": shown}) + "\n")
    print(shown)


if __name__ == "__main__":
    main()
