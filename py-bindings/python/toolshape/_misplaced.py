"""Errors for options and objects in the wrong place, which name the right one. An option belongs where it is accepted, so
there is no list of names here; all this runs only after something was refused.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import wraps
from typing import Any, TypeVar

from . import _toolshape as core
from ._error import ToolshapeError

T = TypeVar("T")
Init = TypeVar("Init", bound=Callable[..., None])


def made_shaper(policy: object) -> core.Shaper:
    """The shaper of a policy, which may be one; ``INVALID_POLICY``."""
    if isinstance(policy, core.Shaper):
        return policy
    if policy is not None and not isinstance(policy, Mapping):
        raise ToolshapeError(f"the policy is {_kind(policy)}: {_remedy(policy)}", "INVALID_POLICY")
    return core.Shaper(**(policy or {}))


def positional(given: tuple[object, ...]) -> ToolshapeError:
    """The error for arguments before the keywords of ``Shaper``."""
    policy = given[0]
    if isinstance(policy, Mapping):
        remedy = "pass its options as keywords, Shaper(**policy)"
    elif isinstance(policy, int) and not isinstance(policy, bool):
        remedy = f"pass Shaper(max_tokens={policy})"
    elif policy is None:
        remedy = "Shaper() has the defaults"
    else:
        remedy = _remedy(policy)
    return ToolshapeError(f"Shaper takes keywords; the policy is {_kind(policy)}: {remedy}", "INVALID_POLICY")


def positional_call(given: tuple[object, ...]) -> ToolshapeError:
    """The error for arguments between a value and the keywords of a call."""
    call = given[0]
    if isinstance(call, Mapping):
        remedy = "pass its members as keywords, (value, **call)"
    elif isinstance(call, str):
        remedy = f"to name the tool, pass (value, tool={call!r})"
    else:
        remedy = "the options of a policy are those of Shaper(...)"
    message = f"a call takes keywords after the value; this is {_kind(call)}: {remedy}"
    return ToolshapeError(message, "INVALID_CALL")


def explained_policy(error: Exception, options: Mapping[str, Any] | None) -> Exception:
    """The error about a policy, with the place where an option of it belongs."""
    return _explained(error, "the policy", options or {}) if isinstance(error, ToolshapeError) else error


def placed(place: str, options: Mapping[str, Any], check: Callable[[], T]) -> T:
    """Runs what checks the options of a place; an unknown one that belongs elsewhere is refused with the name of that place."""
    try:
        return check()
    except ToolshapeError as error:
        raise _explained(error, place, options) from error


def check_archive(shaper: object, store: object) -> None:
    """``INVALID_CALL`` for something else in place of an archive's shaper."""
    if isinstance(shaper, core.Shaper):
        return
    remedy = "pass the shaper first" if isinstance(store, core.Shaper) else "pass Shaper(**policy)"
    raise ToolshapeError(f"the shaper is {_kind(shaper)}: {remedy}, Archive(shaper, store)", "INVALID_CALL", "/shaper")


def check_offload(policy: object, store: object) -> None:
    """``INVALID_CALL`` for a policy that offloads results to a store that is not there."""
    if store is None and isinstance(policy, Mapping) and policy.get("overflow") == "offload":
        message = 'overflow="offload" requires a store, and store is None: leave store out, or set overflow="shape"'
        raise ToolshapeError(message, "INVALID_CALL", "/store")


def unsupported_server(function: str, server: object, classes: tuple[type, ...]) -> ToolshapeError:
    """The error for an object that is not of these classes of servers."""
    takes = " or ".join(f"{each.__module__}.{each.__name__}" for each in classes)
    if isinstance(server, type):
        given = f"the class {server.__name__}: pass {server.__name__}(...), an instance of it"
    else:
        given = "None" if server is None else f"{type(server).__module__}.{type(server).__name__}"
        if type(server).__module__.partition(".")[0] == "fastmcp":
            given += ": use server.add_middleware(ShapingMiddleware(policy)) of toolshape.fastmcp"
    return ToolshapeError(f"{function} takes {takes}, not {given}", "INVALID_CALL", "/server")


