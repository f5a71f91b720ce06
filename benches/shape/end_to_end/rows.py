"""What the tool of every server returns, as in rows.mjs."""

SIZES = {"2 KB": 10, "350 KB": 2_000, "3.7 MB": 20_000}
WORDS = "order invoice customer shipment refund payment account ledger contract report".split()


def rows_of(count):
    seed = 1

    def below(bound):
        nonlocal seed
        seed = seed * 48271 % 2147483647
        return seed % bound

    def word():
        return WORDS[below(len(WORDS))]

    def updated():
        month, day, hour, minute = below(12) + 1, below(28) + 1, below(24), below(60)
        return f"2026-{month:02}-{day:02}T{hour:02}:{minute:02}:00Z"

    return [
        {
            "id": at + 1,
            "name": f"{word()} {word()} {below(10_000)}",
            "status": ["open", "paid", "late"][below(3)],
            "owner": f"user{below(500)}@example.com",
            "amount": below(1_000_000) / 100,
            "updated": updated(),
            "note": " ".join(word() for _ in range(5)),
        }
        for at in range(count)
    ]


def version_of(rows, version):
    """The same rows, except for a name: so no two calls return the same text, and no store has it already."""
    return [{**rows[0], "name": f"version {version}"}, *rows[1:]]
