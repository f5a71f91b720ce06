"""The shared cases: behaviour that every language has to show. Read here, written by Rust alone."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

FOLDER = Path(os.environ.get("VECTORS_DIR") or Path(__file__).parents[2] / "vectors")


def load(*, but: tuple[str, ...] = (), only: str | None = None) -> list[tuple[str, dict[str, Any]]]:
    """The cases of all files but some, or of one, each with its name; it is an error if there are none."""
    files = sorted(FOLDER.glob(f"{only or '*'}.json"))
    cases = [
        (f"{file.stem}: {case['name']}", case)
        for file in files
        if file.stem not in but
        for case in json.loads(file.read_text("utf-8"))["cases"]
    ]
    if not cases:
        raise LookupError(f"no vectors in {FOLDER}")
    return cases


def spelled_out(source: str | dict[str, Any]) -> str:
    """The input of a case: as it stands, or repeated as the case says."""
    if isinstance(source, str):
        return source
    repeat = source["repeat"]
    prefix, item, separator, suffix = (repeat.get(part, "") for part in ("prefix", "item", "separator", "suffix"))
    items = (item.replace("${i}", str(i)) for i in range(repeat["times"]))
    return f"{prefix}{separator.join(items)}{suffix}"


def snake(name: str) -> str:
    """A name as Python spells it."""
    return re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name)


def options(policy: Any) -> dict[str, Any]:
    """A policy as keyword arguments."""
    options = {snake(name): value for name, value in policy.items()}
    tools = options.get("tools")
    if isinstance(tools, dict):
        options["tools"] = {
            tool: {snake(name): value for name, value in own.items()} if isinstance(own, dict) else own
            for tool, own in tools.items()
        }
    return options


def keywords(call: Any) -> dict[str, Any]:
    """A call as keyword arguments; what stands in ``arguments`` keeps its names."""
    return {snake(name): value for name, value in call.items()}


def pointer(path: str) -> str:
    """A JSON Pointer into options as Python spells them; names of tools stay as they are."""
    tokens = path.split("/")
    return "/".join(token if before == "tools" else snake(token) for before, token in zip(["", *tokens], tokens))
