"""Types of other libraries, and of the standard library where `json` does not write them: each row of docs/values.md."""

from __future__ import annotations

import array
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import ipaddress
import json
import pathlib
import sqlite3
import sys
import typing
import uuid
import zoneinfo
from typing import Any

import attrs
import msgspec
import numpy as np
import pandas as pd
import polars as pl
import pydantic
import pytest
import sqlalchemy
from toolshape import Shaper, ToolshapeError

SHAPER = Shaper(max_tokens=1_000_000)
NOON = datetime.datetime(2024, 1, 2, 12)


class Named(typing.NamedTuple):
    x: int
    y: Any


class Level(enum.Enum):
    HIGH = "high"


@attrs.define
class Point:
    x: int
    _hidden: Any = None


@attrs.define
class Deep(Point):
    z: list[Point] = attrs.Factory(list)


class Event(msgspec.Struct, tag="event", rename="camel"):
    user_name: str
    left_at: datetime.datetime | None | msgspec.UnsetType = msgspec.UNSET


class Mapped:
    """What ``dict`` takes, and is not a mapping."""

    def keys(self) -> Any:
        return ["a", "b"]

    def __getitem__(self, key: str) -> str:
        return key * 2


def sqlite_rows() -> Any:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    return connection.execute("SELECT 1 AS id, 'a' AS name, 2 AS name").fetchall()


def sqlalchemy_rows() -> Any:
    with sqlalchemy.create_engine("sqlite://").connect() as connection:
        return connection.execute(sqlalchemy.text("SELECT 1 AS id, 'a' AS name")).fetchall()


class Keys:
    def __init__(self, *names: str) -> None:
        self.names = names


