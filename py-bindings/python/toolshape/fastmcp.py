"""Shapes the tools of a server of ``fastmcp``: ``server.add_middleware(ShapingMiddleware(policy))``.

It takes 2.x, 3.x and 4.x; types are checked as for 4.x.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._sdks.installed import generation

if TYPE_CHECKING:
    from ._sdks.fastmcp4 import ShapingMiddleware
else:
    ShapingMiddleware = generation("fastmcp").ShapingMiddleware

__all__ = ["ShapingMiddleware"]
