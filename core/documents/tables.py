"""Rows of a table as drawn to one header with rows below it."""

from collections.abc import Iterator, Sequence

from core.documents.columns import read_header

RIGHT, DOWN = "\x01", "\x02"
"""What marks a cell that goes on from the left, or from above."""
LEAST_KNOWN = 0.6
"""Share of the cells of a first column that are names of columns where a table is turned."""
MOST_NAMES = 50
"""Rows of a table that is turned."""
Rows = list[list[str]]


def arrange_table(rows: Sequence[Sequence[str]], *, is_filled: bool) -> tuple[list[str], Rows]:
    """Return captions above a table, and its header with the rows below.

    Headers of two rows become one, merged cells have their text in every row, and a table whose
    columns are drugs is turned.

    Args:
        rows: The rows as drawn.
        is_filled: Whether an empty first cell goes on from above.
    """
    table = list(_of_merged(rows))
    captions = []
    while len(table) > 1 and len(table[0]) > 1 and len(_texts(table[0])) == 1:
        captions += _texts(table.pop(0))
    if not table:
        return captions, []
    if len(table) > 2 and not table[1][0] and "" in table[0][1:]:  # blanks for merged cells
        table[0] = [table[0][0], *(cell or RIGHT for cell in table[0][1:])]
    is_double = len(table) > 2 and (
        RIGHT in table[0] or _n_kinds(table[1]) > max(1, _n_kinds(table[0]))
    )
    header = _without_gaps(table.pop(0))
    if is_double:
        below = _without_gaps(table.pop(0))
        below += [""] * (len(header) - len(below))
        header = [" ".join(dict.fromkeys(pair)) for pair in zip(header, below, strict=False)]
    body = [["" if cell == RIGHT else cell for cell in row] for row in table]
    body = [row for row in body if row != header]
    if _is_turned(header, body):
        return captions, _turned(header, body)
    if is_filled and header and read_header(header[0]).kind == "drug":
        for above, row in zip(body, body[1:], strict=False):
            row[0] = row[0] or above[0]
    return captions, [header, *body]


def _of_merged(rows: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Yield the rows that have text; a cell that goes on from above has the text of that."""
    above: list[str] = []
    for row in rows:
        texts = [cell if cell in {RIGHT, DOWN} else " ".join(cell.split()) for cell in row]
        for at, cell in enumerate(texts):
            if cell == DOWN:
                texts[at] = above[at] if at < len(above) else ""
        if _texts(texts):
            yield texts
        above = texts


def _texts(row: Sequence[str]) -> list[str]:
    return [cell for cell in row if cell and cell != RIGHT]


def _without_gaps(row: Sequence[str]) -> list[str]:
    """Return a header in which a cell over several columns names each of them."""
    names: list[str] = []
    for cell in row:
        names.append(cell if cell != RIGHT else names[-1] if names else "")
    return names


def _n_kinds(row: Sequence[str]) -> int:
    return len({read_header(cell).kind for cell in row} - {""})


def _is_turned(header: Sequence[str], body: Rows) -> bool:
    """Return whether the first column names what the others state."""
    firsts = [row[0] for row in body[:MOST_NAMES]]
    is_open = len(header) > 1 and not _n_kinds(header[1:]) and 1 < len(body) <= MOST_NAMES
    return is_open and _n_kinds(firsts) >= LEAST_KNOWN * len(firsts)


def _turned(header: Sequence[str], body: Rows) -> Rows:
    corner = header[0] if read_header(header[0]).kind else ""
    names = [corner, *(row[0] for row in body)]
    columns = range(1, len(header))
    cells = [[header[at], *(row[at] if at < len(row) else "" for row in body)] for at in columns]
    return [names, *(row for row in cells if any(row))]
