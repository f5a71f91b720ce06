"""What each Python value is as JSON: every row of docs/values.md, and what is rejected."""

from __future__ import annotations

import array
import base64
import collections
import dataclasses
import datetime
import decimal
import enum
import json
import math
import re
import signal
import threading
import time
import types
import uuid
from collections.abc import Iterator
from typing import Any

import pydantic
import pytest
from toolshape import Shaper, ToolshapeError

SHAPER = Shaper()


class Level(enum.IntEnum):
    HIGH = 3


class Color(enum.Enum):
    RED = "red"
    SINCE = datetime.date(2024, 1, 2)


class Name(str):
    def __str__(self) -> str:
        return "not this"


class Count(int):
    def __repr__(self) -> str:
        return "not this"


class Share(float):
    def __repr__(self) -> str:
        return "not this"


Point = collections.namedtuple("Point", "x y")


class Later:
    def __await__(self) -> Iterator[None]:
        yield


@dataclasses.dataclass
class Author:
    name: str
    born: datetime.date
    tags: list[str] = dataclasses.field(default_factory=list, repr=False)


@dataclasses.dataclass(frozen=True)
class Slotted:
    __slots__ = ("x",)
    x: int


class Article(pydantic.BaseModel):
    id: int
    page_count: int = pydantic.Field(serialization_alias="pageCount")
    at: datetime.datetime


class Rows(pydantic.RootModel[list[int]]):
    pass


UTC = datetime.timezone.utc
MOMENT = datetime.datetime(2024, 1, 2, 3, 4, 5, 600, tzinfo=UTC)
ID = uuid.UUID("12345678-1234-5678-1234-567812345678")

WRITTEN: list[tuple[str, Any, str | None]] = [
    ("None", None, "null"),
    ("bools", [True, False], "[true,false]"),
    ("ints past 2^53", [9007199254740993, -(2**63), 2**64, 10**29], None),
    ("a float keeps its point", 1.0, "1.0"),
    ("floats", [0.1, -0.0, 1e16, 1e22, 1e-7, 1.5e300, 5e-324, 123456789012345680.0], None),
    ("floats without a number", [math.nan, math.inf, -math.inf], "[null,null,null]"),
    ("escapes", '"\\\n\r\t\b\f\x00\x1f\x7f\u2028é😀', None),
    ("a lone surrogate", ["a\ud83db"], r'["a\ud83db"]'),
    ("a pair of surrogates", ["\ud83d\ude00"], '["😀"]'),
    ("a surrogate in a key", {"\udc00": 1}, r'{"\udc00":1}'),
    ("a surrogate far into a long string", ["x" * 100_000 + "\udfff"], None),
    ("tuple", (1, (2,), ()), "[1,[2],[]]"),
    ("namedtuple", Point(1, 2), '{"x":1,"y":2}'),
    ("keys", {"a": 1, 2: 1, 1.5: 1, True: 1, None: 1, math.nan: 1, math.inf: 1, -math.inf: 1, 10**20: 1}, None),
    ("keys that become equal", {1: "a", "1": "b"}, '{"1":"a","1":"b"}'),
    ("__proto__", {"__proto__": 1, "2": 2, "1": 3}, '{"__proto__":1,"2":2,"1":3}'),
    ("str subclass", [Name("x"), {Name("k"): 1}], '["x",{"k":1}]'),
    ("int subclass", [Count(7), {Count(7): 1}], '[7,{"7":1}]'),
    ("float subclass", [Share(0.5), {Share(0.5): 1}], '[0.5,{"0.5":1}]'),
    ("enum members", [Level.HIGH, Color.RED, Color.SINCE], '[3,"red","2024-01-02"]'),
    ("datetime", MOMENT, '"2024-01-02T03:04:05.000600+00:00"'),
    ("date and time", [MOMENT.date(), datetime.time(3, 4)], '["2024-01-02","03:04:00"]'),
    (
        "Decimal",
        [decimal.Decimal(text) for text in ("1.10", "-0", "1E+2", "1E-10", "9" * 30)],
        "[1.10,-0,1E+2,1E-10," + "9" * 30 + "]",
    ),
    ("Decimal without a number", [decimal.Decimal("NaN"), decimal.Decimal("-Infinity")], "[null,null]"),
    ("UUID", ID, '"12345678-1234-5678-1234-567812345678"'),
    ("bytes", [b"\x00\xff", bytearray(b"hi"), memoryview(b"abc")], '["AP8=","aGk=","YWJj"]'),
    ("a view with steps", memoryview(b"abcdef")[::2], '"YWNl"'),
    ("time zones", [datetime.timezone.utc, datetime.timezone(datetime.timedelta(hours=-2))], '["UTC","UTC-02:00"]'),
    ("dataclass", Author("A", datetime.date(2000, 1, 1), ["x"]), '{"name":"A","born":"2000-01-01","tags":["x"]}'),
    ("dataclass with slots", Slotted(1), '{"x":1}'),
    (
        "pydantic model",
        Article(id=1, page_count=2, at=MOMENT),
        '{"id":1,"pageCount":2,"at":"2024-01-02T03:04:05.000600Z"}',
    ),
    ("pydantic root model", Rows([1, 2]), "[1,2]"),
    ("set of strings", {"b", "a", "c"}, '["a","b","c"]'),
    ("frozenset of numbers", frozenset({10, 9, 1}), "[1,9,10]"),
    ("set of mixed types", {"b", 1, None}, '["b",1,null]'),
    ("set of what has no order", {Color.RED, Color.SINCE}, '["red","2024-01-02"]'),
    ("generator", (i * i for i in range(3)), "[0,1,4]"),
    ("map and zip", [map(str, [1]), zip("a", "b")], '[["1"],[["a","b"]]]'),
    ("dict views", [{"b": 1, "a": 2}.keys(), {"b": 1}.values(), {"b": 1}.items()], '[["b","a"],[1],[["b",1]]]'),
    ("OrderedDict that was reordered", collections.OrderedDict(a=1, b=2), '{"b":2,"a":1}'),
    (
        "defaultdict and Counter",
        [collections.defaultdict(int, a=1), collections.Counter("aab")],
        '[{"a":1},{"a":2,"b":1}]',
    ),
    ("other mappings", [types.MappingProxyType({"a": 1}), collections.ChainMap({"a": 1})], '[{"a":1},{"a":1}]'),
    ("deque and range", [collections.deque([1, 2]), range(3)], "[[1,2],[0,1,2]]"),
    ("arrays of numbers", array.array("d", [1.5, 2.0]), "[1.5,2.0]"),
]
WRITTEN[[row[0] for row in WRITTEN].index("OrderedDict that was reordered")][1].move_to_end("a")


