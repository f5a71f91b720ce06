import json
import sys

from host import Toolshape

toolshape = Toolshape(sys.argv[1])
shaper, _ = toolshape.call("shaper", policy={"maxTokens": 300})
rows = json.dumps([{"id": id} for id in range(1000)], separators=(",", ":")).encode()
result, parts = toolshape.call("shapeJson", rows, shaper=shaper, text=1, call={"tool": "list_ids"})
print((rows if result["text"] is None else parts[result["text"]]).decode())
