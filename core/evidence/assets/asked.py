"""Which candidates are asked for: by their key, or by what they act on."""

from core.evidence.assets.candidates import Candidate, Finder
from core.evidence.assets.target_match import acts_on, drop_contradicted, narrow
from core.records.asset_queries import AssetQuery


def may_be_meant(one: Candidate, query: AssetQuery, finder: Finder) -> bool:
    """Return whether a candidate may be asked for, before it is known as what it counts."""
    if query.drug_keys and one.key not in query.drug_keys:
        return False
    if not query.targets or one.key in query.also:
        return True
    stem = finder.stem_link(one.name)
    return acts_on([*one.links, *([stem] if stem else ())], query.targets)


def choose(query: AssetQuery, finder: Finder) -> list[Candidate]:
    """Return the candidates that act on what is asked for."""
    chosen: list[Candidate] = []
    for candidate in finder.found.values():
        stem = finder.stem_link(candidate.name)
        if stem and stem not in candidate.links:
            candidate.links.append(stem)
        links = narrow(drop_contradicted(candidate.links))
        candidate.links = sorted(links, key=lambda one: one.target.text.casefold())
        if query.drug_keys and candidate.key not in query.drug_keys:
            continue
        is_named = candidate.key in query.also
        if query.targets and not is_named and not acts_on(candidate.links, query.targets):
            continue
        chosen.append(candidate)
    return sorted(chosen, key=lambda one: one.key)