@pytest.mark.parametrize(("value", "text"), [row[1:] for row in WRITTEN], ids=[row[0] for row in WRITTEN])
def test_written(value: Any, text: str | None) -> None:
    shaper = Shaper(max_tokens=1_000_000)
    shaped = shaper.shape([value])
    if text is None:
        # Where json.dumps has an opinion, it is ours; only lone surrogates it cannot print.
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        text = re.sub("[\ud800-\udfff]", lambda lone: f"\\u{ord(lone[0]):04x}", text)
    assert shaped.text == f"[{text}]"


def test_a_generator_at_the_root_is_read_once_and_its_items_are_the_value() -> None:
    rows = ({"id": i} for i in range(200))
    shaped = SHAPER.shape(rows, page=2, page_size=20)
    assert [row["id"] for row in shaped.value["items"]] == list(range(20, 40))
    few = SHAPER.shape({"rows": iter([1, 2])})
    assert (few.value, few.unchanged, few.receipt["steps"]) == ({"rows": [1, 2]}, False, [])


def test_text_is_text() -> None:
    assert SHAPER.shape("a\ud83db").text == "a\ufffdb"
    assert SHAPER.shape('say "hi"\n').text == 'say "hi"\n'
    assert SHAPER.shape(Name("x")).text == "x"
    assert SHAPER.shape(MOMENT.date()).text == "2024-01-02"
    data = bytes(range(200))
    assert SHAPER.shape(data).text == base64.b64encode(data).decode()


class Hostile:
    @property
    def __class__(self) -> type:
        raise ValueError("no class")


class EndlessEnum(enum.Enum):
    A = 1

    @property
    def value(self) -> Any:
        return self


class EndlessList:
    def tolist(self) -> EndlessList:
        return self


class LyingSequence(collections.abc.Sequence):
    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: Any) -> Any:
        raise IndexError(index)


class LyingMapping(dict):
    def items(self) -> Any:
        raise ValueError("no items")


class NegativeLength(collections.abc.Sequence):
    def __len__(self) -> int:
        return -1

    def __getitem__(self, index: Any) -> Any:
        return index


class RaisingModel(pydantic.BaseModel):
    x: Any

    @pydantic.field_serializer("x")
    def _x(self, x: Any) -> Any:
        raise ValueError("cannot")


class Deepening(collections.abc.Sequence):
    """Each item is a new sequence: no object ever comes twice."""

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: int) -> Any:
        return Deepening()


@dataclasses.dataclass
class Unset:
    x: int = dataclasses.field(init=False)


def forever() -> Any:
    while True:
        yield 0


def raising() -> Any:
    yield 1
    raise OSError("connection lost")


async def forgotten() -> None: ...


def cyclic_list() -> Any:
    inner: list[Any] = [1]
    outer = {"a": [inner]}
    inner.append(outer)
    return outer


