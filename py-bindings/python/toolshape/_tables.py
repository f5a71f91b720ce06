"""Tables of pandas and polars as sequences of rows. A row is read when it is asked for, with the names of its columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload


class Rows(Sequence[Any]):
    """The rows of a table, as pairs of names and values."""

    def __init__(self, count: int, row: Callable[[int], Any]) -> None:
        self._count = count
        self._row = row

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, at: int) -> Any: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Any]: ...
    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self._row(each) for each in range(*at.indices(self._count))]
        return self._row(at)


class Row:
    """One row: a table may have two columns of one name, so it is not a dict."""

    def __init__(self, names: Sequence[Any], values: Sequence[Any]) -> None:
        self._names = names
        self._values = values

    def keys(self) -> Sequence[Any]:
        return self._names

    def __getitem__(self, name: Any) -> Any:
        return self._values[self._names.index(name)]

    def items(self) -> Any:
        return zip(self._names, self._values)


def of_pandas(frame: Any) -> Rows:
    """The rows of a DataFrame; the index comes first where it says more than which row it is."""
    columns = [(_name(name), frame.iloc[:, at].array) for at, name in enumerate(frame.columns)]
    index = frame.index
    if _has_names(index):
        levels = [index.get_level_values(level) for level in range(index.nlevels)]
        named = [level.name if level.name is not None else "index" for level in levels]
        columns = [(_name(name), level.array) for name, level in zip(named, levels)] + columns
    names = [name for name, _ in columns]
    # Column by column, because a row of pandas has one type for all: its integers would become floats.
    return Rows(len(frame), lambda at: Row(names, [values[at] for _, values in columns]))


def of_polars(frame: Any) -> Rows:
    """The rows of a DataFrame of polars."""
    return Rows(frame.height, lambda at: frame.row(at, named=True))


def of_series(series: Any) -> tuple[list[Any] | None, Any]:
    """The names of a Series, if its index has any, and its values."""
    names = [_name(name) for name in series.index] if _has_names(series.index) else None
    return names, series.tolist()


def _has_names(index: Any) -> bool:
    """Whether an index says more than the numbers of rows."""
    return index.nlevels > 1 or index.name is not None or index.dtype.kind not in "iu"


def _name(name: Any) -> Any:
    """A name of several levels as one."""
    return "_".join(map(str, name)) if isinstance(name, tuple) else name
