"""Text of records is data: what could act, hide or turn around other text is taken out."""

import re
import unicodedata

LONGEST_TEXT = 200_000
_BLOCKS = re.compile(r"<(script|style)\b.*?</\1\s*>|<!--.*?-->", re.IGNORECASE | re.DOTALL)
_HIDDEN = re.compile(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_BLANKS = re.compile(r"\s+")


def clean_text(text: str, longest: int = LONGEST_TEXT) -> str:
    r"""Return a text of a record on one line, without scripts, comments and hidden signs.

    >>> clean_text("safe\u202e text <!-- not this --> <script>nor()</script>\n here")
    'safe text here'
    """
    if text.isascii() and "<" not in text:
        text = " ".join(text.split())
        return (text if text.isprintable() else _CONTROL.sub(" ", text).strip())[:longest]
    if "<" in text:
        text = _BLOCKS.sub(" ", text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", _HIDDEN.sub("", text))
    text = _BLANKS.sub(" ", _CONTROL.sub(" ", text)).strip()
    return text[:longest]
