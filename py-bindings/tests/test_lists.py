"""Lists over a real database that changes between pages, and a caller that follows the notes."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from toolshape import Shaper, ToolshapeError
from toolshape.types import LinkMapping

LIMIT = 7

#: The keys of a listing, how SQLite sorts by them, and which rows come after some values, nulls and all.
LISTINGS: list[tuple[str, list[Any], str, str]] = [
    ("unique id", ["id"], "id", "id > :0"),
    (
        "newest first, then id",
        [{"name": "at", "order": "desc"}, "id"],
        "at DESC, id",
        "(at < :0) OR (:0 IS NOT NULL AND at IS NULL) OR (at IS :0 AND id > :1)",
    ),
    (
        "nulls, numbers and text in one column, then text of any script, then id",
        ["kind", {"name": "title", "order": "desc"}, "id"],
        "kind, title DESC, id",
        "(kind > :0) OR (:0 IS NULL AND kind IS NOT NULL)"
        " OR (kind IS :0 AND title < :1) OR (kind IS :0 AND title IS :1 AND id > :2)",
    ),
]

KINDS = [None, 0, 1, -2.5, 2**53 + 1, "", "a", "B", "é", "日本", '"\\']
TITLES = ["", "a", "B", "é", "👩‍👩‍👧", "日本", 'with "quotes" and \\', "z" * 60]


class Table:
    """A table of rows that come and go at random."""

    def __init__(self, chance: random.Random, rows: int) -> None:
        self.chance = chance
        self.db = sqlite3.connect(":memory:")
        self.db.row_factory = sqlite3.Row
        # No affinity, so that every value stays of its kind.
        self.db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, at, kind, title, body)")
        for _ in range(rows):
            self.insert()

    def insert(self) -> None:
        at = self.chance.choice([None, f"2026-0{self.chance.randint(1, 3)}-01"])
        body = "many words about it " * self.chance.choice([0, 0, 3, 60])
        values = (self.chance.randint(0, 10**6), at, self.chance.choice(KINDS), self.chance.choice(TITLES), body)
        self.db.execute("INSERT OR IGNORE INTO t VALUES (?, ?, ?, ?, ?)", values)

    def ids(self) -> list[int]:
        return [row["id"] for row in self.db.execute("SELECT id FROM t")]

    def change(self) -> set[int]:
        """Inserts and deletes a few rows; gives the ids of those deleted."""
        ids = self.ids()
        gone = set(self.chance.sample(ids, min(len(ids), self.chance.randint(0, 4))))
        self.db.executemany("DELETE FROM t WHERE id = ?", [(id,) for id in gone])
        for _ in range(self.chance.randint(0, 4)):
            self.insert()
        return gone


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize(("keys", "order", "where"), [one[1:] for one in LISTINGS], ids=[one[0] for one in LISTINGS])
def test_every_row_that_was_there_throughout_comes_once(keys: list[Any], order: str, where: str, seed: int) -> None:
    chance = random.Random(seed)
    table = Table(chance, chance.randint(0, 90))
    shaper = Shaper(max_tokens=chance.choice([250, 600, 2000]), cursor_key="a secret of sixteen bytes and more")
    throughout = set(table.ids())
    first_order = [row["id"] for row in table.db.execute(f"SELECT id FROM t ORDER BY {order}")]
    seen: list[int] = []
    cursor: str | None = None
    while True:
        call: dict[str, Any] = {"tool": "list", "arguments": {"cursor": cursor}}
        after = shaper.decode_keyset(cursor, **call)
        condition = f"WHERE {where}" if after else ""
        query = f"SELECT * FROM t {condition} ORDER BY {order} LIMIT {LIMIT + 1}"
        rows = [dict(row) for row in table.db.execute(query, {str(i): value for i, value in enumerate(after or [])})]
        page = shaper.keyset_page(rows, keys=keys, limit=LIMIT, **call).value
        shown = page if isinstance(page, list) else page["items"]
        assert len(shown) <= LIMIT
        seen += [row["id"] for row in shown]
        cursor = None if isinstance(page, list) else page["nextCursor"]
        if cursor is None:
            break
        throughout -= table.change()
    assert len(set(seen)) == len(seen)
    assert throughout <= set(seen)
    kept = [id for id in seen if id in throughout]
    assert kept == [id for id in first_order if id in throughout]


def test_values_travel_exactly() -> None:
    shaper = Shaper()
    values = [None, True, -3, 0.1, 2**70, 1e300, Decimal("1.000000000000000000000000000001"), 'é"\\\n日本👩‍👩‍👧']
    rows = [{f"k{at}": value for at, value in enumerate(values)}, {f"k{at}": None for at in range(len(values))}]
    keys: list[Any] = [
        {"name": f"k{at}", "nulls": "last" if value is not None else "first"} for at, value in enumerate(values)
    ]
    page = shaper.keyset_page(rows, keys=keys, limit=1, tool="t").value
    after = shaper.decode_keyset(page["nextCursor"], tool="t")
    assert after == values
    assert [type(value) for value in after or []] == [type(value) for value in values]


def test_cursors_expire_by_the_clock_or_by_what_the_call_says() -> None:
    shaper = Shaper(cursor_ttl=60)
    page = shaper.keyset_page([{"id": 1}, {"id": 2}], keys=["id"], limit=1, tool="t").value
    assert shaper.decode_keyset(page["nextCursor"], tool="t") == [1]
    page = shaper.keyset_page([{"id": 1}, {"id": 2}], keys=["id"], limit=1, tool="t", now=1000).value
    assert shaper.decode_keyset(page["nextCursor"], tool="t", now=1059.9) == [1]
    with pytest.raises(ToolshapeError, match="it has expired") as raised:
        shaper.decode_keyset(page["nextCursor"], tool="t", now=1060)
    assert raised.value.code == "INVALID_CURSOR"


@pytest.mark.parametrize(
    ("cursor", "reason"),
    [
        ("x" * 1_000_000, "longer than any cursor"),
        ("", "empty"),
        ("%%%", "malformed"),
        ("AAAA", "another version"),
        ("\ud83d", "malformed"),
        ("../../etc/passwd", "malformed"),
    ],
)
def test_hostile_cursors(cursor: str, reason: str) -> None:
    shaper = Shaper()
    with pytest.raises(ToolshapeError, match=reason) as raised:
        shaper.decode_keyset(cursor, tool="t")
    refusal = shaper.refusal(raised.value, tool="t")
    assert refusal is not None and refusal.is_error
    assert refusal.value["error"] == "INVALID_CURSOR" and reason in refusal.value["message"]
    assert shaper.decode_keyset(None, tool="t") is None


def test_what_is_no_fault_of_the_caller_is_not_refused() -> None:
    shaper = Shaper()
    assert shaper.refusal(ValueError("x")) is None
    with pytest.raises(ToolshapeError) as raised:
        shaper.keyset_page([{"id": 2}, {"id": 1}], keys=["id"])
    assert raised.value.path == "/rows/1/id"
    assert shaper.refusal(raised.value) is None
    with pytest.raises(ToolshapeError) as raised:
        shaper.page_size(page_size=1001)
    assert shaper.refusal(raised.value) is not None
    assert shaper.page_size(arguments={"pageSize": 3}) == 3


def as_told(shaper: Shaper, list_rows: Callable[..., Any]) -> tuple[int, list[int]]:
    """Follows ``suggest`` and ``nextCursor`` to the end; gives the calls made and the ids seen."""
    arguments: dict[str, Any] = {}
    calls, seen = 0, []
    while True:
        calls += 1
        page = list_rows(arguments)
        if "suggest" in page:
            assert calls == 1
            arguments |= page["suggest"]
            continue
        seen += [row["id"] for row in page["items"]]
        if page["nextCursor"] is None:
            return calls, seen
        arguments["cursor"] = page["nextCursor"]


@pytest.mark.parametrize(("max_tokens", "most"), [(200, 1250), (1000, 500), (2000, 500)])
@pytest.mark.parametrize("overflow", ["shape", "error"])
def test_a_caller_that_does_as_told_reaches_the_last_of_ten_thousand_rows(
    max_tokens: int, most: int, overflow: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"id": id, "name": f"row number {id}"} for id in range(10_000)]
    shaper = Shaper(max_tokens=max_tokens, overflow=overflow)
    calls, seen = as_told(shaper, lambda arguments: shaper.shape(rows, tool="t", arguments=arguments).value)
    assert seen == list(range(10_000))
    assert calls <= most
    with capsys.disabled():
        print(f"\n10,000 rows in {max_tokens} tokens, {overflow}: {calls} calls")


def test_links_are_mcp_content() -> None:
    rows = [{"slug": f"crème/{at}", "title": f"Number {at}", "size": at, "body": "x" * 5000} for at in range(60)]
    mapping: LinkMapping = {
        "uri": "article:///{slug}",
        "name": "{slug}",
        "title": "{title}",
        "mime_type": "text/plain",
        "size": "{size}",
    }
    shaped = Shaper().links(rows, mapping, tool="t")
    about, *links = shaped.value
    facts = json.loads(about["text"])
    assert (facts["totalItems"], facts["hasMore"], len(links)) == (60, True, 20)
    assert links[0] == {
        "type": "resource_link",
        "uri": "article:///cr%C3%A8me%2F0",
        "name": "crème/0",
        "title": "Number 0",
        "mimeType": "text/plain",
        "size": 0,
    }
    assert shaped.tokens < 1000
    last = Shaper().links(rows, mapping, tool="t", page=3).value
    assert json.loads(last[0]["text"])["hasMore"] is False
