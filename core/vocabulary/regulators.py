"""The regulator of each region that a question may name."""

from collections.abc import Iterable

AGENCIES = {
    "China": "NMPA",
    "Europe": "EMA",
    "Japan": "PMDA",
    "Korea": "MFDS",
    "United Kingdom": "MHRA",
    "United States": "FDA",
}


def agencies_of(regions: Iterable[str]) -> tuple[str, ...]:
    """Return the regulators of regions; a region without one known here stays as it is."""
    return tuple(AGENCIES.get(region, region) for region in regions)
