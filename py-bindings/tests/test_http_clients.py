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
BODY = json.dumps(
    {"error": {"message": "rate limited", "type": "rate_limit_error", "code": "rate_limit_exceeded"}}
).encode()


class TooMany(http.server.BaseHTTPRequestHandler):
    retry_after = "30"

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.send_response(429)
        self.send_header("Retry-After", self.retry_after)
        self.send_header("Content-Type", "application/json")
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


@pytest.mark.parametrize("ask", http_clients.CLIENTS.values(), ids=http_clients.CLIENTS.keys())
def test_client(ask: Callable[[str], Any], url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shaped = SHAPER.rate_limit(outcome(ask, url), tool="list_articles")
    assert shaped is not None
    assert list(shaped.value) == ["type", "retryAfterSeconds", "upstream", "message"]
    assert shaped.value["retryAfterSeconds"] == 30
    monkeypatch.setattr(TooMany, "retry_after", email.utils.formatdate(time.time() + 60, usegmt=True))
    shaped = SHAPER.rate_limit(outcome(ask, url))
    assert shaped is not None and 50 < shaped.value["retryAfterSeconds"] <= 60