def keywords(init: Init) -> Init:
    """Refuses unknown keywords of a class with ``INVALID_CALL``, as unknown options everywhere."""
    parameters = [name for name in inspect.signature(init).parameters if name != "self"]

    @wraps(init)
    def checked(self: object, *given: Any, **named: Any) -> None:
        for name in named:
            if name not in parameters:
                raise _unknown(type(self).__name__, name, named[name], parameters)
        init(self, *given, **named)

    return checked  # type: ignore[return-value]


def _unknown(owner: str, name: str, value: object, parameters: list[str]) -> ToolshapeError:
    where = _place("an archive", name, value) if owner == "Archive" else None
    if where is not None:
        return ToolshapeError(f"{name} is not an option of {owner}: {where}", "INVALID_CALL", f"/{name}")
    if owner != "Archive" and name in ("ttl_seconds", "timeout_seconds", "pause_seconds"):
        message = (
            f"{name} is not an option of {owner}: it is one of what uses the store, Archive(shaper, store, {name}=...)"
        )
        return ToolshapeError(message, "INVALID_CALL", f"/{name}")
    spelled = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    close = get_close_matches(spelled, parameters, 1, 0.5)
    hint = f"did you mean {close[0]}?" if close else f"the options are {', '.join(parameters)}"
    return ToolshapeError(f"unknown option {name} of {owner}; {hint}", "INVALID_CALL", f"/{name}")


def _explained(error: ToolshapeError, place: str, options: Mapping[str, Any]) -> ToolshapeError:
    name = error.path[1:]
    is_unknown = str(error).startswith(f"unknown option {name}") or "has no JSON form" in str(error)
    if name not in options or not is_unknown:
        return error
    where = _place(place, name, options[name])
    if where is None:
        return error
    code = "INVALID_POLICY" if place == "the policy" else "INVALID_CALL"
    return ToolshapeError(f"{name} is not an option of {place}: {where}", code, error.path)


def _place(place: str, name: str, value: object) -> str | None:
    """Where an option belongs; ``None`` if nowhere."""
    from .archive import described

    one: Any = {name: value}
    if name == "policy":
        return "pass the policy by itself, before the keywords"
    if name == "preset" and _accepts(lambda: core.preset(value)):  # type: ignore[arg-type]
        return f"preset is a function that returns a policy, preset({value!r})"
    if place != "the policy" and _accepts(lambda: core.Shaper(**one)):
        return f"it is an option of the policy, {{{name!r}: ...}}"
    if place in ("the policy", "an archive") and _accepts(
        lambda: core.call("checkAdapterOptions", options=described(one))
    ):
        archive = "; for an archive, Archive(shaper, store)" if name == "store" else ""
        return f"it is an option of the adapter, a keyword after the policy, {name}=...{archive}"
    if _accepts(lambda: core.Shaper().check_call(**one)):
        return f"it is an option of a call, shaper.shape(value, {name}=...)"
    if place == "the policy" and _accepts(lambda: core.Shaper(tools=one)):
        return f"the options of one tool are in tools, {{'tools': {{{name!r}: ...}}}}"
    return None


def _accepts(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except Exception:
        return False
    return True


def _kind(value: object) -> str:
    if value is None:
        return "None"
    if isinstance(value, (str, int, float)):
        return repr(value)
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if inspect.isawaitable(value):
        return "an awaitable"
    if all(callable(getattr(value, name, None)) for name in ("get", "set", "delete")):
        return "a store"
    return f"of type {type(value).__name__}"


def _remedy(policy: object) -> str:
    if isinstance(policy, int) and not isinstance(policy, bool):
        return f"pass {{'max_tokens': {policy}}}"
    if isinstance(policy, str) and _accepts(lambda: core.preset(policy)):  # type: ignore[arg-type]
        return f"pass preset({policy!r})"
    if _kind(policy) == "a store":
        return "pass it as a keyword after the policy, store=..."
    if hasattr(policy, "shape_result") and hasattr(policy, "snapshot_result"):
        return "pass its shaper, and its store as a keyword after it, store=..."
    if hasattr(policy, "add_tool"):
        return "a server is shaped by server.add_middleware(ShapingMiddleware(policy)) or shape_server(server, policy)"
    if inspect.isawaitable(policy):
        return "await it first"
    return "pass a Shaper, or its options as a dict, {'max_tokens': 2000}"
