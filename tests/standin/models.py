"""What a model answers to a prompt of ours: honest, eager, idle, and lying in every way."""

import json
import random
import re
from collections.abc import Callable, Mapping
from typing import Any

CANARY = "CANARYTEXTOFAMODEL"
"""Text of a model; it must never be shown."""
KEY = "sk-ant-canary-0123456789abcdef"
"""Key of a model's service; it must never be written."""
Answer = Callable[[str, Mapping[str, Any], random.Random], Any]
"""From the data of a prompt, its schema and chance to an answer."""
PIECE = re.compile(r"^PIECE (\d+) (\d+) \((.*?)\): (.*)$", re.MULTILINE)


def ids_of(schema: Mapping[str, Any]) -> list[str]:
    """Return the ids of sentences that a schema allows."""
    lead: Mapping[str, Any] = schema["properties"]["lead"]["items"]
    return list(lead.get("enum") or [lead["const"]])


def is_probe(schema: Mapping[str, Any]) -> bool:
    return "word" in schema.get("properties", {})


def is_selection(schema: Mapping[str, Any]) -> bool:
    return "lead" in schema.get("properties", {})


def is_plan(schema: Mapping[str, Any]) -> bool:
    return "runs" in schema.get("properties", {})


def is_choice(schema: Mapping[str, Any]) -> bool:
    return "claims" in schema.get("properties", {})


def _choose_parts(data: str, schema: Mapping[str, Any]) -> Any:
    """Choose the sentences, rows and forms that come first, of every run."""
    claims = _items(schema, "claims")
    tables = []
    for run in re.findall(r"^RUN (r\d+):", data, re.MULTILINE):
        rows = re.findall(rf"^({run}\.\d+) ", data, re.MULTILINE)[:5]
        columns = re.findall(rf"({run}\.k\d+)=", data)[:4]
        tables += [{"run": run, "rows": rows, "columns": columns}] if rows else []
    first = [claim for claim in claims if claim.endswith((".c1", ".c2"))]
    chosen = {"claims": first[:8], "tables": tables, "next": _items(schema, "next")[:3]}
    return {**chosen, "cannot": ""}


def _items(schema: Mapping[str, Any], name: str) -> list[str]:
    """Return the words that a list of a schema takes."""
    items = schema["properties"][name]["items"]
    return [word for word in items.get("enum") or [items.get("const", "")] if word]


def _blank_run(schema: Mapping[str, Any], agent: str, about: list[str]) -> dict[str, Any]:
    """Return a run of an agent with every closed field left out."""
    form = schema["$defs"].get(f"Run_{agent.replace('-', '_')}", {"properties": {}})
    return dict.fromkeys(form["properties"], "") | {"agent": agent, "about": about}


def make_asker(keys: Mapping[str, tuple[str, str, str]]) -> Answer:
    """Return an honest model that knows agent, entity and refusal of some questions.

    Args:
        keys: Agent, entity and why it cannot be answered, by question.
    """

    def choose(data: str, schema: Mapping[str, Any], chance: random.Random) -> Any:
        if is_choice(schema):
            return _choose_parts(data, schema)
        if not is_plan(schema):
            return honest(data, schema, chance)
        question = data.partition("\n")[0].removeprefix("QUESTION: ")
        agent, entity, cannot = keys.get(question, ("", "", "unclear"))
        if cannot:
            return {"runs": [], "names": [], "cannot": cannot}
        things = re.findall(r"^(NAMES|MAY MEAN) (\w+) \((\w+)\): (.*)$", data, re.MULTILINE)
        about = [name for word, name, _, label in things if word == "NAMES" or label == entity]
        names = []
        pieces = re.findall(r"^PIECE (\d+) (\d+): ", data, re.MULTILINE)
        if pieces and entity not in [label for *_, label in things]:
            names = [
                {"start": int(start), "end": int(end), "name": entity} for start, end in pieces
            ]
            about += [] if about else ["x1"]
        runs = [_blank_run(schema, agent, about[:12])]
        return {"runs": runs, "names": names, "cannot": ""}

    return choose


