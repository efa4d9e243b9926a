"""Names as an attacker writes them, put everywhere into a result, and what a page makes of them.

Every string that Streamlit is sent counts as Markdown unless `TEXT` says that the browser shows
it as it is: a new element, or a new field of one, is looked at before anybody has thought of it.
"""

import io
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd
import pyarrow as pa
from markdown_it import MarkdownIt
from markdown_it.token import Token
from pydantic import ValidationError
from streamlit.testing.v1 import AppTest

from core.agent import Agent
from core.ports import Stores
from core.records.runs import Artifact

MARKS = (
    "![i](http://127.0.0.1:1/evil.png) [evil](//evil.example/x) <img src=//evil.example onerror=1> "
    "<evil@evil.example> :material/bug_report: :red[evil] :evil-badge[evil] $evil$ `evil` *evil* "
    "**evil** ~~evil~~ www.evil.example evil@evil.example http://evil.example/ "
    "javascript:evil(1) | evil | \\[evil](//evil.example) ]evil[ [1]: //evil.example {evil} ^evil"
)
LEADS = (
    '=HYPERLINK("http://evil.example")',
    "+evil|' /C calc'!A0 ",
    "@SUM(1)",
    "-2+3 evil",
    "\t=1+1 ",
    "\r\n=1+1 ",
    "\u202eevil\u202c ",
    "# ",
    "> ",
    "1. ",
    "- ",
    "    ",
    "| evil | b |\n|---|---|\n",
    "```\n",
)
ADDRESSES = (
    "javascript:evil(1)",
    "//evil.example/x",
    "data:text/html,<b>evil</b>",
    "https://known.example/x) [evil](//evil.example/x",
    "https://known.example/<img src=x>",
)
_KEPT = frozenset(
    {"smiles", "scaffold", "core", "inchikey", "id", "seed", "legal", "kind", "role", "stage"}
)
"""Fields that pages read as structures, numbers of sources or words of a fixed list."""
_FIXED = re.compile(r"\d{1,4}|\d{4}(-\d\d){1,2}(T.*)?|TBD|")


def spoil(text: str) -> str:
    """Return a name that still tells which one it was, with marks of every kind around it."""
    return f"{LEADS[zlib.crc32(text.encode()) % len(LEADS)]}{text} {MARKS}"


class Spoiling:
    """Spoils the view and the tables of a result alike, so that they still belong together."""

    def __init__(self, agent: Agent) -> None:
        self._model = agent.data
        self._words: set[str] = set()
        schema = agent.data.model_json_schema()
        parts = [schema, *schema.get("$defs", {}).values()]
        self._fields = {name for part in parts for name in part.get("properties", {})}

    def view(self, content: bytes) -> bytes:
        """Spoil every field of a view that may hold any text."""
        whole = json.loads(content)
        for name in sorted(set(_names(whole)) - _KEPT):
            changed = self._change(whole, name)
            try:
                self._model.model_validate(changed)
            except ValidationError:
                continue
            self._words |= {text for text in _texts(whole, name) if not _FIXED.fullmatch(text)}
            whole = changed
        keyed = self._keys(whole)
        try:
            self._model.model_validate(keyed)
        except ValidationError:
            keyed = whole
        return json.dumps(keyed).encode()

    def table(self, content: bytes) -> bytes:
        """Spoil the texts and the column names that the view has spoiled, and all other texts."""
        frame = pd.read_parquet(io.BytesIO(content))
        for column in frame.columns:
            if frame[column].dtype == object and column not in _KEPT:
                frame[column] = frame[column].map(lambda one, name=column: self._cell(name, one))
        frame = frame.rename(columns=lambda one: spoil(one) if one in self._words else one)
        target = io.BytesIO()
        frame.to_parquet(target, index=False)
        return target.getvalue()

    def _cell(self, column: str, value: object) -> object:
        free = column in {"gene_id", "symbol", "note", "event", "statement", "value", "locator"}
        if isinstance(value, str) and (free or value in self._words):
            return spoil(value)
        return address(value) if column == "url" and isinstance(value, str) else value

    def _change(self, node: Any, name: str, inside: bool = False) -> Any:
        if isinstance(node, Mapping):
            return {k: self._change(v, name, k == name) for k, v in node.items()}
        if isinstance(node, list):
            return [self._change(one, name, inside) for one in node]
        if not inside or not isinstance(node, str) or _FIXED.fullmatch(node):
            return node
        return address(node) if name == "url" else spoil(node)

    def _keys(self, node: Any) -> Any:
        if isinstance(node, Mapping):
            return {
                spoil(k) if k in self._words - self._fields else k: (self._keys(v))
                for k, v in node.items()
            }
        return [self._keys(one) for one in node] if isinstance(node, list) else node


