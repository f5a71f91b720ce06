"""Makes the four corpora of the token benchmark, from pinned packages, in the folder given.

pretty.json and minified.json: the example files of npm simdjson, whole ones joined by a newline.
prose.txt: the documentation and the sources of Django, by turns. multilingual.txt: Django's
translations into languages that are not written in Latin letters, and a little ASCII between them.
Each file is shuffled in units of about 2 kB by a fixed seed, so that every chunk of it is like the rest.
"""

import json
import pathlib
import random
import re
import subprocess
import sys
import tarfile

SIMDJSON = "simdjson@0.9.2"
DJANGO = "django==5.2.9"
LANGUAGES = (
    "ar be bg bn el fa he hi hy ja ka kk km ko mk ml mn mr my ne pa ru sr ta te tg th uk ur zh_Hans zh_Hant".split()
)
SIZE = 6_000_000


def fetch(folder):
    folder.mkdir(parents=True, exist_ok=True)
    if not list(folder.glob("simdjson*.tgz")):
        subprocess.run(
            ["npm", "pack", "--silent", "--ignore-scripts", SIMDJSON], cwd=folder, check=True, stdout=subprocess.DEVNULL
        )
    if not list(folder.glob("?jango*.tar.gz")):
        download = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", DJANGO]
        subprocess.run(download, cwd=folder, check=True)
    for archive in [*folder.glob("simdjson*.tgz"), *folder.glob("?jango*.tar.gz")]:
        with tarfile.open(archive) as tar:
            for member in tar.getmembers():
                if member.isfile() and member.size:
                    yield member.name.partition("/")[2], tar.extractfile(member).read().decode("utf-8", "replace")


def units(text, size=2000):
    """Cuts a text after lines, into units of about `size` characters."""
    unit = ""
    for line in text.splitlines(keepends=True):
        unit += line
        if len(unit) >= size:
            yield unit
            unit = ""
    if unit:
        yield unit


def rows(value):
    """The rows of a large JSON value: what a tool would return."""
    if len(json.dumps(value)) < 4000 or not isinstance(value, (dict, list)):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from rows(item)
    else:
        for key, item in value.items():
            for row in rows(item):
                yield {key: row}


def translations(text):
    for match in re.finditer(r'^msgstr(?:\[\d\])? ((?:".*"\n)+)', text, re.M):
        parts = re.findall(r'"(.*)"\n', match[1])
        translated = "".join(parts).replace("\\n", "\n").replace('\\"', '"')
        if translated and "Project-Id-Version" not in translated:
            yield translated + "\n"


def write(path, pieces, size=SIZE):
    pieces = list(pieces)
    random.Random(7).shuffle(pieces)
    text = "".join(pieces).encode()[:size].decode(errors="ignore")
    path.write_text(text, encoding="utf-8", newline="")
    raw = text.encode()
    print(f"{path.name}: {len(raw)} bytes, {sum(byte > 127 for byte in raw) * 100 // len(raw)} % not ASCII")


def main():
    out = pathlib.Path(sys.argv[1])
    files = dict(fetch(out / "packages"))
    values = [
        row
        for name, text in files.items()
        if name.startswith("jsonexamples/") and name.endswith(".json")
        for row in rows(json.loads(text))
    ]
    random.Random(7).shuffle(values)
    # A page of rows each, as a tool returns them; numbers-only files would drown the others.
    pages, numbers = [], 0
    for start in range(0, len(values), 8):
        page = values[start : start + 8]
        flat = json.dumps(page)
        if sum(map(str.isdigit, flat)) > len(flat) / 2:
            numbers += len(flat)
            if numbers > 600_000:
                continue
        pages.append(page)
    write(out / "pretty.json", (json.dumps(page, indent=2, ensure_ascii=False) + "\n" for page in pages))
    write(out / "minified.json", (json.dumps(page, separators=(",", ":"), ensure_ascii=False) + "\n" for page in pages))
    docs = [
        unit
        for name, text in files.items()
        if name.startswith("docs/") and name.endswith(".txt")
        for unit in units(text)
    ]
    code = [
        unit
        for name, text in files.items()
        if name.startswith("django/") and name.endswith(".py")
        for unit in units(text)
    ]
    size = min(sum(map(len, docs)), sum(map(len, code)), SIZE // 2)
    half = lambda pieces: [piece for piece, end in zip(pieces, accumulated(pieces)) if end <= size]
    write(out / "prose.txt", half(shuffled(docs)) + half(shuffled(code)))
    foreign = [
        line
        for name, text in files.items()
        for language in LANGUAGES
        if f"/locale/{language}/" in name and name.endswith(".po")
        for line in translations(text)
    ]
    write(out / "multilingual.txt", foreign)


def shuffled(pieces):
    random.Random(7).shuffle(pieces)
    return pieces


def accumulated(pieces):
    end = 0
    for piece in pieces:
        end += len(piece)
        yield end


main()
