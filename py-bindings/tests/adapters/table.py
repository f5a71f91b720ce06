"""The rows and columns of the table in the docs, as far as they are Python's."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import vectors
from adapters.sdks import SDKS

SHARED = json.loads((Path(__file__).parents[3] / "docs/behaviours.json").read_text("utf-8"))
POLICY: dict[str, Any] = vectors.options(SHARED["policy"])
BUDGET: int = POLICY["max_tokens"]
ROWS: dict[str, dict[str, Any]] = {row["name"]: row for row in SHARED["rows"]}


@dataclass(frozen=True)
class Column:
    """An SDK, and how its server and its client talk."""

    sdk: str
    transport: str
    era: str

    def __str__(self) -> str:
        return f"{self.sdk} {self.transport} {self.era}"

    def is_meant_by(self, where: dict[str, Any]) -> bool:
        """Whether it is one of those that a row or a step is meant for."""
        some = {key: [of] if isinstance(of, str) else of for key, of in where.items()}
        return all(getattr(self, key) in of for key, of in some.items())

    def reason_against(self, name: str) -> str | None:
        """Why a row has no meaning here, if it has none."""
        exceptions = ROWS[name].get("except", [])
        return next((str(one["reason"]) for one in exceptions if self.is_meant_by(one["where"])), None)


COLUMNS = [
    Column(column["sdk"], transport, era)
    for column in SHARED["columns"]
    # Those of other SDKs are tried in environments of their own.
    if column["language"] == "python" and column["sdk"] in SDKS
    for era in column["eras"]
    for transport in SHARED["transports"]
]
