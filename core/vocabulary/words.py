"""Closed lists of words: a foreign word is found by the type checker."""

from enum import StrEnum


class Word(StrEnum):
    """A word of a closed list; written out, in marks of records too, it is the plain text.

    >>> class Answer(Word):
    ...     YES = "yes"
    >>> Answer.YES, Answer("yes") == "yes"
    ('yes', True)
    """

    def __repr__(self) -> str:
        """Return the text as any other text is written."""
        return repr(self.value)


def plural(noun: str) -> str:
    """Return the plural of a term for a kind of drug, as English forms it.

    >>> plural("bispecific antibody"), plural("CAR-T"), plural("antagonist"), plural("vaccines")
    ('bispecific antibodies', 'CAR-Ts', 'antagonists', 'vaccines')
    """
    if noun.endswith("s"):
        return noun
    is_y = noun.endswith("y") and noun[-2:-1] not in "aeiou"
    return f"{noun[:-1]}ies" if is_y else f"{noun}s"
