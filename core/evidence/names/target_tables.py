"""Names of what drugs act on, joined with the genes of the identity pack."""

import re
from collections.abc import Mapping
from functools import lru_cache, reduce

from core.evidence.names.identity.resolver import Resolver
from core.records.names import fold_name
from core.records.programs import TargetExpression
from core.vocabulary.targets import TargetRow, load_targets

_EITHER = re.compile(r"\bPD-?\(L\)-?1\b", re.IGNORECASE)
_GLUED = re.compile(r"(?<=[A-Za-z0-9\u03b1-\u03c9)])[x\u00d7](?=[A-Z]{2}|\d-\d?[A-Z]|[A-Z]\d|cd\d)")


@lru_cache(maxsize=1)
def rows_by_alias() -> Mapping[str, TargetRow]:
    """Return rows by folded alias; the row's own expression wins over another's alias."""
    rows_by_name: dict[str, TargetRow] = {}
    for row in load_targets():
        for alias in row.aliases:
            rows_by_name.setdefault(fold_name(split_glued(alias)), row)
    own_rows = _rows_by_expression()
    return rows_by_name | {
        folded: row for folded, row in own_rows.items() if folded in rows_by_name
    }


@lru_cache(maxsize=1)
def rows_by_name() -> Mapping[str, TargetRow]:
    """Return rows by folded alias and by folded expression.

    Records may mean something else by the expression of a row ("RAS", "BET"); who asks for it
    does not.
    """
    return {**rows_by_alias(), **_rows_by_expression()}


def _rows_by_expression() -> dict[str, TargetRow]:
    return {fold_name(split_glued(row.expression)): row for row in load_targets()}


@lru_cache(maxsize=16)
def beginnings(further: tuple[str, ...] = ()) -> frozenset[str]:
    """Return what a folded alias, or its plural, may begin with."""
    plurals = [f"{alias}s" for alias in (*rows_by_alias(), *further)]
    return frozenset(plural[:end] for plural in plurals for end in range(1, len(plural) + 1))


def split_glued(text: str) -> str:
    """Return a text in which "PD-1xVEGF" is three words and "PD-(L)1" is one.

    >>> split_glued("PD-1xVEGF and PD-(L)1"), split_glued("cd20xcd3")
    ('PD-1 x VEGF and PDorPDL1', 'cd20 x cd3')
    """
    return _GLUED.sub(" x ", _EITHER.sub("PDorPDL1", text))


class TargetNames:
    """Makes expressions of rows and of genes, with the keys of the identity pack.

    A gene that the identity pack lacks has a key made of its symbol, so that two unknown genes are
    never taken for one.
    """

    def __init__(self, resolver: Resolver) -> None:
        """Look the table's symbols up, all at once."""
        self.resolver = resolver
        symbols = sorted({gene for row in load_targets() for gene in row.genes})
        names = resolver.identity.lookup("target", [fold_name(symbol) for symbol in symbols])
        self._keys = {
            symbol: next(
                (name.key for name in names.get(fold_name(symbol), ()) if name.level == 1),
                f"symbol:{symbol}",
            )
            for symbol in symbols
        }
        self._expressions: dict[str, TargetExpression] = {}
        self._of_text: dict[str, TargetExpression | None] = {}
        self._rows = {row.expression: row for row in load_targets()}
        self._rows_by_gene = {
            self._keys[row.genes[0]]: row
            for row in reversed(load_targets())
            if len(row.genes) == 1 and not row.variant
        }

    def of_row(self, row: TargetRow) -> TargetExpression:
        """Return the expression of a row of the table."""
        expression = self._expressions.get(row.expression)
        if expression is None:
            keys = tuple(self._keys[gene] for gene in row.genes)
            expression = TargetExpression(
                row.expression, keys, row.genes, row.variant, row.relation
            )
            self._expressions[row.expression] = expression
        return expression

    def of_text(self, text: str) -> TargetExpression | None:
        """Return the expression of a table's cell: a row, or rows joined by " x "."""
        if text not in self._of_text:
            names = [text] if text in self._rows else text.split(" x ")
            is_known = all(name in self._rows for name in names)
            parts = [self.of_row(self._rows[name]) for name in names if is_known]
            self._of_text[text] = reduce(both, parts) if parts else None
        return self._of_text[text]

    def by_symbol(self) -> Mapping[str, TargetExpression]:
        """Return expressions by the folded symbols of genes, and by the names of their rows."""
        genes = {fold_name(symbol): self.of_gene(key, symbol) for symbol, key in self._keys.items()}
        return genes | {folded: self.of_row(row) for folded, row in rows_by_name().items()}

    def of_gene(self, key: str, symbol: str) -> TargetExpression:
        """Return the expression of a gene, as the table shows it where it knows the gene."""
        row = self._rows_by_gene.get(key)
        return self.of_row(row) if row else TargetExpression(symbol, (key,), (symbol,))


def both(first: TargetExpression, second: TargetExpression) -> TargetExpression:
    """Return the expression of a drug that acts on two targets."""
    if first.text == second.text:
        return first
    pairs = dict(zip(first.gene_keys, first.gene_symbols, strict=True))
    pairs |= dict(zip(second.gene_keys, second.gene_symbols, strict=True))
    variant = " ".join(filter(None, (first.variant, second.variant)))
    text = " x ".join(sorted((first.text, second.text), key=str.casefold))
    return TargetExpression(text, tuple(pairs), tuple(pairs.values()), variant, "both")


@lru_cache(maxsize=4)
def target_names(resolver: Resolver) -> TargetNames:
    """Return the names of a resolver, made once."""
    return TargetNames(resolver)
