"""Title, main text and stated days of a page's bytes; runs in a process of its own.

Text that nobody sees is dropped first: hidden, off-screen, of no size or of the color of its
ground, in `style` attributes and `style` elements. Style sheets in other files are never fetched,
so that what only they hide is read like any text; it is data all the same.
"""

import json
import re
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

MEMORY = 1 << 30
"""Bytes of address space of the process."""
FIRST_PAGES = 40
"""Pages of a PDF that are read."""
DEEPEST = 1_000
"""Elements within each other; extraction takes their number squared."""
FEWEST = 250
"""Characters of main text below which the whole page is read: it has another build."""
DROPPED = frozenset(
    {
        *("script", "style", "noscript", "template", "svg", "math", "canvas", "iframe", "object"),
        *("nav", "footer", "form", "input", "textarea", "select", "button", "del", "s", "strike"),
    }
)
_WHOLE = frozenset({"html", "body", "main", "article"})
"""Elements that are never dropped: pages hide them until their scripts have run."""
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([\w.:-]{1,40})", re.I)
_BANNER = re.compile(r"cookie|consent|gdpr", re.I)
_HIDING = re.compile(
    r"""(?:^|;)(?:
    display:none | visibility:(?:hidden|collapse) | content-visibility:hidden | zoom:0(?![.\d])
    | opacity:0?\.?0\d*(?![.\d]) | clip:rect | clip-path:(?:inset\((?:50|100)%|circle\(0)
    | (?:left|top|right|bottom|text-indent|margin(?:-\w+)?|translate|transform):[^;]*-\d{3,}
    | (?:scale|transform:[^;]*scale[xy3d]*\()0(?![.\d]) | font:(?:[^;]*[\s/])?0\w*[\s/]
    | color:transparent | -webkit-text-fill-color:transparent )""",
    re.X,
)
"""Declarations, without blanks, that let nobody see a text."""
_CUT = re.compile(r"(?:^|;)overflow(?:-[xy])?:(?:hidden|clip)")
_NO_ROOM = re.compile(r"(?:^|;)(?:max-)?(?:height|width):[01](?:px)?(?:;|$)")
_FONT_SIZE = re.compile(r"(?:^|;)font-size:(\d*\.?\d+)(px|pt|r?em|%|)(?:;|$)")
_SMALLEST = {"px": 2.0, "pt": 2.0, "em": 0.15, "rem": 0.15, "%": 15.0, "": 0.0}
"""Sizes of letters, by unit, up to which nobody reads them."""
_COLOR = re.compile(r"(?:^|;)color:([^;]+)")
_GROUND = re.compile(r"(?:^|;)background(?:-color|-image)?:([^;]+)")
_RULE = re.compile(r"([^{}@;]+)\{([^{}]*)\}")
_CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|$)", re.S)
_GROUPED = re.compile(r"@[^{};]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
_KEY = re.compile(r"[.#]?[\w-]+$")
_NAMED = {"white": (255, 255, 255), "black": (0, 0, 0)}
_PALE = 240
_FARTHEST = 30
"""Elements above a pale text among which its ground is looked for."""
_DAY_NAMES = frozenset(
    {
        *("article:published_time", "og:published_time", "datepublished", "date", "dc.date"),
        *("dc.date.issued", "dcterms.issued", "dcterms.date", "pubdate", "publish-date"),
        *("publishdate", "publication_date", "citation_publication_date", "sailthru.date"),
    }
)


@dataclass
class PageParts:
    """What a page says.

    Attributes:
        title: Its title.
        text: Its text, a paragraph on each line.
        days: Days of publication that its metadata state, the surest first.
    """

    title: str = ""
    text: str = ""
    days: list[str] = field(default_factory=list)


def read_html(content: bytes, charset: str = "") -> PageParts:
    """Return what an HTML page says to people. Raises ValueError."""
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, map_encoding_to_html5
    from resiliparse.parse.html import HTMLTree
    from resiliparse.parse.html.node import traverse_dom

    named = _CHARSET.search(content[:4_096])
    names = (charset or "utf-8", "utf-8", named[1].decode() if named else "cp1252", "cp1252")
    declared, *others = (map_encoding_to_html5(name) or "utf-8" for name in names)
    tree = HTMLTree.parse(bytes_to_str(content, declared, fallback_encodings=others))
    walk = _Walk()
    document: Any = tree.document
    traverse_dom(document.document_element, walk.begin, walk.end, elements_only=True)
    walk.clean(tree)
    extract: Callable[..., str] = extract_plain_text
    options = {"list_bullets": False, "alt_texts": False, "comments": False}
    text = extract(tree, main_content=True, **options)
    if len(text) < FEWEST:
        text = extract(tree, main_content=False, **options)
    return PageParts(walk.title or tree.title or "", text.replace("\t\t", " | "), walk.days)


@dataclass
class _Walk:
    """Collects, in one pass over the elements, what is dropped, changed and stated."""

    title: str = ""
    metas: list[str] = field(default_factory=list)
    linked: list[str] = field(default_factory=list)
    times: list[str] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)
    elements: list[Any] = field(default_factory=list)
    raised: list[Any] = field(default_factory=list)
    lists: list[tuple[Any, list[Any], list[int]]] = field(default_factory=list)
    open_lists: list[tuple[Any, list[Any], list[int]]] = field(default_factory=list)

    @property
    def days(self) -> list[str]:
        """Return the days that metadata state; the time of an element counts where it is alone."""
        alone = self.times[:1] if len({time[:10] for time in self.times}) == 1 else []
        return [*self.metas, *self.linked, *alone]

    def begin(self, context: Any) -> None:
        """Note an element. Raises ValueError."""
        element = context.node
        tag = element.tag
        if context.depth > DEEPEST:
            raise ValueError("the page is nested too deeply")
        if tag == "meta":
            self._read_meta(element)
        elif tag == "script" and "ld+json" in (element.get_attribute("type") or ""):
            self.linked += _published(element.text or "")
        elif tag == "style":
            self.styles.append(element.text or "")
        elif tag == "time":
            self.times.append(element.get_attribute("datetime") or element.text or "")
        elif tag == "sup":
            self.raised.append(element)
        elif tag in {"ul", "ol"}:
            self.open_lists.append((element, [], [0]))
            self.lists.append(self.open_lists[-1])
        elif self.open_lists and tag == "li":
            self.open_lists[-1][1].append(element)
        elif self.open_lists and tag == "a":
            self.open_lists[0][2][0] += len(element.text or "")
        self.elements.append(element)

    def end(self, context: Any) -> None:
        """Note the end of a list."""
        if self.open_lists and context.node == self.open_lists[-1][0]:
            self.open_lists.pop()

    def _read_meta(self, element: Any) -> None:
        names = (element.get_attribute(key) or "" for key in ("property", "name", "itemprop"))
        name = next(filter(None, names), "").casefold()
        value = element.get_attribute("content") or ""
        if name == "og:title":
            self.title = value
        elif name in _DAY_NAMES:
            self.metas.append(value)

    def clean(self, tree: Any) -> None:
        """Drop what is not seen, set raised signs apart, and let lists be read as paragraphs."""
        rules = _Rules(self.styles)
        for element in self.raised:
            before = (element.prev.text or "")[-3:] if element.prev is not None else ""
            if before[-1:].isalnum() and not re.search(r"(?:^|[^a-z])[ckm]?m$", before):
                element.parent.insert_before(tree.create_text_node(" "), element)
        for element, items, linked in self.lists:
            if 2 * linked[0] < len(element.text or ""):  # no menu
                block = tree.create_element("div")
                for item in items:
                    paragraph = tree.create_element("p")
                    for node in _children(item):
                        paragraph.append_child(node)
                    block.append_child(paragraph)
                element.replace_with(block)
        for element in self.elements:
            if _is_dropped(element, rules):
                element.remove()