LEVELS = [{"id": 1, "mean_min": 0.5, "mean_max": 0.5}, {"id": 2, "mean_min": None, "mean_max": None}]
FRAME = pd.DataFrame({"id": [1, 2], "mean": [0.5, None], "at": [NOON, pd.NaT], "kind": pd.Categorical(["a", None])})
WRITTEN: list[tuple[str, Any, Any]] = [
    ("paths", [pathlib.PurePosixPath("/a/b"), pathlib.PureWindowsPath("c:\\d")], ["/a/b", "c:\\d"]),
    ("addresses", [ipaddress.ip_address("10.0.0.1"), ipaddress.ip_address("::1")], ["10.0.0.1", "::1"]),
    ("networks", [ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_interface("::1/64")], ["10.0.0.0/8", "::1/64"]),
    ("user string", [collections.UserString("a"), {"b": collections.UserString("c")}], ["a", {"b": "c"}]),
    ("user list and dict", [collections.UserList([1]), collections.UserDict(a=1)], [[1], {"a": 1}]),
    ("zone", zoneinfo.ZoneInfo("Europe/Berlin"), "Europe/Berlin"),
    ("url", pydantic.TypeAdapter(pydantic.HttpUrl).validate_python("https://a.example/b"), "https://a.example/b"),
    (
        "named tuples",
        [Named(1, Named("a", None)), Named(2, [])],
        [{"x": 1, "y": {"x": "a", "y": None}}, {"x": 2, "y": []}],
    ),
    ("rows of sqlite", sqlite_rows(), '[{"id":1,"name":"a","name":2}]'),
    ("rows of SQLAlchemy", sqlalchemy_rows(), [{"id": 1, "name": "a"}]),
    ("what dict takes", Mapped(), {"a": "aa", "b": "bb"}),
    ("attrs", Deep(1, 2, [Point(3)]), {"x": 1, "_hidden": 2, "z": [{"x": 3, "_hidden": None}]}),
    (
        "msgspec",
        [Event("a"), Event("b", None)],
        [{"type": "event", "userName": "a"}, {"type": "event", "userName": "b", "leftAt": None}],
    ),
    ("array", array.array("i", [1, 2]), [1, 2]),
    (
        "numpy",
        [np.arange(4).reshape(2, 2), np.float32(0.5), np.int64(7), np.bool_(True)],
        [[[0, 1], [2, 3]], 0.5, 7, True],
    ),
    (
        "named array",
        np.array([(1, "a"), (2, "b")], [("id", int), ("name", "U1")]),
        [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}],
    ),
    ("times of numpy", np.array(["2024-01-02", "NaT"], "M8[ns]"), ["2024-01-02T00:00:00.000000000", None]),
    ("durations of numpy", np.array([90 * 10**9, "NaT"], "m8[ns]"), ["PT1M30S", None]),
    ("a duration without a length", np.timedelta64(3, "Y"), "3 years"),
    (
        "DataFrame",
        FRAME,
        '[{"id":1,"mean":0.5,"at":"2024-01-02T12:00:00","kind":"a"},{"id":2,"mean":null,"at":null,"kind":null}]',
    ),
    (
        "DataFrame with an index",
        FRAME[["id"]].set_index(pd.Index(["a", "b"], name="key")),
        [{"key": "a", "id": 1}, {"key": "b", "id": 2}],
    ),
    ("DataFrame without some rows", FRAME[["id"]][1:], [{"id": 2}]),
    ("DataFrame of levels", FRAME.groupby("id").agg({"mean": ["min", "max"]}), LEVELS),
    ("DataFrame with two columns of a name", pd.DataFrame([[1, 2]], columns=["a", "a"]), '[{"a":1,"a":2}]'),
    ("Series", [pd.Series([1, 2]), pd.Series([1, 2], index=["a", "b"])], [[1, 2], {"a": 1, "b": 2}]),
    ("Index, NA, NaT", [pd.Index(["a"]), pd.NA, pd.NaT], [["a"], None, None]),
    (
        "Timestamp and Timedelta",
        [pd.Timestamp("2024-01-02", tz="UTC"), pd.Timedelta("1ns")],
        ["2024-01-02T00:00:00+00:00", "PT0.000000001S"],
    ),
    ("Interval and Period", [pd.Interval(0, 1), pd.Period("2024-01", "M")], ["(0, 1]", "2024-01"]),
    ("polars", [pl.DataFrame({"a": [1, None]}), pl.Series([NOON])], [[{"a": 1}, {"a": None}], ["2024-01-02T12:00:00"]]),
    (
        "keys",
        {
            np.int64(1): 1,
            np.float64(0.5): 1,
            np.str_("a"): 1,
            NOON.date(): 1,
            uuid.UUID(int=0): 1,
            Level.HIGH: 1,
            pd.NaT: 1,
        }
        | {decimal.Decimal("1.10"): 1, ipaddress.ip_address("::1"): 1, datetime.timedelta(1): 1},
        Keys("1", "0.5", "a", "2024-01-02", str(uuid.UUID(int=0)), "high", "null", "1.10", "::1", "P1D"),
    ),
]


@pytest.mark.parametrize(("value", "wanted"), [row[1:] for row in WRITTEN], ids=[row[0] for row in WRITTEN])
def test_written(value: Any, wanted: Any) -> None:
    text = SHAPER.shape(value).text
    if isinstance(wanted, Keys):
        assert text == json.dumps(dict.fromkeys(wanted.names, 1), separators=(",", ":"))
    elif isinstance(wanted, str) and wanted.startswith("[{"):
        assert text == wanted
    else:
        assert json.loads(SHAPER.shape([value]).text) == [wanted]


@pytest.mark.parametrize(
    "delta",
    [
        datetime.timedelta(0),
        datetime.timedelta(days=1, hours=2),
        datetime.timedelta(seconds=90.5),
        datetime.timedelta(microseconds=1),
        datetime.timedelta(days=-1, hours=1),
        datetime.timedelta(days=-1),
        datetime.timedelta(days=364, hours=23, minutes=59, seconds=59, microseconds=999_999),
        datetime.timedelta(minutes=10),
        datetime.timedelta(hours=1, seconds=10),
    ],
    ids=str,
)
def test_durations_are_those_of_pydantic(delta: datetime.timedelta) -> None:
    assert SHAPER.shape([delta]).text == f"[{pydantic.TypeAdapter(datetime.timedelta).dump_json(delta).decode()}]"


def test_long_durations_are_days() -> None:
    longest = [datetime.timedelta(420), datetime.timedelta.max, datetime.timedelta.min]
    assert SHAPER.shape(longest).text == '["P420D","P999999999DT23H59M59.999999S","-P999999999D"]'


