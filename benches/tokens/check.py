"""Reads texts and the tokens we have for them from standard input, and compares with tiktoken.

A batch is the encoding's number, how many texts, how many bytes, how many tokens (four little-endian
u32), then the length of each text in bytes, the number of tokens of each, the texts and the tokens.
Prints the first differences and, at the end, how many texts were compared.
"""

import struct
import sys
from array import array

import tiktoken

ENCODINGS = [tiktoken.get_encoding(name) for name in ("o200k_base", "cl100k_base")]


def words(stream, count):
    read = array("I")
    read.frombytes(stream.read(4 * count))
    return read


def main():
    stream = sys.stdin.buffer
    compared = differing = 0
    while header := stream.read(16):
        number, texts, size, tokens = struct.unpack("<4I", header)
        encoding = ENCODINGS[number]
        encode = encoding._core_bpe.encode_ordinary
        lengths, counts = words(stream, texts), words(stream, texts)
        blob, ours = stream.read(size), words(stream, tokens)
        theirs, start = [], 0
        ends = []
        for length in lengths:
            theirs += encode(blob[start : start + length].decode())
            ends.append(len(theirs))
            start += length
        compared += texts
        total = 0
        same = array("I", theirs) == ours
        for index in range(texts) if not same else ():
            total += counts[index]
            same = same and total == ends[index]
        if not same or ends[-1] != tokens:
            differing += report(encoding, lengths, counts, blob, ours)
    print(f"{compared} texts compared with tiktoken {tiktoken.__version__}, {differing} differ")
    sys.exit(differing > 0)


def report(encoding, lengths, counts, blob, ours):
    """Says which texts of a batch differ, the first few in full."""
    at = token = found = 0
    for length, count in zip(lengths, counts):
        text = blob[at : at + length].decode()
        mine, theirs = ours[token : token + count].tolist(), encoding.encode_ordinary(text)
        at, token = at + length, token + count
        if mine != theirs:
            found += 1
            if found <= 5:
                print(f"{encoding.name} {ascii(text)}: ours {mine}, theirs {theirs}")
    return found


main()
