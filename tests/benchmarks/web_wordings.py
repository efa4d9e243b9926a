"""Wordings of authored pages: what they state, and what only looks as if they did.

A wording is a sentence with places for names, the relations that it states, and those that it may
also be read to state. `HELD_OUT` was written before any rule was tuned and never used for it.
"""

from typing import NamedTuple


class Wording(NamedTuple):
    """A sentence, what it states, and what else it may rightly be read to state."""

    text: str
    states: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


OPEN = (
    Wording("{company} today announced that it has acquired {bought} for {money}.", ("acquired",)),
    Wording("{company} completed its acquisition of {bought} on {day}.", ("acquired",)),
    Wording("{bought} was acquired by {company} in {month}.", ("acquired",)),
    Wording("{company} has agreed to acquire {bought}.", ("acquired",)),
    Wording(
        "{company} licensed {drug} from {partner} for an upfront payment of {money}.",
        ("licensed_from",),
    ),
    Wording(
        "Under the agreement, {company} obtained exclusive worldwide rights to {drug} from "
        "{partner}.",
        ("licensed_from",),
    ),
    Wording(
        "{partner} granted {company} an exclusive license to develop and commercialize {drug}.",
        ("licensed_to",),
        ("licensed_from",),
    ),
    Wording("{partner} out-licensed {drug} to {company} on {day}.", ("licensed_to",)),
    Wording("{company} is developing {drug} for {disease}.", ("develops",)),
    Wording("{drug} is being developed by {company} for {disease}.", ("develops",)),
    Wording("{drug} is currently in {stage} for {disease}.", ("stage",)),
    Wording("{drug} has entered {stage} development in {disease}.", ("stage",)),
    Wording("{drug} | {disease} | {stage}", ("stage",)),
    Wording(
        "The first patient has been dosed in a {stage} trial of {drug} in {disease}.", ("stage",)
    ),
    Wording("{company} is evaluating {drug} in {disease}.", ("develops",)),
    Wording(
        "Topline data from the {stage} study of {drug} are expected in {month}.",
        ("readout_expected",),
        ("stage",),
    ),
    Wording(
        "{company} expects topline results for {drug} in the second half of {year}.",
        ("readout_expected",),
    ),
    Wording(
        "{drug} met its primary endpoint in a {stage} trial in {disease}.", ("result",), ("stage",)
    ),
    Wording("{drug} did not meet the primary endpoint in {disease}.", ("result",)),
    Wording(
        "{company} reported positive topline results from a {stage} trial of {drug}.",
        ("result",),
        ("stage",),
    ),
    Wording("The FDA has approved {drug} for {disease}.", ("approved",)),
    Wording("{drug} was approved by the FDA on {day}.", ("approved",)),
    Wording("{company} has discontinued the development of {drug} in {disease}.", ("stopped",)),
    Wording("The {stage} program of {drug} was halted.", ("stopped",)),
    Wording("{drug} was discontinued in {month}.", ("stopped",)),
    Wording("{company} raised {money} in a private placement.", ("financing",)),
    Wording("{company} today closed a {money} Series C financing.", ("financing",)),
)
"""Wordings that were looked at while the table of cues was written."""
FIRST_HELD_OUT = (
    Wording(
        "On {day}, {company} closed the acquisition of {bought}, which is now a wholly owned "
        "subsidiary.",
        ("acquired",),
    ),
    Wording(
        "As previously disclosed, {bought} has been acquired by {company}.",
        ("acquired",),
    ),
    Wording(
        "{company} entered into a definitive merger agreement to acquire {bought} for {money} in "
        "cash.",
        ("acquired",),
    ),
    Wording(
        "{company} has in-licensed {drug}, a candidate for {disease}, from {partner}.",
        ("licensed_from",),
    ),
    Wording(
        "{company} secured an exclusive license from {partner} to develop {drug} in {disease}.",
        ("licensed_from",),
    ),
    Wording(
        "{partner} has granted {company} exclusive rights to {drug} in Japan.",
        ("licensed_to",),
        ("licensed_from",),
    ),
    Wording(
        "{drug}, developed by {company}, is studied in patients with {disease}.", ("develops",)
    ),
    Wording("{company} continues advancing {drug} in {disease}.", ("develops",)),
    Wording(
        "{drug} recently advanced into {stage} testing in patients with {disease}.", ("stage",)
    ),
    Wording("{drug} is being investigated in {stage} trials in {disease}.", ("stage",)),
    Wording("{disease} | {drug} | {stage} | ongoing", ("stage",)),
    Wording("We started a {stage} study of {drug} in adults with {disease}.", ("stage",)),
    Wording(
        "Top-line results of the {stage} study of {drug} are anticipated in {month}.",
        ("readout_expected",),
        ("stage",),
    ),
    Wording(
        "For {drug}, the company anticipates data in early {year}.",
        ("readout_expected",),
    ),
    Wording(
        "In the {stage} study, {drug} achieved its primary endpoint in {disease}.",
        ("result",),
        ("stage",),
    ),
    Wording("The trial of {drug} failed to meet its primary endpoint.", ("result",)),
    Wording("{drug} received FDA approval on {day} for {disease}.", ("approved",)),
    Wording("The European Commission approved {drug} for {disease}.", ("approved",)),
    Wording("{company} terminated its {stage} study of {drug}.", ("stopped",)),
    Wording("Development of {drug} in {disease} was stopped in {month}.", ("stopped",)),
    Wording("{company} raises {money} to fund its pipeline.", ("financing",)),
    Wording("{company} announced the pricing of a {money} public offering.", ("financing",)),
)
TRAPS = (
    Wording("{company} has not acquired {bought}, contrary to press reports."),
    Wording("{company} denied that it had acquired {bought}."),
    Wording("{company} may acquire {bought}, analysts said."),
    Wording("{company} is in talks to license {drug} from {partner}."),
    Wording("If {company} licensed {drug} from {partner}, it would owe royalties."),
    Wording("A competitor of {company} licensed {drug} from {partner}."),
    Wording("Unlike {drug}, {other} is in {stage} for {disease}.", (), ()),
    Wording("{drug} and {other} are in phase 1 and phase 3, respectively."),
    Wording("{company} plans to start a {stage} trial of {drug} in {disease}."),
    Wording("{drug} is expected to enter {stage} next year."),
    Wording("{drug} has not entered {stage}."),
    Wording("{drug} never was in {stage} for {disease}."),
    Wording("The FDA has accepted the application for {drug} in {disease}."),
    Wording("The FDA has not approved {drug} for {disease}."),
    Wording("An FDA advisory committee voted on the approval of {drug} in {disease}."),
    Wording("{drug} could be approved by the FDA in {month}."),
    Wording("Patients received {drug}, which was compared with {other} in {stage}."),
    Wording("{company} raised its guidance to {money}."),
    Wording("{company} acquired a plant from {bought} for {money}."),
    Wording("Has {company} acquired {bought}?"),
    Wording("{company} acquired rights to a technology of {bought}."),
    Wording("Zymexa Therapeutics acquired {bought} after talks with {company} had failed."),
    Wording("{drug} was well tolerated; the primary endpoint will be assessed in {month}."),
    Wording("{company} has not discontinued the development of {drug}."),
)
FIRST_HELD_OUT_TRAPS = (
    Wording("Rumors that {company} bought {bought} are false."),
    Wording("{company} declined to acquire {bought}."),
    Wording("{company} considered whether {drug} should be licensed from {partner}."),
    Wording("Shareholders of {company} asked if it had acquired {bought}."),
    Wording("Another company, Quovaris Bio, licensed {drug} from {partner}."),
    Wording("In contrast to {other}, which is in {stage}, {drug} was shelved before any trial."),
    Wording("{drug} failed to advance into {stage}."),
    Wording("{company} hopes that {drug} will be in {stage} in {year}."),
    Wording("{drug} was rejected and is not approved by the FDA."),
    Wording("Approval of {drug} by the FDA is expected in {month}."),
    Wording("Investors would welcome it if {drug} met its primary endpoint."),
    Wording("{company} is seeking to raise {money} in a private placement."),
    Wording("{company} sold {drug} and a rival is developing {other}."),
    Wording("{company} took a minority stake in {bought} for {money}."),
)
SECOND_HELD_OUT = (
    Wording(
        "{company} acquires {bought}, adding to its pipeline.",
        ("acquired",),
    ),
    Wording("In {month}, {bought} was acquired by {company} for {money}.", ("acquired",)),
    Wording(
        "{company} signed an agreement to buy {bought} for up to {money}.",
        ("acquired",),
    ),
    Wording(
        "{drug}, which {company} licensed from {partner}, is given orally.", ("licensed_from",)
    ),
    Wording(
        "{company} acquired worldwide rights to {drug} from {partner} in {month}.",
        ("licensed_from",),
    ),
    Wording("{partner} licensed {drug} to {company} in exchange for {money}.", ("licensed_to",)),
    Wording("{company} develops {drug}, a treatment for {disease}.", ("develops",)),
    Wording(
        "{company}'s investigational therapy {drug} is given once a week.",
        ("develops",),
    ),
    Wording("{drug} is now in {stage} for {disease}.", ("stage",)),
    Wording("Enrollment in the {stage} trial of {drug} in {disease} is complete.", ("stage",)),
    Wording("{drug} moved into {stage} in {month}.", ("stage",)),
    Wording("{drug} | {stage} | {disease}", ("stage",)),
    Wording(
        "Data from the {stage} trial evaluating {drug} are expected in the first half of {year}.",
        ("readout_expected",),
        ("stage",),
    ),
    Wording("{drug}: {stage} readout expected {month}.", ("readout_expected",), ("stage",)),
    Wording(
        "The {stage} study of {drug} met its primary endpoint, {company} said.",
        ("result",),
        ("stage",),
    ),
    Wording("{drug} missed the primary endpoint in {disease}.", ("result",)),
    Wording(
        "Positive {stage} results for {drug} were presented on {day}.", ("result",), ("stage",)
    ),
    Wording("The FDA approved {company}'s {drug} on {day}.", ("approved",), ("develops",)),
    Wording("{drug} was approved in Japan for {disease}.", ("approved",)),
    Wording("{company} stopped work on {drug} in {disease} for strategic reasons.", ("stopped",)),
    Wording("{drug} has been discontinued.", ("stopped",)),
    Wording("{company} has raised {money} from new and existing investors.", ("financing",)),
    Wording("{company} completes {money} Series B round.", ("financing",)),
)
SECOND_HELD_OUT_TRAPS = (
    Wording("{company} abandoned its plan to acquire {bought}."),
    Wording("{company} and {bought} could not agree on a price, so that no deal was signed."),
    Wording("It was {other}, not {drug}, that {company} had in the clinic."),
    Wording("{company} has an option to license {drug} from {partner}."),
    Wording("{partner} offered {drug} to {company}, which declined."),
    Wording("{drug} works like {other}, which is sold by {partner}."),
    Wording("{company} said that a generic of {drug} was approved by the FDA."),
    Wording("The FDA is reviewing {drug} for {disease}."),
    Wording("{drug} should be approved by the FDA in {year}."),
    Wording("{drug} would be in {stage} today had {company} found the money."),
    Wording("Before {drug} can enter {stage}, toxicology must be complete."),
    Wording("{company} withdrew its offer to acquire {bought} in {month}."),
    Wording("{drug} met a secondary endpoint only."),
    Wording("{company} borrowed {money} from a bank to pay for {bought}."),
    Wording("{drug} was studied against {other}, and {other} met its primary endpoint."),
    Wording("A study of {drug} may be stopped early."),
)
HELD_OUT = (
    Wording("{company} completed the acquisition of {bought} in {month}.", ("acquired",)),
    Wording("{company} bought {bought} last year for {money}.", ("acquired",)),
    Wording("{company} will expand after it acquired {bought} in {month}.", ("acquired",)),
    Wording("{bought} agreed to be acquired by {company}.", ()),
    Wording("{drug} was in-licensed from {partner} by {company}.", ("licensed_from",)),
    Wording("{company} holds an exclusive license from {partner} for {drug}.", ("licensed_from",)),
    Wording(
        "{company} today announced that it has out-licensed {drug} to {partner}.",
        ("licensed_to",),
    ),
    Wording("{company} is studying {drug} as a treatment of {disease}.", ("develops",)),
    Wording("{company} is advancing its lead asset, {drug}.", ("develops",)),
    Wording("{drug} is under development at {company}.", ("develops",)),
    Wording("{drug} has advanced to {stage} in {disease}.", ("stage",)),
    Wording("Dosing began in a {stage} study of {drug}.", ("stage",)),
    Wording("{drug} is being tested in a {stage} trial in {disease}.", ("stage",)),
    Wording("{drug} reached {stage} in {month}.", ("stage",)),
    Wording("{disease} | {stage} | {drug}", ("stage",)),
    Wording("Results from the study of {drug} are due in {month}.", ("readout_expected",)),
    Wording(
        "{company} anticipates data from the {stage} trial of {drug} in {month}.",
        ("readout_expected",),
        ("stage",),
    ),
    Wording("{drug} data are expected by {month}.", ("readout_expected",)),
    Wording("{drug} meets primary endpoint in {disease} study.", ("result",)),
    Wording("{drug} failed to meet the primary endpoint of the trial.", ("result",)),
    Wording("{company} announced positive data from a study of {drug} in {disease}.", ("result",)),
    Wording("The EMA has approved {drug}.", ("approved",)),
    Wording("{drug} gained approval in the EU in {month}.", ("approved",)),
    Wording("{company} announced FDA approval of {drug} for {disease}.", ("approved",)),
    Wording("{company} halted the trial of {drug} in {disease}.", ("stopped",)),
    Wording("{company} is discontinuing development of {drug}.", ("stopped",)),
    Wording("{company} raised {money} in its initial public offering.", ("financing",)),
    Wording("{company} priced a {money} offering of common stock.", ("financing",)),
)
HELD_OUT_TRAPS = (
    Wording("{company} and {partner} discussed whether {bought} had been acquired."),
    Wording("There is no truth to reports that {company} acquired {bought}."),
    Wording("{company} would have acquired {bought} had the regulator agreed."),
    Wording("Neither {company} nor {partner} licensed {drug} from the university."),
    Wording(
        "{company} returned the rights to {drug} that it licensed from {partner}.",
        also=("rights_returned",),
    ),
    Wording("The former head of {company} bought {bought} with his own money."),
    Wording("{drug} remains preclinical and is not in {stage}."),
    Wording("{drug} is in {stage}, whereas {other} is sold without any trial.", ("stage",)),
    Wording("{company} aims to bring {drug} into {stage} by {year}."),
    Wording("{drug} would be the first drug approved by the FDA for {disease}."),
    Wording("The FDA rejected {drug} in {month}."),
    Wording("The FDA approved a trial of {drug} in {disease}."),
    Wording("{drug} was compared with {other}, which met the primary endpoint."),
    Wording("{company} intends to raise {money} in a public offering."),
    Wording("Rivals of {company} are developing {drug}."),
    Wording("{company} is considering discontinuing development of {drug}."),
    Wording("{company} raised the price of {drug} to {money}."),
)
ELSEWHERE = (
    "Management will present at the annual healthcare conference on {day}.",
    "The conference call can be heard on the website of {company}.",
    "{drug} binds its target with high affinity in cells.",
    "Patients with {disease} were asked about their quality of life.",
    "The label of {drug} describes hypersensitivity reactions.",
    "{company} appointed a new chief financial officer in {month}.",
    "{company} reported revenue of {money} for the quarter.",
    "Research and development expenses were {money}, compared with {money} a year ago.",
    "The incidence of {disease} rises with age.",
    "Cells were incubated with {drug} for 24 hours.",
    "{company} publishes its sustainability report.",
    "The festival opened on {day} with a concert in the park.",
    "A survey of pharmacists found long waiting times in {month}.",
    "Guidelines recommend {drug} as an option in {disease}.",
    "{company} and {partner} sponsor a run for charity.",
    "The poster compares models of {disease} in mice.",
)
ABOUT = (
    "This press release contains forward-looking statements within the meaning of the law.",
    "For further information, visit our website.",
    "About {company}: a biopharmaceutical company with offices on three continents.",
    "About {disease}: it is a serious disease with high unmet need.",
    "The most common adverse events were fatigue, nausea and headache.",
)
