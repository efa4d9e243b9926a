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
