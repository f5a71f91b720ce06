"""Summaries of logs that real programs print, and of long documents that packages carry."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import metadata
from typing import Any

import pytest
from toolshape import Shaper, count_tokens

BUDGET = 2000

# Each program is a package pinned among the requirements; what it prints is a log as a tool would return it.
LOGS = {
    "mypy --verbose": [
        "-m",
        "mypy",
        "--verbose",
        "--no-incremental",
        "--cache-dir",
        "/dev/null",
        "-c",
        "import fastmcp, nothing",
    ],
    "python -v": ["-v", "-c", "import fastmcp, nothing"],
    "tornado's tests": [
        "-m",
        "tornado.test.runtests",
        "--verbose",
        "tornado.test.web_test",
        "tornado.test.httpclient_test",
    ],
}
DOCUMENTS = ["pydantic", "yarl", "orjson"]

# What is certainly an error, recognized in another way than by the summary.
ERROR = re.compile(r"^\S*: error: |^\w*(Error|Exception): |^(Traceback|FAILED|ERROR)\b", re.MULTILINE)


@pytest.fixture(scope="module", params=LOGS)
def log(request: pytest.FixtureRequest) -> tuple[str, str]:
    ran = subprocess.run(
        [sys.executable, *LOGS[request.param]],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=300,
        check=False,
    )
    return request.param, ran.stdout.decode(errors="replace")


def summarized(text: str) -> dict[str, Any]:
    shaped = Shaper(max_tokens=BUDGET).summarize_text(text, uri="file:///original")
    assert shaped.tokens == count_tokens(shaped.text) <= BUDGET
    summary: dict[str, Any] = json.loads(shaped.text)
    lines = text.splitlines() if "\r" in text else text.split("\n")
    for entry in summary["lines"]:
        for at, line in enumerate(entry["text"].split("\n"), entry["line"] - 1):
            assert lines[at].startswith(line.rstrip("\r"))
    assert summary["uri"] == "file:///original"
    assert Shaper(max_tokens=BUDGET).summarize_text(text, uri="file:///original").text == shaped.text
    return summary


def test_a_log(log: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    name, text = log
    summary = summarized(text)
    assert summary["kind"] == "log"
    assert summary["errors"]["shown"] == summary["errors"]["distinct"]
    shown = "\n".join(entry["text"] for entry in summary["lines"])
    errors = {line for line in text.split("\n") if ERROR.search(line)}
    assert errors or name.startswith("tornado")
    kept = sum(line[:400] in shown for line in errors)
    reply(capsys, name, text, summary, f"{kept} of {len(errors)} lines of errors")
    assert kept == len(errors)


@pytest.mark.parametrize("package", DOCUMENTS)
def test_a_document(package: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = metadata.metadata(package)["Description"] or metadata.metadata(package).get_payload()
    summary = summarized(text)
    assert summary["kind"] == "document"
    headings = summary["headings"]
    assert headings["shown"] > 20 or headings["shown"] == headings["total"]
    reply(capsys, package, text, summary, f"{headings['shown']} of {headings['total']} headings")


def reply(capsys: pytest.CaptureFixture[str], name: str, text: str, summary: dict[str, Any], what: str) -> None:
    after = count_tokens(json.dumps(summary, ensure_ascii=False, separators=(",", ":")))
    with capsys.disabled():
        print(f"\nsummarized {name}: {count_tokens(text)} to {after} tokens, {what}")
