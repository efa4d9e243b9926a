"""What the words of an endpoint come to: its class, in what it is told, and which way is good."""

import re

from core.records.precedents import EndpointReading
from core.vocabulary.endpoints import EndpointRow, EndpointType, classify_endpoint

_TYPES = (
    (EndpointType.TIME_TO_EVENT, r"\btime (?:from|to|until)\b|\btime-to-|-free survival\b"),
    (
        EndpointType.RATE,
        r"\bannuali[sz]ed\b|\b(?:events?|episodes?|attacks?|exacerbations?|seizures?) per\b|"
        r"\b(?:incidence|event) rate\b|\brate of (?:\w+ ){0,2}(?:exacerbations|relapses|attacks)",
    ),
    (
        EndpointType.PROPORTION,
        r"\b(?:percentage|percent|proportion|number|rate)s? of (?:\w+ ){0,3}?"
        r"(?:participants|patients|subjects|children|adults|women|men|responders|eyes)\b|"
        r"\bresponse rate\b|\bresponders?\b|\b(?:remission|cure|success|failure) rate\b|"
        r"\bincidence of\b|\b(?:PFS|OS|EFS|DFS|survival) (?:rate )?at \d",
    ),
    (
        EndpointType.MEAN_CHANGE,
        r"\bchanges? (?:in|from|of)\b|\bchange from\b|\bmean\b|\bpercent(?:age)? change\b",
    ),
    (EndpointType.COUNT, r"\bnumber of\b|\bcounts? of\b"),
)
_PATTERNS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _TYPES)
_WORSE = re.compile(
    r"\b(?:worsen|fail|relaps|progress|deteriorat|recurr|lost|loss of|decline|without)", re.I
)


def read_endpoint(text: str, time_point: str = "", *, is_primary: bool = True) -> EndpointReading:
    """Return what an endpoint's words come to.

    A score of which less is better is the other way round where responders are counted.

    >>> read_endpoint("Proportion of patients with HbA1c below 7 %").better
    'higher'
    >>> read_endpoint("Change from baseline in HbA1c").type
    'mean change'
    """
    row = classify_endpoint(text)
    kind = next((str(kind) for kind, pattern in _PATTERNS if pattern.search(text)), "")
    if row is None:
        return EndpointReading(text, "", "", "none", kind, time_point, is_primary)
    kind = kind or row.type
    return EndpointReading(
        text, row.name, row.area, _better(row, kind, text), kind, time_point, is_primary
    )


def _better(row: EndpointRow, kind: str, text: str) -> str:
    is_turned = row.type == EndpointType.MEAN_CHANGE and kind == EndpointType.PROPORTION
    if row.better == "none" or not is_turned:
        return row.better
    return "lower" if _WORSE.search(text) else "higher"