def cyclic_rows() -> Any:
    rows: list[Any] = [{"id": i} for i in range(100)]
    rows[0]["rows"] = rows
    return rows


def cyclic_dataclass() -> Any:
    author = Author("A", datetime.date(2000, 1, 1))
    author.tags.append(author)
    return [author]


def late_cycle() -> Any:
    """A cycle of three below a chain of 40 levels."""
    ring: list[Any] = [[[]]]
    ring[0][0].append(ring)
    value: Any = ring
    for _ in range(40):
        value = [value]
    return value


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth - 1):
        value = [value]
    return value


REFUSED: list[tuple[str, Any, str, str | None, str | None]] = [
    ("object", {"a": [0, object()]}, "UNSUPPORTED_VALUE", "/a/1", "object has no JSON form"),
    ("a class", int, "UNSUPPORTED_VALUE", "", "type has no JSON form"),
    ("a dataclass itself", [Author], "UNSUPPORTED_VALUE", "/0", "type"),
    ("a function", {"f": len}, "UNSUPPORTED_VALUE", "/f", "builtin_function_or_method"),
    ("an awaitable", {"f": Later()}, "UNSUPPORTED_VALUE", "/f", "await it first"),
    ("a module", json, "UNSUPPORTED_VALUE", "", "module"),
    ("complex", [1j], "UNSUPPORTED_VALUE", "/0", "complex"),
    ("a regular expression", {"a/b~c": re.compile("x")}, "UNSUPPORTED_VALUE", "/a~1b~0c", "re.Pattern"),
    ("a tuple as key", {"a": {(1, 2): 3}}, "UNSUPPORTED_VALUE", None, "a key is tuple"),
    ("an object's class that raises", [Hostile()], "UNSUPPORTED_VALUE", "/0", "ValueError: no class"),
    ("an enum without end", [EndlessEnum.A], "UNSUPPORTED_VALUE", "/0", "again and again"),
    ("tolist without end", [EndlessList()], "UNSUPPORTED_VALUE", "/0", "again and again"),
    ("a sequence that lies", [LyingSequence()], "UNSUPPORTED_VALUE", "/0/0", "IndexError"),
    ("a sequence of negative length", [NegativeLength()], "UNSUPPORTED_VALUE", "/0", "ValueError"),
    ("a mapping that raises", [LyingMapping()], "UNSUPPORTED_VALUE", "/0", "ValueError: no items"),
    ("a model that raises", [RaisingModel(x=1)], "UNSUPPORTED_VALUE", "/0", "cannot"),
    ("a field that was never set", [Unset()], "UNSUPPORTED_VALUE", "/0", "AttributeError"),
    ("a generator without end", {"rows": forever()}, "UNSUPPORTED_VALUE", "/rows", "more than 1000000 items"),
    ("a generator that raises", raising(), "UNSUPPORTED_VALUE", "", "OSError: connection lost"),
    ("a list in itself", cyclic_list(), "UNSUPPORTED_VALUE", "/a/0/1", "the same object as the root"),
    ("a list in the rows of a page", cyclic_rows(), "UNSUPPORTED_VALUE", "/0/rows", "the same object as the root"),
    ("a dataclass in itself", cyclic_dataclass(), "UNSUPPORTED_VALUE", "/0/tags/0", "the same object as /0"),
    ("a cycle far down", late_cycle(), "UNSUPPORTED_VALUE", "/0" * 43, "the same object as " + "/0" * 40),
    ("4,097 levels", nested(4097), "TOO_DEEP", None, "4096"),
    ("a million levels", nested(1_000_000), "TOO_DEEP", None, "4096"),
    ("levels without end", Deepening(), "TOO_DEEP", None, "4096"),
]


