"""Which generation of an SDK is installed, and the error for an unsupported one."""

from __future__ import annotations

import re
from importlib import import_module, metadata
from types import ModuleType

# The files of each SDK's generations, the newest first: the first that can be imported is the one for what is installed.
GENERATIONS = {"mcp": ("mcp2", "mcp1"), "fastmcp": ("fastmcp4", "fastmcp3", "fastmcp2")}
# The versions that the tests run with, as in `pyproject.toml`.
TAKEN = {"mcp": "1.24 to 2.x", "fastmcp": "2.14 to 4.x"}
# What is older may be imported, and does less.
OLDEST = {"mcp": (1, 24), "fastmcp": (2, 14)}


def generation(package: str) -> ModuleType:
    """The adapter for the generation that is installed; ``ImportError`` if there is none for it."""
    reason: ImportError | None = None
    if _version(package) >= OLDEST[package]:
        for name in GENERATIONS[package]:
            try:
                return import_module(f"{__package__}.{name}")
            except ImportError as error:
                reason = error
    raise unsupported(package) from reason


def unsupported(package: str) -> ImportError:
    """The error for an SDK that cannot be imported as an adapter needs it."""
    try:
        found = f"installed is {package} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        found = "it is not installed"
    remedy = f"pip install 'toolshape[{package}]'"
    return ImportError(f"toolshape.{package} takes {package} {TAKEN[package]}; {found}: {remedy}", name=package)


def _version(package: str) -> tuple[int, ...]:
    """The first two numbers of the version that is installed; without a version, the imports alone decide."""
    try:
        numbers = re.match(r"(\d+)(?:\.(\d+))?", metadata.version(package))
    except metadata.PackageNotFoundError:
        return OLDEST[package]
    return tuple(int(number or 0) for number in numbers.groups()) if numbers else OLDEST[package]
