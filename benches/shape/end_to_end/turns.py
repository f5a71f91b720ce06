"""The orders in which servers take turns, as in turns.mjs."""


def orders(count):
    first = [(at + 1) // 2 if at % 2 == 1 else (count - at // 2) % count for at in range(count)]
    square = [[(at + shift) % count for at in first] for shift in range(count)]
    return square if count % 2 == 0 else [*square, *(order[::-1] for order in square)]
