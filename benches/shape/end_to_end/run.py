"""Measures calls end to end in Python, each part in a process of its own, and writes the samples as JSON.

Usage: python -m end_to_end.run <file to write> <seconds of the crowd> [--quick]
"""

import sys

from children import child, recorder

from end_to_end.clients import SDKS
from end_to_end.stores import STORES

file, seconds, *quick = sys.argv[1:]
found = {"stores": STORES, "parts": [], "calls": [], "crowd": [], "cold": [], "memory": []}
step = recorder("python", found, file)

for size in ["350 KB"] if quick else ["350 KB", "3.7 MB"]:
    with step(f"calls and their parts, {size}"):
        found["parts"].append(child("-m", "end_to_end.parts", size, *((1, 1) if quick else (9, 2))))
for place in ["no store", *STORES]:
    with step(f"memory, {place}"):
        found["memory"].append(child("-m", "end_to_end.memory", place, 10 if quick else 100))
for sdk in SDKS:
    # In a quick run the crowd alone calls over HTTP.
    for transport in ["stdio"] if quick else ["stdio", "http"]:
        with step(f"{sdk}, {transport}"):
            found["calls"] += child("-m", "end_to_end.calls", "turns", sdk, transport, *quick)
    if not quick or sdk == SDKS[0]:
        with step(f"{sdk}, its start"):
            found["cold"].append(child("-m", "end_to_end.calls", "cold", sdk, 1 if quick else 7))
    with step(f"{sdk}, sixteen clients"):
        found["crowd"] += child("-m", "end_to_end.calls", "crowd", sdk, seconds)
