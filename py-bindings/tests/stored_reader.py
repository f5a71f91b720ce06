"""A caller of ``read_result`` that knows nothing but what the answers show, and rebuilds what was stored."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from json.decoder import scanstring
from threading import Lock
from typing import Any

from toolshape import Shaped, Shaper, expand
from toolshape import _toolshape as core

# The keys before those of a summarized object.
HEADER = (
    *("_summarized", "_totalKeys", "_estimatedTokens", "_truncatedKeys", "_nextCursor", "_note", "_page"),
    *("_omittedFields", "_moreElisions", "_elisions"),
)
# The steps that say what a text was read as. The text itself is asked for.
STRUCTURES = {
    "csv",
    "tsv",
    "table",
    "ndjson",
    "json",
    "events",
    "xml",
    "python",
    "yaml",
    "log",
    "trace",
    "markdown",
    "html",
    "base64",
    "terminal",
}
# Numbers stay text.
DECODER = json.JSONDecoder(parse_int=str, parse_float=str)


class Reader:
    """Reads one stored content, JSON or text, under a shaper's policy."""

    def __init__(self, shaper: Shaper, key: str, content: str) -> None:
        self.shaper = shaper
        self.key = key
        self.content = content
        self.lock = Lock()
        self.calls = 0
        self.most_tokens = 0

    def ask(self, **arguments: Any) -> Shaped:
        with self.lock:
            self.calls += 1
        call = {"tool": "read_result", "arguments": {"handle": self.key.split(".")[0], **arguments}}
        texts = {"content": self.content}
        shaped: Shaped = core.call("readResult", self.shaper, texts=texts, key=self.key, call=call)
        assert not shaped.is_error, f"{arguments}: {shaped.text}"
        self.most_tokens = max(self.most_tokens, shaped.tokens)
        return shaped

    def rebuild_text(self) -> str:
        asked: dict[str, Any] = {"format": "text"}
        shaped = self.ask(**asked)
        return shaped.text if shaped.unchanged else json.loads(self._text(asked, shaped))

    def rebuild_json(self, pointer: str = "") -> str:
        """The JSON text of the part at a pointer."""
        asked = {"pointer": pointer} if pointer else {}
        shaped = self.ask(**asked)
        steps = shaped.receipt["steps"]
        if STRUCTURES & set(steps):
            asked["format"] = "text"
            shaped = self.ask(**asked)
            steps = shaped.receipt["steps"]
            if "truncate" not in steps:
                return json.dumps(shaped.text, ensure_ascii=False)
        if "truncate" in steps:
            return self._text(asked, shaped)
        if "paginate" in steps:
            if shaped.text.startswith('{"paginated"'):
                return self._list(pointer, asked, shaped)
            text = expand(shaped.text)
            return self._around(pointer, _own_value(text), _facts(text)["_page"]["pointer"])
        return self._object(pointer, asked, shaped) if "summarize" in steps else shaped.text

    def _text(self, asked: dict[str, Any], shaped: Shaped) -> str:
        """A string, put together from its stretches, as a JSON literal."""
        whole = ""
        while True:
            members = dict(_members(shaped.text))
            whole += members['"preview"'][1:-1]
            cursor = json.loads(members['"nextCursor"'])
            if cursor is None:
                return f'"{whole}"'
            shaped = self.ask(**asked, cursor=cursor)

    def _list(self, pointer: str, asked: dict[str, Any], shaped: Shaped) -> str:
        rows: list[str] = []
        while True:
            members = dict(_members(expand(shaped.text)))
            items = members['"items"']
            # The rows of a map have keys.
            is_map = items.startswith("{")
            if is_map:
                rows += [f"{key}:{self._whole(pointer, key, row)}" for key, row in _members(items)]
            else:
                rows += [self._whole(pointer, str(at), row) for at, row in enumerate(_items(items), len(rows))]
            cursor = json.loads(members['"nextCursor"'])
            if cursor is None:
                assert len(rows) == json.loads(members['"totalItems"'])
                return f"{{{','.join(rows)}}}" if is_map else f"[{','.join(rows)}]"
            shaped = self.ask(**asked, cursor=cursor)

    def _object(self, pointer: str, asked: dict[str, Any], shaped: Shaped) -> str:
        members: list[tuple[str, str]] = []
        while True:
            members += _own_members(shaped.text)
            cursor = _facts(shaped.text).get("_nextCursor")
            if cursor is None:
                break
            shaped = self.ask(**asked, cursor=cursor)
        values = [self._whole(pointer, key, value) for key, value in members] if pointer else self._at_once(members)
        return f"{{{','.join(f'{key}:{value}' for (key, _), value in zip(members, values))}}}"

    def _at_once(self, members: list[tuple[str, str]]) -> list[str]:
        """The values of the outermost object, each whole: thousands of calls, so every processor makes some."""
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(lambda member: self._whole("", *member), members))

    def _around(self, pointer: str, shown: str, paged: str) -> str:
        """An object, or a short list, on the way to a list that is paged in place."""
        parts, is_list = [], shown.startswith("[")
        for key, value in _entries(shown):
            child = _child(pointer, key)
            if child == paged:
                value = self.rebuild_json(child)
            elif paged.startswith(f"{child}/") and not _is_reading(json.loads(value)):
                value = self._around(child, value, paged)
            else:
                value = self._whole(pointer, key, value)
            parts.append(value if is_list else f"{key}:{value}")
        return f"[{','.join(parts)}]" if is_list else f"{{{','.join(parts)}}}"

    def _whole(self, pointer: str, key: str, value: str) -> str:
        """A value of an object or a list, which is asked for if it, or a value in it, is shortened."""
        return self.rebuild_json(_child(pointer, key)) if _is_shortened(json.loads(value)) else value


