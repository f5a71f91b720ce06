"""The endpoint of a scripted model for Claude Code, which has no fake model of its own: Anthropic's Messages as a stream."""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


class Script:
    """Calls the tools of each turn, and notes what it reads. A turn may be a function of that."""

    def __init__(self, turns: Any) -> None:
        self.turns = turns
        self.read: list[Any] = []
        self.names: list[str] = []

    def answer(self, request: Any) -> list[Any]:
        """The content of its answer."""
        self.names = [tool["name"] for tool in request.get("tools", [])]
        blocks = [block for message in request["messages"] for block in message["content"] if isinstance(block, dict)]
        results = [block for block in blocks if block["type"] == "tool_result"]
        at = len({block["tool_use_id"].split("-")[1] for block in results})
        if not self.names or at >= len(self.turns):
            self.read = results or self.read
            return [{"type": "text", "text": "done"}]
        turn = self.turns[at]
        return [
            {"type": "tool_use", "id": f"call-{at}-{place}", "name": self._tool(name), "input": given}
            for place, (name, given) in enumerate(turn(results) if callable(turn) else turn)
        ]

    def _tool(self, name: str) -> str:
        return next(each for each in self.names if each == name or each.endswith(f"__{name}"))


@contextmanager
def endpoint(script: Script) -> Any:
    """Serves a script; yields its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            is_message = self.path.partition("?")[0].endswith("/messages")
            answer = script.answer(request) if is_message else []
            self.send_response(200)
            self.send_header("content-type", "text/event-stream" if request.get("stream") else "application/json")
            self.end_headers()
            stop = {"stop_reason": "tool_use" if answer and answer[0]["type"] == "tool_use" else "end_turn"}
            usage = {"input_tokens": 10, "output_tokens": 5}
            message = {
                "id": "msg",
                "type": "message",
                "role": "assistant",
                "model": request.get("model"),
                "usage": usage,
            }
            if not request.get("stream"):
                self.wfile.write(json.dumps({**message, "content": answer, **stop, "input_tokens": 10}).encode())
                return
            self._send("message_start", message={**message, "content": [], "stop_reason": None})
            for at, block in enumerate(answer):
                is_text = block["type"] == "text"
                started = {"type": "text", "text": ""} if is_text else {**block, "input": {}}
                said = {"type": "text_delta", "text": block.get("text")}
                given = {"type": "input_json_delta", "partial_json": json.dumps(block.get("input"))}
                self._send("content_block_start", index=at, content_block=started)
                self._send("content_block_delta", index=at, delta=said if is_text else given)
                self._send("content_block_stop", index=at)
            self._send("message_delta", delta=stop, usage={"output_tokens": 5})
            self._send("message_stop")

        def _send(self, kind: str, **members: Any) -> None:
            self.wfile.write(f"event: {kind}\ndata: {json.dumps({'type': kind, **members})}\n\n".encode())

        def do_GET(self) -> None:
            self.send_response(404)
            self.end_headers()

        def do_HEAD(self) -> None:
            self.do_GET()

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