def _children(element: Any) -> list[Any]:
    """Return the nodes of an element; its own list is slow."""
    nodes, node = [], element.first_child
    while node is not None:
        nodes.append(node)
        node = node.next_sibling
    return nodes


class _Rules:
    """Selectors of `style` elements that hide something, by the last name in each."""

    def __init__(self, styles: list[str]) -> None:
        self._selectors: dict[str, list[str]] = {}
        for style in styles:
            text = _GROUPED.sub(" ", _CSS_COMMENT.sub("", style))
            for selectors, declarations in _RULE.findall(text):
                if is_hiding(declarations):
                    for selector in map(str.strip, selectors.split(",")):
                        key = _KEY.search(selector)
                        if key:
                            self._selectors.setdefault(key[0], []).append(selector)

    def hide(self, element: Any) -> bool:
        """Return whether a rule hides an element."""
        if not self._selectors:
            return False
        names = [element.tag or "", f"#{element.get_attribute('id') or ''}"]
        names += [f".{name}" for name in (element.get_attribute("class") or "").split()]
        return any(
            _matches(element, selector)
            for name in names
            for selector in self._selectors.get(name, ())
        )


def _matches(element: Any, selector: str) -> bool:
    try:
        return bool(element.matches(selector))
    except ValueError:
        return False


def _is_dropped(element: Any, rules: _Rules) -> bool:
    """Return whether an element is no text of the page, or not seen."""
    tag = element.tag
    if tag in _WHOLE or tag is None:
        return False
    if tag in DROPPED or element.has_attribute("hidden"):
        return True
    if element.get_attribute("aria-hidden") == "true" or (
        tag == "dialog" and not element.has_attribute("open")
    ):
        return True
    named = f"{element.get_attribute('id') or ''} {element.get_attribute('class') or ''}"
    if _BANNER.search(named) or rules.hide(element):
        return True
    style = _style_of(element)
    return bool(style) and (is_hiding(style) or (_is_pale(style) and not _has_ground(element)))


