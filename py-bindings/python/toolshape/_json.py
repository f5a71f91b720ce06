"""Parses JSON text to Python objects."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

from ._error import ToolshapeError


def loads(text: str) -> Any:
    """Like ``json.loads``, but also parses integers with more digits than the interpreter allows."""
    try:
        return json.loads(text)
    except RecursionError:
        message = "the result nests deeper than json.loads can follow here; its text is whole"
        raise ToolshapeError(message, "TOO_DEEP") from None
    except ValueError:
        return json.loads(text, parse_int=_integer)


def _integer(digits: str) -> int | Decimal:
    try:
        return int(digits)
    except ValueError:
        return Decimal(digits)


def loads_exactly(text: str) -> Any:
    """The same, with a ``Decimal`` for each number that a ``float`` cannot represent exactly."""
    return json.loads(text, parse_float=_float, parse_int=_integer)


def _float(digits: str) -> float | Decimal:
    number = float(digits)
    exact = Decimal(digits)
    return number if math.isfinite(number) and Decimal(repr(number)) == exact else exact
