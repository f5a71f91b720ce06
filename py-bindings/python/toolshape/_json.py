"""Parses JSON text to Python objects."""

from __future__ import annotations

import json
import math
import re
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, Inexact, localcontext
from typing import Any

from ._error import ToolshapeError


def loads(text: str) -> Any:
    """Like ``json.loads``, but also parses integers with more digits than the interpreter allows; a number beyond every
    ``float`` stays text.
    """
    try:
        if _FAR.search(text) is not None:
            return json.loads(text, parse_float=_held, parse_int=_integer)
        return json.loads(text)
    except RecursionError:
        message = "the result nests deeper than json.loads can follow here; its text is whole"
        raise ToolshapeError(message, "TOO_DEEP") from None
    except ValueError:
        return json.loads(text, parse_int=_integer)


# Texts without this have no number beyond every ``float``.
_FAR = re.compile(r"[eE]\+?[0-9]{3}|[0-9]{300}")


def _held(digits: str) -> float | str:
    number = float(digits)
    return number if math.isfinite(number) else digits


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


def digits(number: int) -> str:
    """The digits of an integer, however many. ``str`` refuses more than ``sys.get_int_max_str_digits()``."""
    powers: dict[int, Decimal] = {}

    def power(bits: int) -> Decimal:
        if bits not in powers:
            powers[bits] = Decimal(2) ** bits
        return powers[bits]

    def convert(number: int, bits: int) -> Decimal:
        # Halves are joined by multiplication, which takes less than quadratic time in this module.
        if bits <= 512:
            return Decimal(number)
        low = bits >> 1
        high = number >> low
        return convert(number - (high << low), low) + convert(high, bits - low) * power(low)

    exact = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact])
    with localcontext(exact):
        text = str(convert(abs(number), number.bit_length()))
    return f"-{text}" if number < 0 else text
