"""Tokens as a user of the package sees them; exactness is the vectors' matter."""

from __future__ import annotations

from base64 import b64encode

import pytest
from toolshape import (
    Shaper,
    count_tokens,
    decode,
    decode_bytes,
    encode,
    encode_with_special,
    fits_tokens,
    load_encoding,
    truncate_to_tokens,
)
from toolshape.types import Side


def test_text_is_counted() -> None:
    assert count_tokens("hello world") == 2
    assert count_tokens("hello world", "cl100k_base") == 2
    assert count_tokens("hello world", encoding="estimate") >= 2
    assert count_tokens("") == 0
    assert count_tokens("<|endoftext|>") > 1
    assert count_tokens("a\ud800b") == count_tokens("a\ufffdb")


def test_a_limit_is_told_from_the_count() -> None:
    assert fits_tokens("hello world", 2) == 2
    assert fits_tokens("hello world", 1) is None
    assert fits_tokens("x " * 5_000_000, 2000) is None
    assert fits_tokens("hello", 10**30) == 1


def test_special_tokens_are_those_only_where_that_is_asked_for() -> None:
    assert encode_with_special("a<|endoftext|>") == [64, 199_999]
    assert len(encode("a<|endoftext|>")) > 2
    assert decode([64, 199_999]) == "a<|endoftext|>"


def test_tokens_may_end_inside_a_character() -> None:
    tokens = encode("\N{ALCHEMICAL SYMBOL FOR AIR}")
    assert len(tokens) > 1
    assert decode(tokens[:1]) == "\ufffd"
    assert b"".join(decode_bytes([token]) for token in tokens) == "\N{ALCHEMICAL SYMBOL FOR AIR}".encode()
    assert decode(iter(encode("\ufeffa"))) == "\ufeffa"


def test_a_text_is_truncated_at_a_grapheme_and_keeps_its_surrogates() -> None:
    assert truncate_to_tokens("one two three", 2) == "one two"
    assert truncate_to_tokens("one two three", 2, side="tail") == " two three"
    assert truncate_to_tokens("\ud800 one two", 1) == "\ud800"
    assert truncate_to_tokens("\U0001f469\u200d\U0001f469\u200d\U0001f467", 3) == ""
    assert truncate_to_tokens("one", 10**30) == "one"
    long = "word " * 4_000_000
    assert count_tokens(truncate_to_tokens(long, 2000)) == 2000
    assert count_tokens(truncate_to_tokens(long, 2000, side="tail")) == 2000


def test_a_rank_file_makes_an_encoding() -> None:
    tokens = (decode_bytes([rank], "cl100k_base") for rank in range(100_256))
    file = b"".join(b"%s %d\n" % (b64encode(token), rank) for rank, token in enumerate(tokens))
    mine = load_encoding("mine", file, "cl100k_base")
    text = "\u5927\u898f\u6a21, and 12345 more don'ts\n\n"
    assert encode(text, mine) == encode(text, "cl100k_base")
    shaped = Shaper(encoding=mine).shape([text])
    assert shaped.receipt["encoding"] == "mine"
    assert shaped.tokens == count_tokens(shaped.text, "cl100k_base")
    assert load_encoding("mine", b"", "o200k_base") == mine
    assert encode(text, mine) == encode(text, "cl100k_base")


@pytest.mark.parametrize("side", ["head", "tail"])
def test_what_is_truncated_fits(side: Side) -> None:
    text = "\U0001f1e9\U0001f1ea" * 300 + "a" * 300 + "e\u0301" * 300
    for limit in range(0, 400, 7):
        kept = truncate_to_tokens(text, limit, side=side)
        assert fits_tokens(kept, limit) is not None
        assert text.startswith(kept) if side == "head" else text.endswith(kept)
