"""Tickets of contents: their owners, the tools they name, and who is asked before a content is read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from async_store import KEY, ROWS, AsyncStore, kept
from conftest import wait
from toolshape import Archive, Shaper, ToolshapeError


class OwnedStore(AsyncStore):
    """A store that receives the owner of a value."""

    def __init__(self) -> None:
        super().__init__()
        self.owners: set[str | None] = set()

    async def set(self, key: str, value: str, ttl_seconds: float, owner: str | None = None) -> None:
        self.owners.add(owner)
        await super().set(key, value, ttl_seconds)


def test_a_store_that_takes_an_owner_is_told_one_for_each_scope() -> None:
    store = OwnedStore()
    archive = Archive(Shaper(cursor_key=KEY), store)
    for scope in ("a tenant", "another", None):
        kept(archive, scope=scope)
    assert len(store.owners) == 3 and None in store.owners
    assert not any("tenant" in str(owner) for owner in store.owners)


def test_a_ticket_names_all_tools_that_returned_a_content() -> None:
    store = AsyncStore()
    asked: list[str] = []
    archive = Archive(Shaper(max_tokens=1000), store)

    def authorize(tool: str) -> bool:
        asked.append(tool)
        return tool == "two"

    results: Any = [{"value": ROWS, "call": {"tool": tool}} for tool in ("one", "two")]
    first = wait(archive.shape_together(results))[0].value
    wait(archive.shape(ROWS, tool="three"))
    assert [json.loads(ticket)["tools"] for ticket in store.tickets.values()] == [["one", "two", "three"]]
    # One that is allowed suffices; a tool that never returned it gets nothing by a forged cursor.
    assert not wait(archive.read_result({"handle": first["uri"]}, authorize=authorize)).is_error
    assert asked == ["one", "two"]
    assert wait(archive.snapshot(tool="two", cursor=first["nextCursor"])) is None
    stolen = wait(Archive(Shaper(max_tokens=1000), AsyncStore()).shape(ROWS, tool="free")).value["nextCursor"]
    assert wait(archive.snapshot(tool="free", cursor=stolen)) is None
    assert wait(archive.snapshot(tool="one", cursor=first["nextCursor"])).value["source"] == "snapshot"


def test_who_may_not_read_gets_nothing_of_the_content() -> None:
    class Content(AsyncStore):
        async def get(self, key: str) -> str | None:
            assert key.endswith(".handle"), "the content was read"
            return await super().get(key)

    store = Content()
    errors: list[Exception] = []
    archive = Archive(Shaper(max_tokens=1000), store, on_store_error=errors.append)
    first = wait(archive.shape(ROWS, tool="list")).value
    (name,) = store.kept

    async def away(tool: str) -> bool:
        raise ConnectionError("the directory is away")

    refusing: list[Any] = [lambda tool: False, lambda tool: None, away]
    for authorize in refusing:
        for handle in (first["uri"], name, name.split(".")[0]):
            shaped = wait(archive.read_result({"handle": handle}, authorize=authorize))
            assert shaped.is_error and shaped.value["error"] == "FORBIDDEN"
        page = wait(archive.snapshot(tool="list", cursor=first["nextCursor"], authorize=authorize))
        assert page.is_error and page.value["error"] == "FORBIDDEN"
        result = wait(archive.snapshot_result(tool="list", cursor=first["nextCursor"], authorize=authorize))
        assert result.is_error and result.result["isError"] is True
        assert wait(archive.to_summarize({"handle": name}, authorize=authorize)).value["error"] == "FORBIDDEN"
        with pytest.raises(ToolshapeError) as raised:
            wait(archive.resource(first["uri"], authorize=authorize))
        assert raised.value.code == "FORBIDDEN"
    assert len(errors) == 7 and all(isinstance(error, ConnectionError) for error in errors)
