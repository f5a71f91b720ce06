"""The package as it is installed: typed, documented, at one version, and as its stubs say."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
import toolshape
from toolshape import Shaper, types
from toolshape._sdks.installed import OLDEST, TAKEN, unsupported

HERE = Path(__file__).parent
FILES = [Path(str(file)) for file in metadata.files("toolshape") or []]


def test_the_wheel_holds_types_licences_and_one_library() -> None:
    names = {file.as_posix() for file in FILES}
    assert {"toolshape/py.typed", "toolshape/_toolshape.pyi", "toolshape/__init__.py"} <= names
    assert {file.name for file in FILES} >= {"LICENSE", "NOTICE"}
    libraries = [name for name in names if name.endswith((".so", ".pyd"))]
    assert len(libraries) == 1 and "abi3" in libraries[0]
    assert not any("tests" in name or name.endswith(".rs") for name in names)


def test_there_is_one_version() -> None:
    assert toolshape.__version__ == metadata.version("toolshape")
    manifest = (HERE.parents[1] / "Cargo.toml").read_text("utf-8")
    assert f'version = "{toolshape.__version__}"' in manifest


def test_the_stubs_name_the_options_that_there_are() -> None:
    stub = ast.parse((Path(toolshape.__file__).parent / "_toolshape.pyi").read_text("utf-8"))
    shaper = next(node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == "Shaper")
    new = next(node for node in shaper.body if isinstance(node, ast.FunctionDef) and node.name == "__new__")
    named = {argument.arg for argument in new.args.kwonlyargs}
    # Python's own: a function is not part of a policy.
    named -= {"default"}
    assert named == set(types.ToolOptions.__annotations__) | {"combined_tokens", "read_tool", "tools"}
    try:
        Shaper(zzzzzzzzzz=1)
    except toolshape.ToolshapeError as error:
        known = str(error).split("the options are ")[1].split(", ")
    assert named == set(known)
    # Every default that the stub shows is the one that holds.
    shown = {a.arg: ast.literal_eval(d) for a, d in zip(new.args.kwonlyargs, new.args.kw_defaults) if d is not None}
    Shaper(**shown)
    explicit, implicit = Shaper(**shown), Shaper()
    rows = [{"id": i, "text": "x" * i} for i in range(300)]
    for value in (rows[:50], rows[:51], rows, "word " * 5000, {"rows": rows}):
        assert explicit.shape(value, page_size=100).text == implicit.shape(value, page_size=100).text


def test_signatures_can_be_read() -> None:
    assert str(inspect.signature(toolshape.count_tokens)) == "(text, encoding='o200k_base')"
    assert list(inspect.signature(Shaper.shape).parameters)[:3] == ["self", "value", "tool"]


def test_the_typing_sample_runs(tmp_path: Path) -> None:
    # It makes a store of files where it runs.
    subprocess.run([sys.executable, str(HERE / "typing_sample.py")], check=True, cwd=tmp_path)


@pytest.mark.parametrize(
    ("package", "version", "says"),
    [
        (
            "fastmcp",
            "2.13.1",
            "toolshape.fastmcp takes fastmcp 2.14 to 4.x; installed is fastmcp 2.13.1: pip install 'toolshape[fastmcp]'",
        ),
        (
            "fastmcp",
            "5.0.0",
            "toolshape.fastmcp takes fastmcp 2.14 to 4.x; installed is fastmcp 5.0.0: pip install 'toolshape[fastmcp]'",
        ),
        ("mcp", "1.9.4", "toolshape.mcp takes mcp 1.24 to 2.x; installed is mcp 1.9.4: pip install 'toolshape[mcp]'"),
        ("mcp", "3.0.0", "toolshape.mcp takes mcp 1.24 to 2.x; installed is mcp 3.0.0: pip install 'toolshape[mcp]'"),
    ],
)
def test_another_version_of_an_sdk_is_named(package: str, version: str, says: str, tmp_path: Path) -> None:
    """The SDKs before and after these have a package of the same name, with other modules in it."""
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text("")
    about = tmp_path / f"{package}-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
    code = f"import sys; sys.path.insert(0, sys.argv[1]); sys.modules['mcp_types'] = None; import toolshape.{package}"
    ran = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    assert ran.stderr.splitlines()[-1] == f"ImportError: {says}"


def test_the_command_imports_nothing_that_only_servers_need() -> None:
    """Its client waits for it."""
    code = "import sys, toolshape.__main__; print(sorted({'asyncio', 'logging'} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_an_sdk_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(package: str) -> str:
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(metadata, "version", nothing)
    assert "takes mcp 1.24 to 2.x; it is not installed: pip" in str(unsupported("mcp"))


def test_the_extras_take_the_versions_that_the_adapters_say() -> None:
    extras = [requirement for requirement in metadata.requires("toolshape") or [] if "extra ==" in requirement]
    for package, (major, minor) in OLDEST.items():
        (requirement,) = [extra for extra in extras if re.match(rf"{package}[<>]", extra)]
        oldest, newest = re.search(r">=([0-9.]+)", requirement), re.search(r"<([0-9]+)", requirement)
        assert oldest and newest
        assert TAKEN[package] == f"{oldest[1]} to {int(newest[1]) - 1}.x" and oldest[1] == f"{major}.{minor}"


def test_the_readme_tells_the_truth() -> None:
    readme = (HERE.parent / "PYPI.md").read_text("utf-8")
    session = "".join(re.findall("^```python\n(.*?)^```", readme, flags=re.MULTILINE | re.DOTALL))
    test = doctest.DocTestParser().get_doctest(session, {}, "PYPI.md", None, 0)
    result = doctest.DocTestRunner().run(test)
    assert result.attempted > 5 and result.failed == 0
