"""Takes what a tool returned before the SDK makes text of it, in the calls of servers that are shaped."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any

from .._values import PendingError, whole
from ..adapter import Adapter

# The adapter and the tool of the call that runs: what the tool returns is taken.
CALL: ContextVar[tuple[Adapter, str] | None] = ContextVar("toolshape_call", default=None)


def take(owner: Any, name: str, at: int, shown: type[Exception] | None = None) -> None:
    """Wraps a function of an SDK that converts what tools return, its argument number ``at``. An author's serializer gets what
    the tool returned. ``shown`` is the exception whose message the SDK shows, if it shows no other's.
    """
    convert: Callable[..., Any] = getattr(owner, name)

    @wraps(convert)
    def converted(*given: Any, **named: Any) -> Any:
        call = CALL.get()
        if call is not None and len(given) > at and _serializer(given, named, at) is None:
            try:
                given = (*given[:at], _taken(given[at], *call), *given[at + 1 :])
            except PendingError as error:
                raise error if shown is None else shown(str(error)) from error
        return convert(*given, **named)

    setattr(owner, name, converted)


def _serializer(given: tuple[Any, ...], named: dict[str, Any], at: int) -> object:
    return named.get("serializer") or (getattr(given[0], "serializer", None) if at == 1 else None)


def _taken(value: object, adapter: Adapter, tool: str) -> object:
    try:
        taken = whole(value)
    except PendingError:
        if adapter.leaves_alone(tool):
            return value
        raise
    except Exception:
        # What cannot be read stays the SDK's.
        return value
    return value if taken is value or adapter.leaves_alone(tool) else taken
