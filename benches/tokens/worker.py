"""One contender of `cargo xtask bench tokens`, in Python: see native/src/main.rs for the orders."""

import sys
import time

START = time.perf_counter_ns()


def contender(name, ranks):
    if name == "toolshape":
        from toolshape import count_tokens, fits_tokens

        return count_tokens, lambda text, limit: fits_tokens(text, limit) is not None
    if name == "tiktoken":
        import tiktoken

        encode = tiktoken.get_encoding("o200k_base").encode_ordinary
    elif name == "bpe-openai":
        from bpe_openai._bindings import tokenizer_for_encoding

        bpe = tokenizer_for_encoding("o200k_base")
        return bpe.count, lambda text, limit: bpe.count_till_limit(text, limit) is not None
    elif name == "gigatoken":
        import gigatoken

        encode = gigatoken.Tokenizer.from_tiktoken(ranks).as_tiktoken().encode_ordinary
    elif name == "fastokens":
        import fastokens

        tokenizer = fastokens.Tokenizer.from_tiktoken(ranks, encoding="o200k_base")
        encode = lambda text: tokenizer.encode_ordinary(text).ids
    else:
        raise SystemExit(f"no contender is named {name}")
    return lambda text: len(encode(text)), lambda text, limit: len(encode(text)) <= limit


def main():
    count, within = contender(sys.argv[1], sys.argv[2])
    if "cold" in sys.argv:
        count("Hello, world!")
        print(time.perf_counter_ns() - START)
        return
    for line in sys.stdin:
        order, file, *number = line.rstrip("\n").split("\t")
        with open(file, encoding="utf-8", newline="") as stream:
            text = stream.read()
        each, tokens = 1, 0
        if order == "count":
            start = time.perf_counter_ns()
            tokens = count(text)
        elif order == "short":
            size = int(number[0])
            texts = [text[at : at + size] for at in range(0, len(text), size)]
            each = len(texts)
            start = time.perf_counter_ns()
            for text in texts:
                tokens += count(text)
        else:
            start = time.perf_counter_ns()
            within(text, int(number[0]))
        print((time.perf_counter_ns() - start) // each, tokens, flush=True)


main()
