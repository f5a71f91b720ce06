"""The names of tools and fields in a policy, compared with those of the server: a misspelt name would do nothing."""

from __future__ import annotations

import json
import os.path
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

from ._receipt_log import LOGGER
from .types import Receipt

# The tools that toolshape adds, or does not, by its other options.
OWN = ("read_result", "summarize")


class ToolNames:
    """The names in a policy, until they are compared."""

    def __init__(self, policy: object, on_warning: Callable[[str], object] | None) -> None:
        self._warn = on_warning or (lambda warning: LOGGER.warning("toolshape: %s", warning))
        tools = policy.get("tools") if isinstance(policy, Mapping) else None
        self._named = [name for name in tools or () if name not in OWN]
        self._warned_of: set[str] = set()

    def check(self, known: Iterable[str]) -> None:
        """Warns of each name that is not of a tool that is ``known``, once."""
        if not self._named:
            return
        tools = set(known)
        missing, self._named = [name for name in self._named if name not in tools], []
        for name in missing:
            close = next((known for known in sorted(tools) if _is_close(name, known)), None)
            hint = f"; did you mean {json.dumps(close)}?" if close else ""
            self._tell(f"the policy has options for a tool {json.dumps(name)}, which is not in the list of tools{hint}")

    def check_fields(self, receipt: Receipt) -> None:
        """Warns once of each of the policy's fields that no row of a tool's result has."""
        for field in receipt.get("unmatched_fields", ()):
            tool, name = json.dumps(receipt["tool"]), json.dumps(field, ensure_ascii=False)
            warning = f"no row of a result of {tool} has {name}, which is one of the policy's fields"
            if warning not in self._warned_of:
                self._warned_of.add(warning)
                self._tell(warning)

    def _tell(self, warning: str) -> None:
        # A failing callback must not break a call.
        with suppress(Exception):
            self._warn(warning)


def _is_close(one: str, other: str) -> bool:
    """Whether two names differ in case, separators, or one or two letters."""
    a, b = (re.sub("[^a-z0-9]", "", name.lower()) for name in (one, other))
    before = len(os.path.commonprefix([a, b]))
    after = len(os.path.commonprefix([a[before:][::-1], b[before:][::-1]]))
    return max(len(a), len(b)) - before - after <= min(2, before + after)