def _members(text: str) -> Iterator[tuple[str, str]]:
    """The members of a minified object: key literals, and values as they are spelled."""
    at = 1
    while text[at] != "}":
        _, end = scanstring(text, at + 1)
        _, after = DECODER.raw_decode(text, end + 1)
        yield text[at:end], text[end + 1 : after]
        at = after + (text[after] == ",")


def _items(text: str) -> Iterator[str]:
    at = 1
    while text[at] != "]":
        _, after = DECODER.raw_decode(text, at)
        yield text[at:after]
        at = after + (text[after] == ",")


def _facts(text: str) -> dict[str, Any]:
    """What a summarized object says about itself."""
    return {json.loads(key): json.loads(value) for key, value in _members(text) if json.loads(key) in HEADER}


def _own_value(text: str) -> str:
    """What a summary shows of the original: an object, or a short list."""
    members = list(_members(text))
    header = next((at for at, (key, _) in enumerate(members) if json.loads(key) not in HEADER), len(members))
    own = members[header:]
    return own[0][1] if own and own[0][0] == '"_value"' else f"{{{','.join(f'{key}:{value}' for key, value in own)}}}"


def _own_members(text: str) -> list[tuple[str, str]]:
    """The members of a summarized object that are the original's."""
    return _entries(_own_value(text))


def _entries(text: str) -> list[tuple[str, str]]:
    """The members of an object, or the items of a list under their places."""
    is_list = text.startswith("[")
    return [(f'"{at}"', item) for at, item in enumerate(_items(text))] if is_list else list(_members(text))


def _is_reading(value: Any) -> bool:
    """Whether a value is what a string of the original says: its data, or what was made from it."""
    starts = ("… JSON text of ", "… HTML of ", "… log of ")
    return isinstance(value, dict) and next(iter(value), "").startswith(starts)


def _is_shortened(value: Any) -> bool:
    if _is_reading(value):
        return True
    if isinstance(value, dict):
        return any(map(_is_shortened, value.values()))
    if isinstance(value, list):
        return any(map(_is_shortened, value))
    marks = ("[Array(", "{Object: ", "[Number(", "… ")
    return isinstance(value, str) and (value.endswith(("…", " more")) or value.startswith(marks))


def _child(pointer: str, key: str) -> str:
    """The pointer to an entry, whose key has its quotes, or to an item."""
    name = str(json.loads(key))
    return f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
