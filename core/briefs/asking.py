"""Reads the free text of a question: by rules, and what they leave over by a language model."""

from functools import partial

from core.drafting.drafter import Drafter
from core.drafting.reading import read_left_over
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.questions.named import Held
from core.evidence.readers.questions.parsed import ParsedText
from core.evidence.readers.questions.reading import parse_text


def read_question(
    text: str, resolver: Resolver, lookup: Held, drafter: Drafter | None
) -> ParsedText:
    """Return what a text asks for.

    Args:
        text: As written.
        resolver: Knows names.
        lookup: What the evidence has assets of.
        drafter: Asks a model; None: the rules alone read.
    """
    read = partial(parse_text, resolver=resolver, lookup=lookup)
    return read_left_over(read(text), read, resolver, drafter)
