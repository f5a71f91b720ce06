"""The shaper of a policy."""

from __future__ import annotations

from collections.abc import Mapping

from . import _toolshape as core
from ._error import ToolshapeError


def made_shaper(policy: object) -> core.Shaper:
    """The shaper of a policy, which may be one; ``INVALID_POLICY``."""
    if isinstance(policy, core.Shaper):
        return policy
    if policy is not None and not isinstance(policy, Mapping):
        message = f"the policy is of type {type(policy).__name__}; it takes a dict of options, or a Shaper"
        raise ToolshapeError(message, "INVALID_POLICY")
    return core.Shaper(**(policy or {}))
