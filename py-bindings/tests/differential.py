"""Calls on standard input, an outcome a line on standard output, for ``js-tests/differential/run.mjs``."""

from __future__ import annotations

import json
import math
import re
import sys
from typing import Any

from toolshape import Shaper, ToolshapeError, expand


def snake(options: dict[str, Any]) -> dict[str, Any]:
    return {re.sub("[A-Z]", lambda upper: "_" + upper[0].lower(), name): value for name, value in options.items()}


def held(number: str) -> float | str:
    """A number that no double holds is a string in values."""
    return float(number) if math.isfinite(float(number)) else number


def outcome(kind: str, text: str, policy: dict[str, Any], call: dict[str, Any]) -> dict[str, Any]:
    try:
        shaper = Shaper(**snake(policy))
        if kind == "result":
            whole = shaper.shape_result(json.loads(text), **snake(call))
            steps = whole.receipt["steps"] if whole.receipt else None
            return {"result": whole.result, "unchanged": whole.unchanged, "isError": whole.is_error, "steps": steps}
        shaped = shaper.shape_json(text, **snake(call)) if kind == "json" else shaper.shape(text, **snake(call))
        return {
            "text": shaped.text,
            "unchanged": shaped.unchanged,
            "isError": shaped.is_error,
            **{name: shaped.receipt[name] for name in ("steps", "budget", "encoding")},
            "kept": shaped.keep.key if shaped.keep else None,
            "value": shaped.unchanged or shaped.value == json.loads(expand(shaped.text), parse_float=held),
        }
    except ToolshapeError as error:
        return {"error": error.code, "path": error.path}


for line in sys.stdin:
    given = json.loads(line)
    print(json.dumps(outcome(given["kind"], given["input"], given["policy"], given["call"])), flush=True)