def _style_of(element: Any) -> str:
    """Return the declarations of an element, those of old attributes among them."""
    style = element.get_attribute("style") or ""
    for name, meant in (("color", "color"), ("bgcolor", "background"), ("size", "font-size")):
        value = element.get_attribute(name)
        if value and (name != "size" or element.tag == "font"):
            style += f";{meant}:{value}"
    return style


def is_hiding(declarations: str) -> bool:
    """Return whether declarations let nobody see a text.

    >>> is_hiding("font-size: 0"), is_hiding("color:#FFF; background:white"), is_hiding("top:0")
    (True, True, False)
    """
    if "\\" in declarations:  # no author writes the name of a property with escapes
        return True
    plain = _squeeze(declarations)
    color, ground = _COLOR.search(plain), _GROUND.search(plain)
    if color and ground and _read_color(color[1]) == _read_color(ground[1]):
        return True
    size = _FONT_SIZE.search(plain)
    if size and float(size[1]) <= _SMALLEST[size[2]]:
        return True
    return bool(_HIDING.search(plain) or (_CUT.search(plain) and _NO_ROOM.search(plain)))


def _squeeze(declarations: str) -> str:
    text = _CSS_COMMENT.sub("", declarations).casefold().replace("!important", "")
    return re.sub(r"\s*([:;(),])\s*", r"\1", text.strip())


def _read_color(value: str) -> tuple[int, ...] | str:
    """Return red, green and blue of a color; any other value as it is."""
    value = value.strip()
    if match := re.fullmatch(r"#([0-9a-f]{3,8})", value):
        digits = match[1]
        pairs = [2 * sign for sign in digits] if len(digits) < 6 else re.findall("..", digits)
        return tuple(int(pair, 16) for pair in pairs[:3])
    if match := re.match(r"rgba?\((\d+)[\s,]+(\d+)[\s,]+(\d+)", value):
        return tuple(map(int, match.groups()))
    return _NAMED.get(value, value)


def _is_pale(style: str) -> bool:
    """Return whether a text is white or nearly so."""
    color = _COLOR.search(_squeeze(style))
    channels = _read_color(color[1]) if color else ""
    return isinstance(channels, tuple) and all(channel >= _PALE for channel in channels)


def _has_ground(element: Any) -> bool:
    """Return whether an element near above a text has a ground of its own color."""
    for _ in range(_FARTHEST):
        if element is None or element.tag in {None, "#document"}:
            return False
        ground = _GROUND.search(_squeeze(_style_of(element)))
        if ground:
            channels = _read_color(ground[1])
            return not (isinstance(channels, tuple) and min(channels, default=0) >= _PALE)
        element = element.parent_element
    return False


def _published(text: str) -> Iterator[str]:
    """Yield days of publication in linked data, those of articles first."""
    try:
        pending = [json.loads(text)]
    except (ValueError, RecursionError):
        return
    others = []
    while pending:
        value = pending.pop(0)
        if isinstance(value, list):
            pending += value[:100]
        elif isinstance(value, dict):
            pending += [inner for inner in value.values() if isinstance(inner, list | dict)]
            day = value.get("datePublished")
            if isinstance(day, str) and "article" in str(value.get("@type")).casefold():
                yield day
            elif isinstance(day, str):
                others.append(day)
    yield from others


def read_pdf_pages(content: bytes) -> PageParts:
    """Return the text of a PDF's first pages. Raises InvalidInput."""
    from core.documents.pdf_pages import read_pdf

    lines = join_paragraphs(read_pdf(content, first_pages=FIRST_PAGES).sentences)
    return PageParts(lines[0] if lines else "", "\n".join(lines))


def join_paragraphs(sentences: Sequence[Any]) -> list[str]:
    """Return the paragraphs, headings and rows of a document's sentences (core.documents)."""
    paragraphs: dict[tuple[int, ...], list[str]] = {}
    for sentence in sentences:
        place = sentence.location
        key = (place.page, place.paragraph, place.table, place.row)
        paragraphs.setdefault(key, []).append(sentence.text)
    return [" ".join(texts) for texts in paragraphs.values()]


def main(path: str, kind: str, charset: str = "") -> None:
    """Write what the page in a file says, as JSON; nothing where it cannot be read."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    content = Path(path).read_bytes()
    is_pdf = kind == "application/pdf"
    parts = read_pdf_pages(content) if is_pdf else read_html(content, charset)
    json.dump(asdict(parts), sys.stdout)
