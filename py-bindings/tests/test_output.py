"""Series and grids from Python's own values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from toolshape import Shaper, ToolshapeError


def test_what_is_no_number_in_json_is_a_null() -> None:
    rows = [{"v": value} for value in (math.nan, math.inf, -math.inf, None, 3.5)]
    value = Shaper(series={"value": "v"}).shape(rows).value
    extreme = {"index": 4, "value": 3.5}
    assert value["aggregates"] == {
        "count": 1,
        "nulls": 4,
        "min": extreme,
        "max": extreme,
        "mean": 3.5,
        "first": None,
        "last": 3.5,
    }
    assert value["entries"] == [{"v": None}] * 4 + [{"v": 3.5}]


def test_every_kind_of_number_and_of_row_is_read_as_json_shows_it() -> None:
    @dataclass
    class Price:
        v: float

    class Own(dict[str, Any]):
        pass

    rows = [
        Price(1.25),
        {"v": Decimal("0.10")},
        {"v": 2**64},
        {"v": "1e1"},
        Own(v=3),
        {"v": True},
        {"v": 10**400},
        ("v",),
    ]
    shaper = Shaper(series={"value": "v"})
    shaped = shaper.shape(rows)
    assert shaped.text.index(
        '"count":5,"nulls":3,"min":{"index":1,"value":0.10},"max":{"index":2,"value":18446744073709551616}'
    )
    again = (
        '[{"v":1.25},{"v":0.10},{"v":18446744073709551616},{"v":"1e1"},{"v":3},{"v":true},{"v":1'
        + "0" * 400
        + '},["v"]]'
    )
    assert shaped.text == shaper.shape_json(again).text


def test_a_sequence_that_is_read_once_is_a_series_too() -> None:
    value = Shaper(series={}, max_tokens=400).shape(float(i) for i in range(3000)).value
    assert (value["kind"], value["totalItems"], value["aggregates"]["mean"]) == ("series", 3000, 1499.5)


def test_one_field_of_each_row_is_read() -> None:
    read: list[int] = []

    class Counted(dict[str, Any]):
        def items(self) -> Any:
            read.append(1)
            return super().items()

    rows = [{"t": i, "v": float(i), "more": Counted(x=1)} for i in range(10_000)]
    assert Shaper(series={"value": "v", "at": "t"}).shape(rows).value["returned"] == 12
    assert len(read) < 1000


def test_names_of_wrong_options_are_pythons() -> None:
    with pytest.raises(ToolshapeError) as raised:
        Shaper(tools={"sweep": {"grid": {"goal": "most"}}})  # type: ignore[typeddict-item]
    assert raised.value.path == "/tools/sweep/grid/goal"
