"""Lossless tokens: JSON files in the forms of toolshape and its peers, each expanded again.

Usage: python lossless.py FOLDER, such as a checkout of inth3shadows/terse (`scripts/bench/corpus`), or any folder of JSON files.
An encoder is exact if expanding returns the bytes of the minified file. What returns equal values in another order or spelling is marked,
and so is what does not return the values.
"""

import json
import subprocess
import sys
from pathlib import Path

import tokenfold
from headroom.transforms.content_router import ContentRouter, ContentRouterConfig
from terse import transforms
from toolshape import Shaper, count_tokens, expand


def minified(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def folded(text: str) -> tuple[str, str]:
    """Its default preset; the conservative one leaves JSON as it is."""
    shown = tokenfold.compress(text, format=tokenfold.InputFormat.JSON, preset=tokenfold.Preset.BALANCED).text
    return shown, tokenfold.decode(shown).decode()


def headroom(texts: list[str]) -> list[tuple[str, str]]:
    """By its options without loss. It has no decoder, so a reader has what is shown."""
    config = ContentRouterConfig(enable_kompress=False, smart_crusher_lossless_only=True)
    router = ContentRouter(config=config)
    return [(shown, shown) for shown in (router.compress(text).compressed for text in texts)]


def toon(texts: list[str]) -> list[tuple[str, str]]:
    script = Path(__file__).with_name("toon_encode.mjs")
    done = subprocess.run(["node", script], input="\n".join(texts), capture_output=True, text=True, check=True)
    return [tuple(json.loads(line).values()) for line in done.stdout.splitlines()]


def encoded(texts: list[str]) -> dict[str, list[tuple[str, str]]]:
    """What each encoder shows, and what its decoder returns."""
    dense = [Shaper(max_tokens=10_000_000, format="auto").shape_json(text).text for text in texts]
    tersed = [transforms.compress(json.loads(text)) for text in texts]
    return {
        "toolshape": [(shown, expand(shown)) for shown in dense],
        "terse": [(shown, minified(transforms.decompress(shown))) for shown in tersed],
        "tokenfold": [folded(text) for text in texts],
        "TOON": toon(texts),
        "headroom": headroom(texts),
    }


def main() -> None:
    folder = Path(sys.argv[1])
    corpus = folder / "scripts/bench/corpus"
    files = sorted((corpus if corpus.exists() else folder).glob("*.json"))
    texts = [minified(json.loads(file.read_text())) for file in files]
    arms = encoded(texts)
    print(f"| payload | JSON | {' | '.join(arms)} |\n|---|---|{'---|' * len(arms)}")
    sums, raw = dict.fromkeys(arms, 0), 0
    same_bytes, same_values = dict.fromkeys(arms, 0), dict.fromkeys(arms, 0)
    for at, (file, text) in enumerate(zip(files, texts)):
        own = count_tokens(text)
        raw += own
        cells = []
        for arm, results in arms.items():
            shown, decoded = results[at]
            tokens = count_tokens(shown)
            is_equal = is_json(decoded) and json.loads(decoded) == json.loads(text)
            same_bytes[arm] += decoded == text
            same_values[arm] += is_equal
            sums[arm] += tokens
            mark = "" if decoded == text else " (order or spelling)" if is_equal else " (lossy)"
            cells.append(f"{100 * (1 - tokens / own):.1f} %{mark}")
        print(f"| {file.stem} | {own:,} | {' | '.join(cells)} |")
    print("| the same bytes | | " + " | ".join(f"{one} of {len(files)}" for one in same_bytes.values()) + " |")
    print("| the same values | | " + " | ".join(f"{one} of {len(files)}" for one in same_values.values()) + " |")
    print("fewer tokens: " + ", ".join(f"{arm} {100 * (1 - one / raw):.1f} %" for arm, one in sums.items()))


if __name__ == "__main__":
    main()