ASK_LIES = (
    *("unknown ids", "text for ids", "extra keys", "extra keys within", "nine runs", "same again"),
    *("not named", "foreign rows", "unknown agents", "text for closed words", "cannot and runs"),
    *("nothing", "text", "a list", "repeated ids", "all", "free text in names"),
)


def _spoil_plan(kind: str, data: str, schema: Mapping[str, Any], chance: random.Random) -> Any:
    """Return a plan that is a lie of some kind."""
    agents = re.findall(r"^AGENT ([\w-]+):", data, re.MULTILINE)
    things = re.findall(r"^(?:NAMES|MAY MEAN) (\w+) ", data, re.MULTILINE)
    pieces = re.findall(r"^PIECE (\d+) (\d+): ", data, re.MULTILINE)
    run = _blank_run(schema, chance.choice(agents), things[:1])
    place = dict(
        zip(("start", "end"), map(int, chance.choice(pieces or [("0", "4")])), strict=True)
    )
    name = chance.choice(["insulin", "aspirin", "melanoma", "EGFR", f"{CANARY}mab"])
    many = [_blank_run(schema, each, things[:1]) for each in agents] * 2
    good = {"runs": [run], "names": [], "cannot": ""}
    lies: dict[str, Any] = {
        "unknown ids": {**good, "runs": [{**run, "about": ["e99"]}]},
        "text for ids": {**good, "runs": [{**run, "about": [CANARY]}]},
        "extra keys": {**good, "query": CANARY},
        "extra keys within": {**good, "runs": [{**run, "query": CANARY}]},
        "nine runs": {**good, "runs": many[:9]},
        "same again": {**good, "runs": [run] * 4},
        "not named": {
            "runs": [{**run, "about": ["x1"]}],
            "names": [{**place, "name": name}],
            "cannot": "",
        },
        "unknown agents": {**good, "runs": [{**run, "agent": CANARY}]},
        "text for closed words": {**good, "runs": [{**run, "query_type": CANARY}]},
        "cannot and runs": {**good, "cannot": "unclear"},
        "nothing": {"runs": [], "names": [], "cannot": ""},
        "text": f"Sure! {CANARY}",
        "a list": [CANARY],
        "repeated ids": {**good, "runs": [{**run, "about": things[:1] * 2}]},
        "all": {**good, "runs": [_blank_run(schema, each, things[:4]) for each in agents[:4]]},
        "free text in names": {**good, "names": [{**place, "name": f"psoriasis {CANARY}"}]},
    }
    return lies.get(kind, good)


def _spoil_choice(kind: str, data: str, schema: Mapping[str, Any], chance: random.Random) -> Any:
    """Return a choice of sentences and rows that is a lie of some kind."""
    good = _choose_parts(data, schema)
    claims, rows = _items(schema, "claims"), re.findall(r"^(r\d+\.\d+) ", data, re.MULTILINE)
    runs = re.findall(r"^RUN (r\d+):", data, re.MULTILINE)
    table = {"run": runs[0], "rows": rows[-1:], "columns": []}
    lies: dict[str, Any] = {
        "unknown ids": {**good, "claims": ["r9.c99"]},
        "text for ids": {**good, "claims": [f"{CANARY} cures 99 % [1]."]},
        "extra keys": {**good, "summary": CANARY},
        "extra keys within": {**good, "tables": [{**table, "cells": [[CANARY]]}]},
        "nine runs": {**good, "tables": [{**table, "run": f"r{n}"} for n in range(1, 10)]},
        "same again": {**good, "tables": [table, table]},
        "foreign rows": {**good, "tables": [{**table, "rows": [chance.choice(rows or ["r2.1"])]}]},
        "not named": {**good, "next": ["n99"]},
        "text for closed words": {**good, "cannot": CANARY},
        "cannot and runs": {**good, "cannot": "unclear"},
        "nothing": {"claims": [], "tables": [], "next": [], "cannot": ""},
        "text": f"Sure! {CANARY}",
        "a list": [CANARY],
        "repeated ids": {**good, "claims": claims[:1] * 2},
        "all": {**good, "claims": claims},
        "free text in names": {**good, "next": [CANARY]},
    }
    return lies.get(kind, good)


