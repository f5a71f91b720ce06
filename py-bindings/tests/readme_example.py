"""Runs the first example of the README that the installed package has in its metadata; needs nothing but the package."""

from __future__ import annotations

import doctest
import re
from importlib import metadata

import toolshape

readme = metadata.metadata("toolshape").get_payload()
assert isinstance(readme, str)
blocks = re.findall("^```python\n(.*?)^```", readme, flags=re.MULTILINE | re.DOTALL)
example = next(block for block in blocks if ">>>" in block)
result = doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(example, {}, "PYPI.md", None, 0))
assert result.attempted > 3, result
assert result.failed == 0, result
print(f"{result.attempted} lines of the first example, with {toolshape.__file__}")
