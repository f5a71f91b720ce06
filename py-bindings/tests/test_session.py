"""Sessions as ``vectors/shared/session.json`` expects in every language."""

from __future__ import annotations

import json
from typing import Any

import pytest
from toolshape import Shaper, ToolshapeError
from toolshape import _toolshape as core

from vectors import FOLDER

FILE = json.loads((FOLDER / "shared/session.json").read_text("utf-8"))
SHAPER = Shaper(max_tokens=FILE["policy"]["maxTokens"])


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in FILE["cases"]])
def test_session(case: dict[str, Any]) -> None:
    slots: dict[int, str] = {}
    turn: dict[str, Any] = {}
    for step in case["steps"]:
        slots |= {int(at): text for at, text in step.get("put", {}).items()}
        members = {**case["members"], **{name: step[name] for name in ("heard", "shaped", "whole") if name in step}}
        texts = {}
        if turn:
            reads = {*turn["reads"], *(at for whole in step.get("whole", ()) for at, _ in whole["contents"])}
            given = sorted(at for at in reads if at in slots)
            members |= {
                "state": turn["state"],
                "slots": max([turn["slots"], *(at + 1 for at in slots)]),
                "given": given,
            }
            texts = {"texts": [slots[at] for at in given]}
        try:
            turn = core.call(case["method"], SHAPER, texts=texts, **members)
        except ToolshapeError as error:
            assert {"error": error.code} == step["expect"]
            continue
        slots |= dict(turn.get("texts", ()))
        assert seen(turn) == step["expect"]


def seen(turn: dict[str, Any]) -> dict[str, Any]:
    if "done" in turn:
        done = json.loads(getattr(turn["done"], "text", turn["done"]))
        return {"done": done.get("error", done) if isinstance(done, dict) else done}
    texts = [list(text) for text in turn["texts"]]
    named = {**turn, "texts": texts}
    return {name: value for name, value in named.items() if value and name not in ("state", "slots", "isLong")}
