"""Sends the plain module the messages that Node's host sent, and compares every byte of the answers.

Usage: replay.py <module> <transcript>
"""

import struct
import sys

from host import Toolshape

module, transcript = sys.argv[1:]
with open(transcript, "rb") as file:
    said = memoryview(file.read())
toolshape = Toolshape(module)
at = passed = failed = 0


def message():
    """The next message of the transcript: its parts."""
    global at
    (count,) = struct.unpack_from("<I", said, at)
    sizes = struct.unpack_from(f"<{count}I", said, at + 4)
    at += 4 + 4 * count
    parts = []
    for size in sizes:
        parts.append(bytes(said[at : at + size]))
        at += size
    return parts


while at < len(said):
    asked, expected = message(), message()
    came = toolshape.send(asked)
    if came == expected:
        passed += 1
    else:
        failed += 1
        print(f"{asked[0][:300]!r}\n  gives {came[0][:300]!r}\n  wants {expected[0][:300]!r}")
print(f"vectors in wasmtime: {passed} calls")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0 or passed == 0)
