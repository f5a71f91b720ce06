"""Measures the main road in Python, each part of it in a process of its own, and writes what it found as JSON.

Usage: python -m road.run <file to write> <seconds of the crowd> [--quick]
"""

import sys

from children import child, recorder

from road.clients import SDKS
from road.stores import STORES

file, seconds, *quick = sys.argv[1:]
found = {"stores": STORES, "parts": [], "calls": [], "crowd": [], "cold": [], "memory": []}
step = recorder("python", found, file)

for size in ["350 KB"] if quick else ["350 KB", "3.7 MB"]:
    with step(f"the road and its parts, {size}"):
        found["parts"].append(child("-m", "road.parts", size, *((1, 1) if quick else (9, 2))))
for place in ["no store", *STORES]:
    with step(f"memory, {place}"):
        found["memory"].append(child("-m", "road.memory", place, 10 if quick else 100))
for sdk in SDKS:
    # In a quick run the crowd alone calls over HTTP.
    for transport in ["stdio"] if quick else ["stdio", "http"]:
        with step(f"{sdk}, {transport}"):
            found["calls"] += child("-m", "road.calls", "turns", sdk, transport, *quick)
    if not quick or sdk == SDKS[0]:
        with step(f"{sdk}, its start"):
            found["cold"].append(child("-m", "road.calls", "cold", sdk, 1 if quick else 7))
    with step(f"{sdk}, sixteen clients"):
        found["crowd"] += child("-m", "road.calls", "crowd", sdk, seconds)
