"""What real HTTP clients raise on a 429, raised by a tool of each SDK."""

from __future__ import annotations

import email.utils
import logging
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from http.server import ThreadingHTTPServer

import anyio
import http_clients
import pytest
from adapters.sdks import FAST, SDKS
from adapters.throwers import Ask, Thrower, asked, limit_of
from fastmcp.exceptions import ToolError
from test_http_clients import TooMany

SECRET = http_clients.SECRET


@pytest.fixture(autouse=True)
def silence() -> Iterator[None]:
    """SDKs log each error with all its frames, which takes longer than all else here."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="module")
def upstream() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), TooMany) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


# Those that raise by themselves; what the others return is a value as any other.
RAISING = {
    name: ask
    for name, ask in http_clients.CLIENTS.items()
    if name not in ("requests without raising", "httpx without raising", "urllib3", "httplib2")
}
# Clients whose messages contain the status 429; the messages of the others say what any error may say.
TELLING = (
    "requests httpx httpx2 aiohttp tornado urllib openai anthropic boto3 PyGithub google.api_core googleapiclient"
).split()


def raise_wrapped(client: Ask, address: str, wrap: Callable[[Exception], Exception]) -> None:
    try:
        client(address)
    except Exception as error:
        caught = error
    raise wrap(caught)


def test_a_mask_stays_on(upstream: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """FastMCP that masks errors shows nothing of them, and neither does toolshape; but a ``ToolError`` is shown."""
    monkeypatch.setattr(TooMany, "retry_after", "30")
    thrower = Thrower(lambda: None)
    reply: dict[str, list[str]] = {}

    def busy(client: Ask, address: str) -> None:
        try:
            client(address)
        except Exception as error:
            raise ToolError("busy") from error

    async def run() -> None:
        async with asked(FAST, {}, {"list"}, thrower, masks=True) as ask:
            for name, client in RAISING.items():
                address = http_clients.address_for(name, upstream)
                for how in (
                    partial(client, address),
                    partial(raise_wrapped, client, address, http_clients.chained),
                    partial(raise_wrapped, client, address, http_clients.grouped),
                    partial(busy, client, address),
                ):
                    thrower.work = how
                    limit = limit_of(await ask("list"))
                    assert limit is not None and limit["retryAfterSeconds"] == 30, name
                    reply.setdefault(name, []).append(limit["message"])

    anyio.run(run)
    masks = {"Too Many Requests", "Rate limited by upstream API, please retry later", "Error calling tool 'list'"}
    for messages in reply.values():
        assert set(messages[:3]) <= masks
        assert messages[3] == "busy"


@pytest.mark.parametrize("sdk", SDKS)
def test_clients(sdk: str, upstream: str, monkeypatch: pytest.MonkeyPatch) -> None:
    thrower = Thrower(lambda: None)
    wrong: list[str] = []

    async def run() -> None:
        async with asked(sdk, {}, {"list"}, thrower) as ask:
            for name, client in RAISING.items():
                address = http_clients.address_for(name, upstream)
                thrower.work = lambda client=client, address=address: client(address)
                monkeypatch.setattr(TooMany, "retry_after", "30")
                for tool in ("list", "list_promised"):
                    limit = limit_of(await ask(tool))
                    if limit is None or (limit["retryAfterSeconds"], limit["upstream"]) != (30, tool):
                        wrong.append(f"{name} {tool}: {limit}")
                    if SECRET in str(limit):
                        wrong.append(f"{name} {tool} shows a secret: {limit}")
                for wrap in (http_clients.chained, http_clients.grouped):
                    thrower.work = partial(raise_wrapped, client, address, wrap)
                    limit = limit_of(await ask("list"))
                    if limit is None or limit["retryAfterSeconds"] != 30 or SECRET in str(limit):
                        wrong.append(f"{name} {wrap.__name__}: {limit}")
                thrower.work = lambda client=client, address=address: client(address)
                flat = limit_of(await ask("flattened"))
                if (flat is not None) != (name in TELLING) or (flat and flat["retryAfterSeconds"] is not None):
                    wrong.append(f"{name} flattened: {flat}")
                in_a_minute = email.utils.formatdate(time.time() + 60, usegmt=True)
                monkeypatch.setattr(TooMany, "retry_after", in_a_minute)
                limit = limit_of(await ask("list"))
                if limit is None or not 50 < limit["retryAfterSeconds"] <= 60:
                    wrong.append(f"{name} by a date: {limit}")

    anyio.run(run)
    assert not wrong, "\n".join(wrong)
