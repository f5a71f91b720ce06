"""What Python makes of a JSON file under a budget, from its text and from its value, as a JSON array of two texts."""

import json
import sys
from pathlib import Path

from toolshape import Shaper

path, max_tokens = sys.argv[1:]
text = Path(path).read_text("utf-8")
shaper = Shaper(max_tokens=int(max_tokens))
print(json.dumps([shaper.shape_json(text, tool="corpus").text, shaper.shape(json.loads(text), tool="corpus").text]))
