import json
import struct

from wasmtime import Engine, Instance, Module, Store


class Toolshape:
    """toolshape in wasmtime."""

    def __init__(self, file):
        self.engine = Engine()
        self.module = Module.from_file(self.engine, file)
        self.start()

    def start(self):
        """A new instance, without what the last one had made."""
        self.store = Store(self.engine)
        self.wasm = Instance(self.store, self.module, []).exports(self.store)

    def run(self, name, number):
        return self.wasm[f"toolshape_{name}"](self.store, number)

    def send(self, parts):
        """Sends a message, and returns the parts of the answer."""
        message = b"".join([struct.pack(f"<{len(parts) + 1}I", len(parts), *map(len, parts)), *parts])
        address = self.run("alloc", len(message)) & 0xFFFFFFFF
        if address == 0:
            raise MemoryError
        self.wasm["memory"].write(self.store, message, address)
        answer = self.run("call", address) & 0xFFFFFFFF
        read = lambda start, size: bytes(self.wasm["memory"].read(self.store, start, start + size))
        (count,) = struct.unpack("<I", read(answer, 4))
        at, came = answer + 4 + 4 * count, []
        for size in struct.unpack(f"<{count}I", read(answer + 4, 4 * count)):
            came.append(read(at, size))
            at += size
        self.run("free", answer)
        return came

    def call(self, method, *parts, **members):
        """Calls a method. ``members`` name ``parts``, which are bytes, by their numbers, as the result names those of the answer."""
        came = self.send([json.dumps({"method": method, **members}).encode(), *parts])
        answer = json.loads(came[0])
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer["result"], came
