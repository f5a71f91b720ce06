"""The shared cases: behaviour that every language has to show. Read here, written by Rust alone."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

FOLDER = Path(os.environ.get("VECTORS_DIR") or Path(__file__).parents[2] / "vectors")


Case = dict[str, Any]


def put_in(text: str) -> str:
    """The text of a file with the sentences that its expectations name."""
    sentences = json.loads((FOLDER / "shared/sentences.json").read_text("utf-8"))["sentences"]

    def sentence(found: re.Match[str]) -> str:
        fillings = iter(found[2].split("|")[1:])
        return re.sub(r"\{[nwqv]\}", lambda _: next(fillings), sentences[found[1]])

    return re.sub("⟦([^⟧|]*)([^⟧]*)⟧", sentence, text)


def cases_of(file: str) -> list[Case]:
    """The cases of one file."""
    cases: list[Case] = json.loads(put_in((FOLDER / f"{file}.json").read_text("utf-8")))["cases"]
    return cases


def spelled_out(source: str | dict[str, Any]) -> str:
    """The input of a case: as it is, or repeated as the case says."""
    if isinstance(source, str):
        return source
    repeat = source["repeat"]
    prefix, item, separator, suffix = (repeat.get(part, "") for part in ("prefix", "item", "separator", "suffix"))
    items = (item.replace("${i}", str(i)) for i in range(repeat["times"]))
    return f"{prefix}{separator.join(items)}{suffix}"


def snake(name: str) -> str:
    """A name as Python spells it."""
    return re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name)


def camel(name: str) -> str:
    """A name as JSON spells it."""
    return re.sub("_([a-z])", lambda letter: letter[1].upper(), name)


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
    """A call as keyword arguments; the keys of ``arguments`` keep their names."""
    return {snake(name): value for name, value in call.items()}


def pointer(path: str) -> str:
    """A JSON Pointer into options as Python spells them; names of tools stay as they are."""
    tokens = path.split("/")
    return "/".join(token if before == "tools" else snake(token) for before, token in zip(["", *tokens], tokens))
