"""What an adapter says if its SDK is not there, or is one of another version."""

from __future__ import annotations

from importlib import metadata


def unsupported(package: str, versions: str) -> ImportError:
    """The error for an SDK that cannot be imported as the adapter needs it."""
    try:
        found = f"installed is {package} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        found = "it is not installed"
    remedy = f"pip install 'toolshape[{package}]'"
    return ImportError(f"toolshape.{package} takes {package} {versions}; {found}: {remedy}", name=package)
