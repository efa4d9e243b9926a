"""What a text of indications tells beside the uses: germs, causes, patients, outcomes of studies.

A list of infections names after each one the germs that cause it, often without a point before
the next one; "to reduce the risk of death and urgent heart failure visits" tells what was counted.
"""

import re

_GERM = (
    r"(?i:strepto|staphylo|entero|pneumo|gono|meningo|pepto\w*)coc\w+|(?i:h[ae]+mophilus|"
    r"escherichia|klebsiella|proteus|pseudomonas|enterobacter|serratia|bacteroides|neisseria|"
    r"moraxella|mycoplasma|chlamyd|legionella|clostridi|acinetobacter|morganella|citrobacter|"
    r"salmonella|shigella|campylobacter|corynebacter)\w*|[A-Z]\. [a-z]{4,}"
)
_ILLNESS = (
    r"[Ii]nfections?|\w{3,}itis|[Pp]neumonia|[Ss]epticemia|[Bb]acteremia|[Gg]onorrhea|[Ss]epsis"
)
_GERMS = re.compile(
    r"\b(?:due to|caused by|resulting from|produced by) "
    rf"(?:(?!including\b)[\w()/-]+ ){{0,5}}?(?:{_GERM})"
    rf"(?:[^.;:\n\u2022]|(?<=\b[A-Z])\.|(?<=spp)\.)*?"
    rf"(?=\b(?:(?!Group\b)[A-Z][\w/-]*[a-z],? (?:[\w/-]+,? ){{0,4}}?(?:{_ILLNESS})|[A-Z]\w+itis)\b|"
    r"[.;:\n\u2022]|$)"
)
"""Germs of an infection, up to the next infection of a list that has no point between."""
_EDEMA = re.compile(
    r"(?<!macular )(?<!cerebral )(?<!pulmonary )\bedema\b[^.;\n]{0,80}?"
    r"\b(?:associated with|due to|caused by|resulting from|secondary to|accompanying)\b[^.;\n]*",
    re.IGNORECASE,
)
_HEART = re.compile(r"\b(?:congestive )?heart failure\b", re.IGNORECASE)
_OUTCOMES = re.compile(
    r"\bsustained eGFR decline\b|\bnon-?fatal (?:myocardial infarction|stroke)s?\b|"
    r"\bdoubling of serum creatinine or end[- ]stage (?:kidney|renal) disease\b|"
    r"\bend[- ]stage (?:kidney|renal) disease\b(?: \(\w+\))?(?=[^.;]*"
    r"\b(?:death|decline|doubling|hospitali[sz]ation)\b)|"
    r"\bhospitali[sz]ations? (?:for|due to) (?:worsening )?heart failure\b|"
    r"\b(?:worsening )?heart failure (?:\(\w+\) )?(?:hospitali[sz]ations?|(?:urgent )?visits?)\b|"
    r"\b(?:urgent|emergency) heart failure visits?\b|"
    r"\bincidence of (?:congestive )?heart failure\b|"
    r"\bunstable angina requiring hospitali[sz]ation\b",
    re.IGNORECASE,
)
"""What studies count in patients who have another disease."""


_MEANT = tuple(
    (re.compile(pattern, re.IGNORECASE), name)
    for pattern, name in (
        (r"\bdementia of (?:the )?alzheimer'?s?['\u2019]?s? type\b", "Alzheimer disease"),
        (r"\bsmall lymphocytic leuk(?:a?e)mia\b", "small lymphocytic lymphoma"),
        (r"\bkawasaki['\u2019]?s? disease\b", "Kawasaki disease"),
        (
            r"\b(?:neovascular|exudative) \(wet\) age[- ]related macular degeneration\b",
            "wet macular degeneration",
        ),
        (
            r"\bage[- ]related macular degeneration (?:associated )?with (?:subfoveal|concurrent) "
            r"choroidal neovasculari[sz]ation\b",
            "wet macular degeneration",
        ),
    )
)
"""What texts write otherwise than lists of diseases do, which know a wider disease by the words."""
_BRITISH = tuple(
    (re.compile(british), american)
    for british, american in (
        (r"(?<=[Hh])aem|(?<=[a-z])aem(?=i)|(?<=\b[Aa]n)aem", "em"),
        (r"\boe(?=soph|dem|strog)", "e"),
        (r"\bOe(?=soph|dem|strog)", "E"),
        (r"(?<=rrh)oe|(?<=pn)oe", "e"),
        (r"(?<=tum)our", "or"),
        (r"(?<=[Pp])aed(?=iat)", "ed"),
    )
)
"""European texts write "leukaemia", "oesophageal", "apnoea", "tumour", "paediatric"."""
_OF_PATIENTS = re.compile(
    r"(?<=mobilize )([^.;\n]*?)\bin patients with\b[^.;\n]*|"
    r"\((?:[^()]*\b)?at risk (?:for|of)\b[^()]*\)|\bat risk (?:for|of)\b[^.;,()\n]*|"
    r"(?<!impairment )(?<!dysfunction )\bin association with\b[^.;,\n]*|"
    r"\bassociated with (?:[\w-]+ ){0,3}injur(?:y|ies)\b|"
    r"\bin patients with a diagnosis of\b[^.;\n]*|"
    r"\bdrugs? used in (?:the )?treatment of\b[^.;,\n]*|\bnon-?cancer(?= pain\b)|"
    r"\brisk factors?,? (?:such as|including|like|e\.g\.)[^.\n]*|"
    r"\b(?:mood )?episodes? \([^()]*\)",
    re.IGNORECASE,
)
"""What the patients that a text describes have, or may get."""


def say_plainly(text: str) -> str:
    """Return a text with the names that lists know, without what its patients have besides.

    >>> say_plainly("for dementia of the Alzheimer's type (with cases at risk for gout)")
    'for Alzheimer disease '
    >>> say_plainly("in atrial fibrillation with risk factors, such as stroke; gout. For pain")
    'in atrial fibrillation with . For pain'
    >>> say_plainly("acute myeloid leukaemia, oesophageal tumours, anaemia, sleep apnoea")
    'acute myeloid leukemia, esophageal tumors, anemia, sleep apnea'
    >>> say_plainly("to mobilize stem cells in patients with myeloma").strip()
    'to mobilize stem cells'
    """
    for pattern, name in (*_BRITISH, *_MEANT):
        text = pattern.sub(name, text)
    return _OF_PATIENTS.sub(lambda match: match[1] or "", text)


def drop_germs(text: str) -> str:
    """Return a text whose lists of infections stand apart, without the germs.

    >>> drop_germs("Sinusitis due to Haemophilus influenzae Otitis media due to E. coli")
    'Sinusitis ; Otitis media ; '
    """
    return _GERMS.sub("; ", text)


def drop_causes_of_edema(text: str) -> str:
    """Return a text without the diseases that cause an edema; failure of the heart stays.

    >>> drop_causes_of_edema("for edema associated with heart failure, cirrhosis and gout")
    'for edema of heart failure'
    """

    def rest(match: re.Match[str]) -> str:
        heart = _HEART.search(match[0])
        return f"edema of {heart[0]}" if heart else "edema"

    return _EDEMA.sub(rest, text)


def drop_outcomes(text: str) -> str:
    """Return a text without outcomes that studies count in patients with another disease.

    >>> drop_outcomes("to reduce urgent heart failure visits in adults with gout")
    'to reduce events in adults with gout'
    """
    return _OUTCOMES.sub("events", text)
