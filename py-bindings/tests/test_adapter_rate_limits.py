"""What was recorded of the errors of real HTTP clients on a 429, raised by a tool of each SDK."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import anyio
import pytest
from adapters.sdks import SDKS
from adapters.throwers import Thrower, asked, limit_of
from toolshape import Shaper

import vectors


@pytest.fixture(autouse=True)
def silence() -> Iterator[None]:
    """SDKs log each error with all its frames, which takes longer than all else here."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


class Recorded(Exception):
    """An exception with the members that were recorded of one, and those that led to it."""

    def __init__(self, error: dict[str, Any]) -> None:
        message = error.get("message")
        super().__init__(message if isinstance(message, str) else "")
        for name, value in error.items():
            if name in ("__cause__", "__context__") and isinstance(value, dict):
                setattr(self, name, Recorded(value))
            elif not name.startswith("__") or isinstance(value, bool):
                setattr(self, name, value)


# Only objects can be raised.
CASES = [case for case in vectors.cases_of("rate_limit") if isinstance(case["error"], dict)]


@pytest.mark.parametrize("sdk", SDKS)
def test_recorded_errors(sdk: str) -> None:
    thrower = Thrower(lambda: None)
    wrong: list[str] = []

    async def run(options: dict[str, Any], cases: list[dict[str, Any]]) -> None:
        shaper = Shaper(**options)
        names = {case["call"].get("tool", "fetch") for case in cases}
        async with asked(sdk, options, names, thrower) as ask:
            for case in cases:

                def raise_it(error: dict[str, Any] = case["error"]) -> None:
                    raise Recorded(error)

                thrower.work = raise_it
                then = shaper.rate_limit(Recorded(case["error"]), **vectors.keywords(case["call"]), now=case.get("now"))
                if (then and {"text": then.text}) != case["expect"]:
                    wrong.append(f"{case['name']}: {then and then.text} is not what was recorded")
                tool = case["call"].get("tool", "fetch")
                for name in (tool, f"{tool}_promised"):
                    # The same, except for dates, which have passed by now.
                    today = shaper.rate_limit(Recorded(case["error"]), tool=name)
                    limit = limit_of(await ask(name))
                    # The SDK may show less than the exception says, and no more of it is shown.
                    masks = (f"Error executing tool {name}", f"Error calling tool {name!r}")
                    if limit and today and limit["message"].startswith(masks):
                        limit["message"] = today.value["message"]
                    if limit != (today and today.value):
                        wrong.append(f"{case['name']} {name}: {limit} is not {today and today.value}")

    by_policy: dict[str, list[dict[str, Any]]] = {}
    for case in CASES:
        by_policy.setdefault(json.dumps(case.get("policy", {})), []).append(case)
    for policy, cases in by_policy.items():
        anyio.run(run, vectors.options(json.loads(policy)), cases)
    assert not wrong, "\n".join(wrong)
    assert len(CASES) > 170
