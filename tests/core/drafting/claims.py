"""A memo of made-up claims, with a caveat and a sentence that refers to another one."""

from dataclasses import replace

from core.evidence.proof.claims import Claim, make_claim, with_caveats


def memo() -> list[tuple[str, list[Claim]]]:
    """Return title and claims of each section."""
    first = make_claim("4 precedent trials found in asthma.", "computed", ["r:1"])
    of_them = make_claim("3 of them have FEV1 as a primary endpoint.", "computed", ["r:1"])
    figures = [
        make_claim(f"To beat in response: {number} % with {name}.", "fact", ["r:1"])
        for number, name in ((41, "alphamab"), (38, "betamab"))
    ]
    caveat = make_claim("These figures are across trials, not head to head.", "rule")
    negative = make_claim("No discontinued program with a stated reason.", "rule")
    return [
        ("What was asked", [make_claim("Interpreted as: drugs in asthma.", "rule")]),
        ("Who is ahead", [first, replace(of_them, needs=(first.text,))]),
        ("What a candidate must beat", [*with_caveats(figures, [caveat]), negative]),
    ]


FIXED = frozenset({"What was asked"})
N_CLAIMS = 7
FIRST, OF_THEM, FIGURES, CAVEAT = 1, 2, {3, 4}, 5
