"""What the tools of agents return in the tests of each framework, and a script of a model that calls them."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pandas as pd

ROWS = [{"id": each, "name": f"the row of number {each}"} for each in range(400)]
LOG = "".join(f"GET /articles/{each} 200\n" for each in range(3000))
POLICY: Any = {"max_tokens": 600, "combined_tokens": 1500}


class TooManyError(Exception):
    """What an HTTP client raises on a 429."""

    status = 429
    headers = {"retry-after": "30"}  # noqa: RUF012


# What ``flaky`` raises, the last first, before it returns.
ERRORS: list[Exception] = []


def flaky() -> list[dict[str, Any]]:
    """Rows, after errors"""
    if ERRORS:
        raise ERRORS.pop()
    return ROWS


def odd() -> list[dict[str, Any]]:
    return [{**row, "big": 2**70, "when": datetime.fromtimestamp(0, timezone.utc)} for row in ROWS]


def frame() -> pd.DataFrame:
    return pd.DataFrame(ROWS)
