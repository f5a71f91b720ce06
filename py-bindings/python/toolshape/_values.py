"""What programs return and neither JSON nor the SDKs know: tables, rows of databases, exceptions.

An SDK writes such a value as its ``repr``, which shortens a table to ten rows. ``whole`` gives the same value as plain data
before the SDK sees it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from itertools import islice
from typing import Any

from . import _toolshape as core
from ._error import ToolshapeError
from ._json import loads

# The packages whose classes an SDK writes as their ``repr``.
PACKAGES = frozenset(
    "django duckdb msgspec numpy pandas peewee polars pyarrow pyspark sqlalchemy sqlite3".split()  # noqa: SIM905
)
# What is not read here, because it would run a query, with the call that makes it readable.
PENDING: dict[tuple[str, str], str] = {
    ("polars", "LazyFrame"): "return frame.collect()",
    ("duckdb", "DuckDBPyRelation"): "return relation.df()",
    ("pyspark", "DataFrame"): "return frame.limit(1000).toPandas()",
    ("sqlalchemy", "Query"): "return query.all()",
    ("sqlalchemy", "Select"): "return session.execute(statement).all()",
}
# The most values of one dict that are looked at.
MOST_LOOKED_AT = 50


class PendingError(ToolshapeError):
    """A value that must be computed or awaited first; the message names the call that does it."""


def whole(value: object) -> object:
    """A value that has something of ``PACKAGES`` in it as plain data; any other value itself.

    Raises ``PendingError``, and ``ToolshapeError`` for what has no plain form.
    """
    if not _is_foreign(value, 2):
        return value
    _refuse_pending(value)
    try:
        ([(text, is_json)], _) = core.contents(_READER, value, False)
    except ToolshapeError as error:
        raise error.__cause__ if isinstance(error.__cause__, PendingError) else error from None
    return loads(text) if is_json else text


def form(value: object) -> object:
    """The plain form of an object that the core does not read; ``TypeError`` if it has none."""
    _refuse_pending(value)
    kind = type(value)
    if isinstance(value, BaseException):
        return {"error": kind.__name__, "message": str(value)}
    for module, read in _READERS.items():
        if module in _packages(kind):
            return read(value)
    if hasattr(kind, "__mapper__"):
        return _of_sqlalchemy(value)
    raise TypeError(f"{kind.__module__}.{kind.__qualname__} has no JSON form")


def _is_foreign(value: object, levels: int) -> bool:
    """Whether an SDK would write the value, or one near its root, as a ``repr``. Rows of a list are of one class."""
    kind = type(value)
    if kind is str or kind is int or kind is float or kind is bool or value is None:
        return False
    if kind is dict:
        near: Any = islice(value.values(), MOST_LOOKED_AT)  # type: ignore[attr-defined]
    elif kind is list or kind is tuple:
        near = value[:1]  # type: ignore[index]
    else:
        return (
            isinstance(value, BaseException)
            or _is_async(kind)
            or hasattr(kind, "__mapper__")
            or hasattr(kind, "__attrs_attrs__")
            or not PACKAGES.isdisjoint(_packages(kind))
        )
    return levels > 0 and any(_is_foreign(each, levels - 1) for each in near)


def _refuse_pending(value: object) -> None:
    kind = type(value)
    remedy = next(
        (PENDING[pair] for each in kind.__mro__ if (pair := (_package(each), each.__name__)) in PENDING), None
    )
    if remedy is None and _is_async(kind):
        remedy = "return [item async for item in it]"
    if remedy is None and isinstance(value, Awaitable):
        remedy = "await it first"
    if remedy is not None:
        raise PendingError(f"{kind.__module__}.{kind.__qualname__} has no value yet: {remedy}", "UNSUPPORTED_VALUE")


def _is_async(kind: type) -> bool:
    return hasattr(kind, "__aiter__") and not hasattr(kind, "__iter__")


def _packages(kind: type) -> set[str]:
    return {_package(each) for each in kind.__mro__}


def _package(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _of_arrow(value: Any) -> object:
    return value.to_pylist() if hasattr(value, "to_pylist") else value.as_py()


def _of_sqlalchemy(value: Any) -> Mapping[str, object]:
    """The columns of an instance, as its mapper names them."""
    return {name: getattr(value, name) for name in type(value).__mapper__.column_attrs.keys()}  # noqa: SIM118


def _of_django(value: Any) -> object:
    """The columns of a model, or the rows of a query set."""
    if hasattr(type(value), "_meta"):
        return {field.attname: getattr(value, field.attname) for field in value._meta.concrete_fields}
    return list(value)


def _of_peewee(value: Any) -> object:
    """The columns of a model, or the rows of a query."""
    return value.__data__ if hasattr(value, "__data__") else list(value)


_READERS: dict[str, Callable[[Any], object]] = {"pyarrow": _of_arrow, "django": _of_django, "peewee": _of_peewee}
_READER = core.Shaper()
