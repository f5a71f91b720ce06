"""The paths of toolshape's WebAssembly files."""

from pathlib import Path
from typing import Final

PLAIN_MODULE: Final = Path(__file__).with_name("toolshape.wasm")
"""The module, which imports nothing."""

EXTISM_PLUGIN: Final = Path(__file__).with_name("toolshape_extism.wasm")
"""The same module as a plug-in of Extism, whose function `call` takes a message and returns its answer."""
