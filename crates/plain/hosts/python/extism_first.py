import json
import struct

import extism
from toolshape_plain_wasm import EXTISM_PLUGIN

plugin = extism.Plugin(EXTISM_PLUGIN.read_bytes())


def send(*parts: bytes) -> list[bytes]:
    """Sends a message, and returns the parts of the answer."""
    message = struct.pack(f"<{len(parts) + 1}I", len(parts), *map(len, parts)) + b"".join(parts)
    answer = bytes(plugin.call("call", message))
    (count,) = struct.unpack_from("<I", answer)
    at, came = 4 + 4 * count, []
    for size in struct.unpack_from(f"<{count}I", answer, 4):
        came.append(answer[at : at + size])
        at += size
    return came


def call(method: str, *texts: bytes, **members: object) -> tuple:
    came = send(json.dumps({"method": method, **members}).encode(), *texts)
    return json.loads(came[0])["result"], came


shaper, _ = call("shaper", policy={"maxTokens": 300})
rows = json.dumps([{"id": id} for id in range(1000)], separators=(",", ":")).encode()
result, parts = call("shapeJson", rows, shaper=shaper, text=1, call={"tool": "list_ids"})
print((rows if result["text"] is None else parts[result["text"]]).decode())