def address(text: str) -> str:
    """Return an address of an attacker."""
    return ADDRESSES[zlib.crc32(text.encode()) % len(ADDRESSES)]


def _names(node: Any) -> Iterator[str]:
    if isinstance(node, Mapping):
        for name, value in node.items():
            yield name
            yield from _names(value)
    elif isinstance(node, list):
        for one in node:
            yield from _names(one)


def _texts(node: Any, wanted: str, inside: bool = False) -> Iterator[str]:
    if isinstance(node, Mapping):
        for name, value in node.items():
            yield from _texts(value, wanted, name == wanted)
    elif isinstance(node, list):
        for one in node:
            yield from _texts(one, wanted, inside)
    elif inside and isinstance(node, str):
        yield node


def spoil_result(agent: Agent, parts: tuple[Artifact, ...], stores: Stores) -> tuple[Artifact, ...]:
    """Return the parts of a result with every text replaced by an attacker's."""
    spoiling, kept = Spoiling(agent), []
    for part in sorted(parts, key=lambda one: one.kind != "view"):
        content = stores.blobs.path(part.sha256).read_bytes()
        if part.kind == "view":
            content = spoiling.view(content)
        elif part.kind == "table":
            content = spoiling.table(content)
        blob = stores.blobs.put(content)
        kept.append(part.model_copy(update={"sha256": blob.sha256, "size": blob.size}))
    return tuple(kept)


# What the browser is sent

TEXT = frozenset(
    {
        "Code.code_text",
        "Text.body",
        "Selectbox.options",
        "Selectbox.raw_value",
        "Selectbox.placeholder",
        "MultiSelect.options",
        "MultiSelect.raw_values",
        "MultiSelect.placeholder",
        "ButtonGroup.raw_values",
        "TextInput.value",
        "TextInput.default",
        "TextInput.placeholder",
        "TextArea.value",
        "TextArea.default",
        "TextArea.placeholder",
        "PageLink.query_string",
        "Dataframe.columns",
        "Dataframe.column_order",
        "Dataframe.selection_state",
        "VegaLiteChart.spec",
        "PlotlyChart.spec",
        "DownloadButton.url",
        "Image.url",
        "LinkButton.url",
        "TabContainer.default_tab_label",
    }
)
"""Fields that the browser shows, or uses, as text; what holds a chart is looked at apart."""
_NAMES = re.compile(
    r"(id|alt|form_id|element_id|query_param_key|key|page_script_hash|type|theme|anchor)"
)
"""Fields that name something, in every message; `alt` is read aloud as it stands."""
_ACTIVE = frozenset({"image", "html_inline", "html_block"})
_VERBATIM = frozenset({"fence", "code_block", "code_inline"})
_DIRECTIVE = re.compile(r":(material/bug_report:|red\[|evil-badge\[)")
_TURNED = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
_MATH = re.compile(r"(?<!\\)\$[^$]*evil[^$]*(?<!\\)\$")
_AUTOLINK = re.compile(r"(?i)(?<![\w\\])(www\.evil|https?://(127|evil)|evil@evil)")
_PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def read_messages(page: AppTest) -> list[Any]:
    """Return every element and block of a page as the browser is sent it."""
    nodes, found = [page.main, page.sidebar, *page._tree.children.values()], []
    while nodes:
        node = nodes.pop()
        proto = getattr(node, "proto", None)
        if proto is not None:
            found.append(proto)
        nodes.extend(getattr(node, "children", {}).values())
    return found


def shown_markdown(page: AppTest) -> Iterator[tuple[str, str]]:
    """Yield the field and the text of everything that the browser reads as Markdown."""
    for message in read_messages(page):
        yield from _fields(message)


def _fields(message: Any) -> Iterator[tuple[str, str]]:
    kind = message.DESCRIPTOR.name
    if kind == "Table":
        yield from _table_cells(message)
        return
    if kind == "Dataframe":
        yield from _column_help(message)
    for field, value in message.ListFields():
        place = f"{kind}.{field.name}"
        many = list(value) if field.is_repeated and not isinstance(value, Mapping) else [value]
        for one in many:
            if field.message_type is not None and hasattr(one, "ListFields"):
                yield from _fields(one)
            elif isinstance(one, str) and place not in TEXT and not _NAMES.fullmatch(field.name):
                yield place, one


