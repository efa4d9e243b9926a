"""Whether a drug acts on what was asked for, and which of its targets say so."""

from collections.abc import Iterable, Mapping, Sequence

from core.records.programs import TargetExpression, TargetLink

MOST_MEMBERS = 4
"""Genes of a family whose drugs act on each member; a blocker of nine channels is none of one."""


def matches(link: TargetExpression, target: TargetExpression) -> bool:
    """Return whether one target of a drug is what was asked for.

    A variant that is asked for must be named; a family is met by any member, and a member by
    a small family; of "both" every gene must be there.
    """
    if not target.gene_keys:
        return link.text == target.text
    has, needs = set(link.gene_keys), set(target.gene_keys)
    if target.relation == "both":
        return needs <= has and (link.relation != "family" or link.text == target.text)
    if target.variant and target.variant not in link.variant:
        return False
    is_wide = link.relation == "family" and len(has) > MOST_MEMBERS
    return bool(has & needs) and not (is_wide and needs < has)


def narrow(links: Iterable[TargetLink]) -> list[TargetLink]:
    """Return a drug's links without families and genes of which it has a closer one.

    "PI3K" falls away beside "PI3K delta", "KRAS" beside "KRAS G12C", "VEGF" beside "PD-1 x VEGF".
    """
    distinct: dict[str, TargetLink] = {}
    for link in links:
        earlier_link = distinct.get(link.target.text)
        if earlier_link is None or _strength(link) > _strength(earlier_link):
            distinct[link.target.text] = link
    kept_links = list(distinct.values())
    return [
        kept_link
        for kept_link in kept_links
        if not any(_is_closer(two.target, kept_link.target) for two in kept_links)
    ]


def drop_contradicted(links: Sequence[TargetLink]) -> list[TargetLink]:
    """Return links without a label's class that its own words on the mechanism contradict.

    openFDA classes atezolizumab as a blocker of PD-1; the label itself says PD-L1.
    """
    in_words: dict[str, set[str]] = {}
    for link in links:
        if link.mechanism.rule == "trial's words":
            for record_id in link.mechanism.record_ids:
                in_words.setdefault(record_id, set()).update(link.target.gene_keys)
    return [link for link in links if not _is_contradicted(link, in_words)]


def _is_contradicted(link: TargetLink, in_words: Mapping[str, set[str]]) -> bool:
    mechanism = link.mechanism
    return mechanism.rule == "stated mechanism" and any(
        record_id in in_words and not in_words[record_id] & set(link.target.gene_keys)
        for record_id in mechanism.record_ids
    )


def _strength(link: TargetLink) -> tuple[bool, bool, int]:
    mechanism = link.mechanism
    return (not mechanism.is_expert, not mechanism.rule, len(mechanism.record_ids))


def _is_closer(expression: TargetExpression, than: TargetExpression) -> bool:
    """Return whether an expression says more exactly what another one says."""
    if expression.text == than.text or not expression.gene_keys or not than.gene_keys:
        return False
    first, second = set(expression.gene_keys), set(than.gene_keys)
    if than.relation == "family":
        return first < second or (first == second and expression.relation != "family")
    if expression.relation == "both":
        return second < first
    return (
        first == second
        and bool(expression.variant)
        and not than.variant
        and than.relation != "both"
    )


def acts_on(links: Sequence[TargetLink], requested_targets: Sequence[TargetExpression]) -> bool:
    """Return whether a drug acts on one of the targets; "both" may be told by two links."""
    for expression in requested_targets:
        if any(matches(link.target, expression) for link in links):
            return True
        if expression.relation == "both" and expression.gene_keys:
            has = {
                key
                for link in links
                if link.target.relation != "family"
                for key in link.target.gene_keys
            }
            if set(expression.gene_keys) <= has:
                return True
    return False