def test_a_page_of_a_table_reads_its_rows_alone() -> None:
    reads: list[int] = []

    class Watched(pd.api.extensions.ExtensionArray):
        dtype = np.arange(1).dtype

        def __len__(self) -> int:
            return 100_000

        def __getitem__(self, at: Any) -> Any:
            reads.append(at)
            return np.int64(at)

    from toolshape._tables import Row, Rows

    values = Watched()
    rows = Rows(len(values), lambda at: Row(["id", "text"], [values[at], "x" * 50]))
    shaped = Shaper().shape(rows, page=3)
    assert shaped.value["totalItems"] == 100_000
    size = shaped.value["pageSize"]
    assert [row["id"] for row in shaped.value["items"]] == list(range(2 * size, 3 * size))
    assert len(reads) < 1000
    frame = pd.DataFrame({"id": range(100_000), "text": ["x" * 50] * 100_000})
    assert Shaper().shape(frame, page=3).value["items"] == shaped.value["items"]


def test_a_table_that_fits_passes() -> None:
    assert SHAPER.shape(FRAME).value is FRAME


def test_the_digits_of_any_integer() -> None:
    for number in (10**4300, 10**5000, -(10**4999) - 7, 3**40_000, 2**70_000 - 1):
        text = SHAPER.shape([number, {number: 0}]).text
        sys.set_int_max_str_digits(0)
        try:
            assert text == f'[{number},{{"{number}":0}}]'
        finally:
            sys.set_int_max_str_digits(4300)


class Money:
    def __init__(self, cents: int) -> None:
        self.cents = cents


def test_a_default_converts_what_has_no_form() -> None:
    def default(value: object) -> object:
        if isinstance(value, Money):
            return {"cents": value.cents, "of": [fractions.Fraction(1, 3)]}
        if isinstance(value, fractions.Fraction):
            return str(value)
        raise TypeError(f"no {type(value).__name__}")

    shaper = Shaper(default=default)
    assert shaper.shape({"a": Money(5)}).text == '{"a":{"cents":5,"of":["1/3"]}}'
    assert shaper.shape([NOON, {1, 2}]).text == '["2024-01-02T12:00:00",[1,2]]'
    with pytest.raises(ToolshapeError, match=r"reading the value raised TypeError: no complex \(at /0\)") as raised:
        shaper.shape([1j])
    assert raised.value.code == "UNSUPPORTED_VALUE" and isinstance(raised.value.__cause__, TypeError)
    with pytest.raises(ToolshapeError, match="again and again"):
        Shaper(default=lambda value: value).shape([1j])
    with pytest.raises(ToolshapeError, match="default is 5; it takes a function") as raised:
        Shaper(default=5)  # type: ignore[arg-type]
    assert (raised.value.code, raised.value.path) == ("INVALID_POLICY", "/default")
    result = shaper.shape_result([Money(1)] * 3)
    assert json.loads(result.result["content"][0]["text"])[0]["cents"] == 1


class Block(pydantic.BaseModel):
    type: str = "text"
    text: str
    annotations: dict[str, Any] | None = None


class Returned(pydantic.BaseModel):
    content: list[Block]
    structured_content: dict[str, Any] | None = pydantic.Field(default=None, alias="structuredContent")
    is_error: bool = pydantic.Field(default=False, alias="isError")


@dataclasses.dataclass
class Plain:
    content: list[dict[str, str]]


def test_a_result_of_a_class_is_a_result() -> None:
    shaper = Shaper(max_tokens=200, receipt="meta")
    rows = json.dumps([{"id": id, "name": f"row {id}"} for id in range(200)])
    for text, passes in [("[1, 2]", True), (rows, False)]:
        blocks = [{"type": "text", "text": text}]
        model = Returned(content=[Block(text=text)], structuredContent={"result": None})
        shaped = shaper.shape_result(model)
        assert (shaped.unchanged, list(shaped.result)[-1]) == (passes, "_meta")
        if passes:
            members = {key: value for key, value in shaped.result.items() if key != "_meta"}
            assert members == {"content": blocks, "structuredContent": {"result": None}, "isError": False}
        shaped = shaper.shape_result(Plain(blocks))
        assert (shaped.unchanged, shaped.result["content"] == blocks) == (passes, passes)