def _table_cells(message: Any) -> Iterator[tuple[str, str]]:
    table = pa.ipc.open_stream(message.arrow_data.data).read_all()
    for name, column in zip(table.column_names, table.columns, strict=True):
        yield "Table", name
        yield from (("Table", str(cell)) for cell in column.to_pylist() if cell is not None)


def _column_help(message: Any) -> Iterator[tuple[str, str]]:
    for column in json.loads(message.columns or "{}").values():
        if column.get("help"):
            yield "Dataframe.help", column["help"]


def find_live_elsewhere(page: AppTest) -> list[str]:
    """Return what of an attacker's marks a chart or a table of the page would act on."""
    found = []
    for message in read_messages(page):
        for part in _messages(message):
            kind = part.DESCRIPTOR.name
            if kind == "PlotlyChart":
                found += _live_in_plotly(json.loads(part.spec))
            elif kind == "VegaLiteChart":
                found += _live_in_vega(json.loads(part.spec))
            elif kind == "Dataframe":
                found += _live_links(part)
    return found


def _messages(message: Any) -> Iterator[Any]:
    yield message
    for field, value in message.ListFields():
        if field.message_type is not None and not isinstance(value, Mapping):
            for one in list(value) if field.is_repeated else [value]:
                yield from _messages(one) if hasattr(one, "ListFields") else ()


def _live_in_plotly(node: Any, place: str = "") -> list[str]:
    """Plotly reads HTML in every label, and values of points in its templates alone."""
    if isinstance(node, Mapping):
        return [one for name, value in node.items() for one in _live_in_plotly(value, name)]
    if isinstance(node, list):
        return [one for value in node for one in _live_in_plotly(value, place)]
    is_live = isinstance(node, str) and "evil" in node and ("<" in node or "template" in place)
    return [f"{place}: {node}"] if is_live else []


_EXPRESSIONS = frozenset({"calculate", "filter", "test", "expr", "href", "url", "signal"})


def _live_in_vega(node: Any, place: str = "") -> list[str]:
    """Vega-Lite computes expressions and follows addresses; all else in it is text."""
    if isinstance(node, Mapping):
        return [one for name, value in node.items() for one in _live_in_vega(value, name)]
    if isinstance(node, list):
        return [one for value in node for one in _live_in_vega(value, place)]
    is_live = place in _EXPRESSIONS and isinstance(node, str) and "evil" in node
    return [f"{place}: {node}"] if is_live else []


def _live_links(message: Any) -> list[str]:
    """Every cell of a column of links is a link."""
    if not message.arrow_data.data:
        return []
    table = pa.ipc.open_stream(message.arrow_data.data).read_all()
    columns = json.loads(message.columns or "{}")
    links = [
        name
        for name in table.column_names
        if columns.get(name, {}).get("type_config", {}).get("type") == "link"
    ]
    cells = [cell for name in links for cell in table.column(name).to_pylist() if cell]
    return [cell for cell in cells if not cell.startswith(("http://", "https://"))]


def find_live(text: str) -> list[str]:
    """Return what of an attacker's marks is more than text in a Markdown body."""
    if "evil" not in text:
        return []
    found = [
        mark[0]
        for rule in (_DIRECTIVE, _MATH, _AUTOLINK, _TURNED)
        for mark in rule.finditer(unmarked(text))
    ]
    return found + find_active(text)


def find_active(text: str) -> list[str]:
    """Return the pictures, HTML, code and foreign links of a Markdown text."""
    return [
        f"{token.type} {token.content or token.attrs}"
        for token in _tokens(_PARSER.parse(text))
        if _is_live(token)
    ]


def unmarked(text: str) -> str:
    """Return a Markdown text without the badge that Streamlit draws around a whole body."""
    return re.sub(r"^:[a-z]+-badge\[(.*)\]$", r"\1", text, flags=re.DOTALL)


def _tokens(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _tokens(token.children or [])


def _is_live(token: Token) -> bool:
    if token.type == "link_open":
        return not str(token.attrs["href"]).startswith(("http://known.", "https://known."))
    return token.type in _ACTIVE or (token.type in _VERBATIM and "evil" in token.content)
