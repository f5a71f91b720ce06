"""What an interactive session sees: signatures, docstrings and reprs; and what copies and pickles contain."""

from __future__ import annotations

import ast
import copy
import inspect
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import toolshape
from toolshape import Shaper, ToolshapeError, _toolshape

STUBS = Path(toolshape.__file__).parent / "_toolshape.pyi"
SECRET = "a secret of sixteen bytes"
ROWS = [{"id": at, "text": "word " * 20} for at in range(300)]


def documented() -> Iterator[tuple[str, str]]:
    """Each docstring of the stubs, by the name of what has it."""
    for node in ast.parse(STUBS.read_text("utf-8")).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            yield node.name, str(ast.get_docstring(node))
        for member in node.body if isinstance(node, ast.ClassDef) else []:
            if isinstance(member, ast.FunctionDef) and ast.get_docstring(member):
                yield f"{node.name}.{member.name}", str(ast.get_docstring(member))


@pytest.mark.parametrize(("name", "doc"), list(documented()))
def test_the_docstring_is_that_of_the_stubs(name: str, doc: str) -> None:
    found: Any = _toolshape
    for part in name.split("."):
        found = getattr(found, part)
    assert inspect.getdoc(found) == doc


def test_help_names_every_option() -> None:
    options = inspect.signature(Shaper).parameters
    assert options["max_tokens"].default == 2000 and options["tools"].default is None
    assert {"cursor_key", "combined_tokens", "default"} <= set(options)
    assert {"tool", "arguments", "page", "fields"} <= set(inspect.signature(Shaper.shape).parameters)


def test_a_repr_names_the_policy_and_no_secret() -> None:
    shaper = Shaper(max_tokens=300, cursor_key=[SECRET, b"\xff" * 16], tools={"a": {"cursor_key": SECRET}, "b": False})
    assert repr(shaper) == (
        "toolshape.Shaper(max_tokens=300, cursor_key=..., tools={'a': {'cursor_key': ...}, 'b': False})"
    )
    assert repr(Shaper()) == "toolshape.Shaper()"
    assert repr(Shaper(default=str)) == "toolshape.Shaper(default=<class 'str'>)"


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_shaper_is_pickled_with_its_policy(protocol: int) -> None:
    shaper = Shaper(max_tokens=300, margin=0.1, cursor_key=b"\xff" * 16, tools={"raw": False}, default=repr)
    again = pickle.loads(pickle.dumps(shaper, protocol))
    assert repr(again) == repr(shaper)
    cursor = shaper.shape(ROWS).value["nextCursor"]
    assert again.shape(ROWS, cursor=cursor).text == shaper.shape(ROWS, cursor=cursor).text
    assert again.shape([1j]).text == '["1j"]'


def test_a_copy_of_a_shaper_is_itself() -> None:
    shaper = Shaper()
    assert copy.copy(shaper) is shaper and copy.deepcopy({"a": shaper})["a"] is shaper


def test_an_error_is_pickled_and_copied() -> None:
    with pytest.raises(ToolshapeError) as raised:
        Shaper(max_tokens=1)
    error = raised.value
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert (str(again), again.code, again.path) == (str(error), "INVALID_POLICY", "/max_tokens")
    assert repr(error).startswith("ToolshapeError(") and "INVALID_POLICY" in repr(error)


@pytest.mark.parametrize("secret", [SECRET, "größe " * 4])
def test_a_key_of_bytes_is_the_key_of_their_text(secret: str) -> None:
    by_text, by_bytes = Shaper(cursor_key=secret), Shaper(cursor_key=secret.encode())
    assert by_text.shape(ROWS).value["nextCursor"] == by_bytes.shape(ROWS).value["nextCursor"]
    assert by_bytes.shape(ROWS).text != Shaper(cursor_key="another " * 3).shape(ROWS).text
    assert Shaper(cursor_key=bytearray(secret.encode())).shape(ROWS).text == by_text.shape(ROWS).text  # type: ignore[arg-type]


def test_a_key_of_any_bytes() -> None:
    new, old = bytes(range(200, 232)), b"\xff" * 16
    cursor = Shaper(cursor_key=old).shape(ROWS).value["nextCursor"]
    assert not Shaper(cursor_key=[new, old]).shape(ROWS, cursor=cursor).is_error
    assert Shaper(cursor_key=[new]).shape(ROWS, cursor=cursor).is_error
    with pytest.raises(ToolshapeError, match="cursor_key takes a secret of at least 16 bytes") as raised:
        Shaper(cursor_key=b"\xff" * 15)
    assert "/w" not in str(raised.value)


def test_json_is_text_or_its_utf_8() -> None:
    text = '[{"größe": 1.0}]'
    for given in (text, text.encode(), bytearray(text.encode()), memoryview(text.encode())):
        assert Shaper().shape_json(given).text == '[{"größe": 1.0}]'
        assert Shaper().shape_together([{"json": given}])[0].value == [{"größe": 1.0}]
    for wrong in (b"\xff[]", bytearray(b"\xff"), memoryview(b"\xff")):
        with pytest.raises(ToolshapeError, match="text must be valid UTF-8") as raised:
            Shaper().shape_json(wrong)
        assert raised.value.code == "INVALID_JSON"
    with pytest.raises(ToolshapeError, match="text is 5; it takes JSON as str or bytes in UTF-8; shape takes values"):
        Shaper().shape_json(5)  # type: ignore[arg-type]