def honest(data: str, schema: Mapping[str, Any], chance: random.Random) -> Any:
    """Choose what shares most words with the question; read words by the table."""
    if is_probe(schema):
        return {"word": "cedar"}
    if is_selection(schema):
        question = set(re.findall(r"\w+", data.partition("\n")[0].casefold()))
        claims = dict(re.findall(r"^(c\d+) \(\w+\) (.*)$", data, re.MULTILINE))
        order = sorted(
            claims, key=lambda key: -len(question & set(re.findall(r"\w+", claims[key].casefold())))
        )
        lines = [{"claim": key, "join": ""} for key in order]
        return {"lead": order[:2], "lines": lines, "answers": True}
    return {"pieces": [], "names": []}


def make_reader(table: Mapping[str, str]) -> Answer:
    """Return an honest model that knows what some words mean.

    Args:
        table: Words, as analysts in other countries write them, and the name that is meant.
    """

    def read(data: str, schema: Mapping[str, Any], chance: random.Random) -> Any:
        if is_probe(schema) or is_selection(schema):
            return honest(data, schema, chance)
        pieces, names = [], []
        for start, end, offered, words in PIECE.findall(data):
            meant = table.get(words.casefold())
            if meant is None:
                continue
            keys = dict(re.findall(r"(k\d+)=(\w+: [^;]+)", offered))
            match = next(
                (k for k, v in keys.items() if v.partition(": ")[2].casefold() == meant.casefold()),
                "",
            )
            if match:
                kind = keys[match].partition(":")[0]
                place = {"start": int(start), "end": int(end)}
                pieces.append({**place, "became": kind, "key": match})
            else:
                names.append({"start": int(start), "end": int(end), "name": meant})
        return {"pieces": pieces, "names": names}

    return read


def idle(data: str, schema: Mapping[str, Any], chance: random.Random) -> Any:
    """Say that nothing answers the question."""
    if is_selection(schema):
        return {"lead": ids_of(schema)[:1], "lines": [], "answers": False}
    return honest(data, schema, chance)


def eager(data: str, schema: Mapping[str, Any], chance: random.Random) -> Any:
    """Choose everything, connected by any word."""
    if not is_selection(schema):
        return honest(data, schema, chance)
    ids = ids_of(schema)
    chance.shuffle(ids)
    joins = ["", "and", "while", "whereas", "also"]
    lines = [{"claim": key, "join": chance.choice(joins)} for key in ids]
    return {"lead": ids[:3], "lines": lines, "answers": True}


def _spoil_selection(kind: str, ids: list[str], chance: random.Random) -> Any:
    """Return a choice of sentences that is a lie of some kind."""
    chance.shuffle(ids)
    good = {
        "lead": ids[:2],
        "lines": [{"claim": key, "join": "and"} for key in ids],
        "answers": True,
    }
    lies: dict[str, Any] = {
        "unknown ids": {**good, "lead": [f"c{chance.randrange(900, 999)}"]},
        "text for ids": {**good, "lead": [f"{CANARY} alphamab cures 99 % of patients [1]."]},
        "text for joins": {**good, "lines": [{"claim": ids[0], "join": f", and {CANARY},"}]},
        "extra keys": {**good, "summary": CANARY},
        "extra keys within": {**good, "lines": [{"claim": ids[0], "join": "", "text": CANARY}]},
        "repeated ids": {**good, "lead": [ids[0], ids[0]], "lines": good["lines"] * 2},
        "all": {"lead": ids, "lines": good["lines"], "answers": True},
        "none": {"lead": [], "lines": [], "answers": True},
        "lead without caveat": {**good, "lead": ids[:3], "lines": good["lines"][:1]},
        "text": f"Sure! {CANARY}",
        "a list": [CANARY],
        "numbers": {"lead": [1], "lines": [2], "answers": "yes"},
    }
    return lies[kind]