@pytest.mark.parametrize(
    ("value", "code", "path", "message"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_refused(value: Any, code: str, path: str | None, message: str) -> None:
    with pytest.raises(ToolshapeError) as raised:
        SHAPER.shape(value)
    assert raised.value.code == code
    assert path is None or raised.value.path == path
    assert message in str(raised.value)
    assert SHAPER.shape([1]).text == "[1]"


def test_a_coroutine_that_was_not_awaited_is_named() -> None:
    coroutine = forgotten()
    with pytest.raises(ToolshapeError, match="coroutine has no value yet: await it first"):
        SHAPER.shape(coroutine)
    coroutine.close()


def test_the_deepest_value_that_is_taken() -> None:
    value = nested(4096)
    shaped = Shaper(max_tokens=100_000).shape(value)
    assert shaped.text == "[" * 4096 + "]" * 4096
    assert shaped.value is value


def test_depth_takes_no_stack() -> None:
    """Neither reading nor writing nor letting go of a deep value recurses: a small stack is enough."""
    failures: list[BaseException] = []
    # Python itself needs more stack than that to let go of a million lists.
    bottomless = nested(1_000_000)

    def work() -> None:
        try:
            value = nested(4096)
            shaper = Shaper(max_tokens=100_000)
            assert shaper.shape(value).unchanged
            assert Shaper(max_tokens=300).shape(value).tokens <= 300
            assert shaper.shape(value, fields=["/0" * 4000]).text == "[" * 96 + "]" * 96
            with pytest.raises(ToolshapeError):
                shaper.shape(bottomless)
        except BaseException as failure:
            failures.append(failure)

    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert not failures, failures


def test_the_value_s_own_exception_is_the_cause() -> None:
    with pytest.raises(ToolshapeError) as raised:
        SHAPER.shape(raising())
    assert isinstance(raised.value.__cause__, OSError)


def test_an_interrupt_is_no_fault_of_the_value() -> None:
    def interrupted() -> Any:
        yield 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        SHAPER.shape(interrupted())
    assert SHAPER.shape([1]).text == "[1]"


class Slow:
    """Takes longer than the time limit of its caller."""

    status = 429

    def tolist(self) -> Any:
        return time.sleep(10)

    @property
    def headers(self) -> Any:
        return time.sleep(10)


class TookTooLong(Exception):
    pass


@pytest.fixture
def limited() -> Iterator[None]:
    """A time limit as libraries set one in the main thread: by a signal whose handler raises."""

    def handler(number: int, frame: object) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers")
@pytest.mark.parametrize(
    "call",
    [
        lambda: SHAPER.shape([Slow()]),
        lambda: SHAPER.shape({"rows": [{"id": 1}] * 100 + [{"bad": Slow()}] * 400}, page=2),
        lambda: SHAPER.shape_result({"content": [], "structuredContent": {"a": Slow()}}),
        lambda: SHAPER.rate_limit(Slow()),
        lambda: SHAPER.links([{"id": Slow()}], {"uri": "x:{id}", "name": "{id}"}),
        lambda: SHAPER.keyset_page([{"id": Slow()}], keys=["id"]),
        lambda: SHAPER.shape_together([{"value": [Slow()]}]),
        lambda: Shaper(max_tokens=Slow()),  # type: ignore[arg-type]
    ],
    ids=["value", "sampled", "result", "rate limit", "links", "keyset", "together", "options"],
)
def test_what_a_signals_handler_raises_is_no_fault_of_the_value(call: Any, limited: None) -> None:
    with pytest.raises(TookTooLong):
        call()
    assert SHAPER.shape([1]).text == "[1]"


def test_a_timeout_of_the_value_s_own_is_a_fault_of_the_value() -> None:
    class Late:
        def tolist(self) -> Any:
            raise TimeoutError("the database")

    with pytest.raises(ToolshapeError, match="TimeoutError: the database"):
        SHAPER.shape([Late()])


def test_a_value_that_changes_while_it_is_read() -> None:
    rows: list[Any] = []

    class Shrinking:
        def tolist(self) -> Any:
            rows.clear()
            return 1

    rows += [Shrinking(), 2, 3]
    shaped = SHAPER.shape({"rows": rows})
    assert json.loads(shaped.text) == {"rows": [1]}

    table: dict[str, Any] = {}

    class Growing:
        def tolist(self) -> Any:
            table.update({str(i): i for i in range(100)})
            return 1

    table["a"] = Growing()
    table["b"] = 2
    assert json.loads(SHAPER.shape([table]).text) == [{"a": 1, "b": 2}]


def test_a_callback_that_shapes() -> None:
    class Reentrant:
        def tolist(self) -> Any:
            return SHAPER.shape({"inner": [1]}).value

    assert SHAPER.shape([Reentrant()]).text == '[{"inner":[1]}]'


def test_a_bad_value_in_a_row_that_is_not_on_the_page_is_not_seen() -> None:
    cycle: dict[str, Any] = {}
    cycle["self"] = cycle
    for at in range(20, 400):
        rows: list[dict[str, Any]] = [{"id": row, "name": f"row {row}", "body": "x" * 200} for row in range(400)]
        rows[at]["bad"] = cycle if at % 2 else object()
        assert "paginate" in Shaper(max_tokens=300).shape(rows).receipt["steps"]


def test_rows_of_a_list_are_converted_less_than_once_each() -> None:
    class Row:
        reads = 0

        def __init__(self, at: int) -> None:
            self.at = at

        def model_dump(self, **_: Any) -> dict[str, Any]:
            Row.reads += 1
            return {"id": self.at, "name": f"row {self.at}", "on": self.at % 2 == 0}

    rows = [Row(at) for at in range(1000)]
    assert "paginate" in Shaper(max_tokens=2000).shape(rows).receipt["steps"]
    assert Row.reads < len(rows)
