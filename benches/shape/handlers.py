"""Two handlers as one writes them by hand, and both are used well, as in handlers.mjs: the short one cuts, the careful
one gives JSON within the budget.
"""

from works import PAGE_SIZE

BUDGET = 2000
CHARS_A_TOKEN = 4
# A text with more characters a token is not worth counting: it will not fit.
MOST_CHARS_A_TOKEN = 8
# The text around the members of an object.
FRAME_TOKENS = 20
# The longest string that stays whole in a row that is too large by itself.
SHORT = 100


def cutting(work, dumps, loads):
    encoding = o200k_base()

    def handle(value, page):
        if work.is_json:
            value = loads(value)
        if work.rows:
            value = work.rows(value, page)
        text = value if isinstance(value, str) else dumps(value)
        if not work.rows:
            text = text[: BUDGET * CHARS_A_TOKEN]
        tokens = encoding.encode_ordinary(text)
        return text if len(tokens) <= BUDGET else encoding.decode(tokens[:BUDGET]) + "… [truncated]"

    return handle


def careful(work, dumps, loads):
    encoding = o200k_base()

    def fits(text, room):
        """The tokens of a text if they are at most this many."""
        if len(text) > room * MOST_CHARS_A_TOKEN:
            return None
        tokens = len(encoding.encode_ordinary(text))
        return tokens if tokens <= room else None

    def handle(value, page):
        if work.is_json:
            value = loads(value)
        if isinstance(value, str):
            return text_within(value)
        return rows_within(lambda size: work.rows(value, page, size)) if work.rows else members_within(value)

    def rows_within(page_with):
        """As many rows as fit; if the first one does not, its short members."""
        room, size = BUDGET - (fits(dumps(page_with(0)), BUDGET) or BUDGET), 0
        for row in items_of(page_with(PAGE_SIZE)):
            tokens = fits(dumps(row), room - 1)
            if tokens is None:
                break
            room -= tokens + 1
            size += 1
        for shown in range(size, 0, -1):
            text = dumps(page_with(shown))
            if fits(text, BUDGET) is not None:
                return text
        page = page_with(1)
        items = items_of(page)
        items[:] = [{key: member for key, member in row.items() if is_short(member)} for row in items]
        return dumps(page)

    def members_within(value):
        """The members that fit, and of each other one how large it is."""
        members = [(dumps(key) + ":", dumps(member), member) for key, member in value.items()]
        whole = "{" + ",".join(key + text for key, text, _ in members) + "}"
        if fits(whole, BUDGET) is not None:
            return whole
        shown, room = ['"truncated":true'], BUDGET - FRAME_TOKENS
        for key, text, member in members:
            part = key + text
            tokens = fits(part, room)
            if tokens is None:
                what = f"{len(member)} items" if isinstance(member, list) else type(member).__name__
                part = f'{key}"[{what}]"'
                tokens = fits(part, room)
            if tokens is None:
                break
            shown.append(part)
            room -= tokens + 1
        return "{" + ",".join(shown) + "}"

    def text_within(text):
        """The beginning of a text, with its length."""
        if fits(text, BUDGET) is not None:
            return text
        chars = BUDGET * CHARS_A_TOKEN
        while True:
            shown = dumps({"truncated": True, "totalChars": len(text), "preview": text[:chars]})
            if fits(shown, BUDGET) is not None:
                return shown
            chars = chars * 9 // 10

    return handle


def items_of(page):
    """The items of a page, which may be inside a dictionary."""
    return page["items"] if "items" in page else next(member["items"] for member in page.values() if "items" in member)


def is_short(member):
    return len(member) <= SHORT if isinstance(member, str) else not isinstance(member, (list, dict))


def o200k_base():
    import tiktoken

    return tiktoken.get_encoding("o200k_base")