def _spoil_reading(kind: str, data: str, schema: Mapping[str, Any], chance: random.Random) -> Any:
    """Return a reading of words that is a lie of some kind."""
    pieces = PIECE.findall(data)
    start, end, _, _ = pieces[0] if pieces else ("0", "4", "", "")
    offered = [key for key in _enum_of(schema, "key") if key]
    key = chance.choice(offered) if offered else ""
    became = chance.choice(_enum_of(schema, "became") or ["disease"])
    place = {"start": int(start), "end": int(end)}
    name = chance.choice(["psoriasis", "dupilumab", "EGFR", "Pfizer", "melanoma", "insulin"])
    lies: dict[str, Any] = {
        "unknown ids": {"pieces": [{**place, "became": became, "key": "k999"}], "names": []},
        "text for ids": {"pieces": [{**place, "became": became, "key": CANARY}], "names": []},
        "extra keys": {"pieces": [], "names": [], "query": CANARY},
        "places outside": {
            "pieces": [{"start": -5, "end": 10_000, "became": became, "key": key}],
            "names": [],
        },
        "places turned": {
            "pieces": [],
            "names": [{"start": int(end), "end": int(start), "name": name}],
        },
        "words understood": {
            "pieces": [{"start": 0, "end": int(end), "became": became, "key": key}],
            "names": [{"start": 0, "end": int(end), "name": name}],
        },
        "offered at wrong words": {
            "pieces": [
                {"start": int(begin), "end": int(stop), "became": became, "key": key}
                for begin, stop, _, _ in pieces
            ],
            "names": [],
        },
        "unknown names": {"pieces": [], "names": [{**place, "name": f"{CANARY}mab"}]},
        "known names": {"pieces": [], "names": [{**place, "name": name}]},
        "orders": {"pieces": [], "names": [{**place, "name": f"psoriasis not melanoma {CANARY}"}]},
        "text": CANARY,
    }
    return lies[kind]


def _enum_of(schema: Mapping[str, Any], name: str) -> list[str]:
    """Return the words that a schema allows for a field of any inner object."""
    for inner in schema.get("$defs", {}).values():
        if name in inner.get("properties", {}):
            field = inner["properties"][name]
            return list(field.get("enum") or [field.get("const", "")])
    return []


SELECTION_LIES = (
    *("unknown ids", "text for ids", "text for joins", "extra keys", "extra keys within"),
    *("repeated ids", "all", "none", "lead without caveat", "text", "a list", "numbers"),
)
READING_LIES = (
    *("unknown ids", "text for ids", "extra keys", "places outside", "places turned"),
    *("words understood", "offered at wrong words", "unknown names", "known names", "orders"),
    "text",
)


def make_liar(kind: str) -> Answer:
    """Return a model that tells one kind of lie wherever it can."""

    def lie(data: str, schema: Mapping[str, Any], chance: random.Random) -> Any:
        if is_probe(schema):
            return {"word": "cedar"}
        if is_plan(schema):
            return _spoil_plan(kind, data, schema, chance)
        if is_choice(schema):
            return _spoil_choice(kind, data, schema, chance)
        if is_selection(schema):
            known = kind in SELECTION_LIES
            return (
                _spoil_selection(kind, ids_of(schema), chance)
                if known
                else idle(data, schema, chance)
            )
        known = kind in READING_LIES
        return _spoil_reading(kind, data, schema, chance) if known else honest(data, schema, chance)

    return lie


def data_of(text: str) -> str:
    """Return what stands between the marks of a prompt."""
    mark, _, rest = text.partition("\n")
    return rest.removesuffix(f"\n{mark}")


def as_text(answer: Any) -> str:
    return answer if isinstance(answer, str) else json.dumps(answer)
