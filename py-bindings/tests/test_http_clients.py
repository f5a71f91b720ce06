"""Every client is asked for something by a server that answers 429, and ``rate_limit`` reads what comes of it."""

from __future__ import annotations

import email.utils
import http.server
import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import http_clients
import pytest
from toolshape import Shaper

SHAPER = Shaper()
SECRET = http_clients.SECRET
DETAILS = {"message": f"rate limited for {SECRET}-body", "type": "rate_limit_error", "code": "rate_limit_exceeded"}
BODY = json.dumps({"error": {**DETAILS, "detail": f"{SECRET}-detail"}}).encode()


class TooMany(http.server.BaseHTTPRequestHandler):
    retry_after = "30"

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.send_response(429)
        self.send_header("Retry-After", self.retry_after)
        self.send_header("Content-Type", "application/json")
        self.send_header("X-Request-Id", f"{SECRET}-header")
        self.send_header("Set-Cookie", f"a={SECRET}-cookie")
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    do_POST = do_GET

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), TooMany) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def outcome(ask: Callable[[str], Any], url: str) -> Any:
    """What a client raised, or returned."""
    try:
        return ask(url)
    except Exception as error:
        return error


@pytest.mark.parametrize("name", http_clients.CLIENTS)
def test_client(name: str, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ask, url = http_clients.CLIENTS[name], http_clients.address_for(name, url)
    given = outcome(ask, url)
    shaped = SHAPER.rate_limit(given, tool="list_articles")
    assert shaped is not None
    assert list(shaped.value) == ["type", "retryAfterSeconds", "upstream", "message"]
    assert shaped.value["retryAfterSeconds"] == 30
    assert SECRET not in shaped.text
    if isinstance(given, Exception):
        for wrap in (http_clients.chained, http_clients.grouped):
            shaped = SHAPER.rate_limit(wrap(given))
            assert shaped is not None and shaped.value["retryAfterSeconds"] == 30
            assert shaped.value["message"].startswith("list failed") and SECRET not in shaped.text
    monkeypatch.setattr(TooMany, "retry_after", email.utils.formatdate(time.time() + 60, usegmt=True))
    shaped = SHAPER.rate_limit(outcome(ask, url))
    assert shaped is not None and 50 < shaped.value["retryAfterSeconds"] <= 60
