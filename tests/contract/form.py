"""What the contract asks of an answer and its schema, each as a list of what is wrong."""

import re
import typing
from collections.abc import Iterator, Mapping
from typing import Any

from core.registry import all_agents

Json = Any
Schema = Mapping[str, Any]

WARNING = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*: \S")
CITATION = re.compile(r"\[(\d+(?:\s*[,;]\s*\d+)*)\]")
_FREE_OF_CITATIONS = ("input", "sources", "r_script")


def resolve(schema: Schema, root: Schema) -> Schema:
    """Follow references inside the description."""
    while "$ref" in schema:
        found: Any = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        schema = found
    return schema


def parts_of(schema: Schema) -> list[Schema]:
    """Return the branches of a union, or the schema itself."""
    if "properties" in schema:
        return [schema]
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            return [branch for part in schema[word] for branch in parts_of(part)]
    return [schema]


def bare_objects(
    schema: Schema, root: Schema, path: str = "", above: tuple[str, ...] = ()
) -> Iterator[str]:
    """Yield the path of every part that says nothing of its inside."""
    for branch in parts_of(schema):
        reference = branch.get("$ref", "")
        if reference in above:
            continue
        part = resolve(branch, root)
        if "$ref" in branch or part is not branch:
            yield from bare_objects(part, root, path, (*above, reference))
        elif part.get("type") == "object":
            yield from _inside_object(part, root, path, above)
        elif part.get("type") == "array":
            yield from _inside_array(part, root, path, above)
        elif not {"type", "enum", "const"} & set(part):
            yield path


def _inside_object(part: Schema, root: Schema, path: str, above: tuple[str, ...]) -> Iterator[str]:
    others = part.get("additionalProperties")
    if isinstance(others, Mapping) and others:
        yield from bare_objects(others, root, f"{path}.*", above)
    elif not part.get("properties") or others is True or others == {}:
        yield path
    for name, inner in part.get("properties", {}).items():
        yield from bare_objects(inner, root, f"{path}.{name}".lstrip("."), above)


def _inside_array(part: Schema, root: Schema, path: str, above: tuple[str, ...]) -> Iterator[str]:
    if "items" not in part:
        yield f"{path}[]"
        return
    yield from bare_objects(part["items"], root, f"{path}[]", above)


def echoes(request: Schema, root: Schema) -> set[str]:
    """Return the paths in `data` where a free object of the request may stand again."""
    free = {path.split(".")[0].split("[")[0] for path in bare_objects(request, root)}
    return {f"input.{name}{rest}" for name in free for rest in ("", ".*")}


def texts(value: Json, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text inside a value with its path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from texts(inner, f"{path}.{name}".lstrip("."))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from texts(inner, f"{path}[{number}]")


def source_lists(value: Json) -> Iterator[list[str]]:
    """Yield every `source_ids` inside a value."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "source_ids":
                yield inner
            else:
                yield from source_lists(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from source_lists(inner)


def loose_citations(data: Json) -> list[str]:
    """Return what is wrong between citations and sources; nothing where there are no sources."""
    if "sources" not in data:
        return []
    sources = {source["id"]: source for source in data["sources"]}
    shown = {name: value for name, value in data.items() if name not in _FREE_OF_CITATIONS}
    cited = {found for ids in source_lists(shown) for found in ids}
    for _, text in texts(shown):
        for group in CITATION.findall(text):
            cited.update(re.split(r"\s*[,;]\s*", group))
    wrong = [f"[{found}] has no source" for found in sorted(cited - set(sources))]
    idle = [found for found in sources if found not in cited]
    wrong += [
        f"source {found} is never cited"
        for found in idle
        if sources[found].get("relevance") != "background"
    ]
    if list(sources) != [str(number + 1) for number in range(len(data["sources"]))]:
        wrong.append(f"source ids are not 1, 2, …: {list(sources)}")
    return wrong


def wrong_warnings(data: Json) -> list[str]:
    """Return the warnings that do not begin with their code and a colon."""
    return [text for text in data.get("warnings", []) if not WARNING.match(text)]


def type_name(found: type) -> str:
    """Return where a type is defined, and its name."""
    return f"{found.__module__}.{found.__qualname__}"


def read_hints(name: str) -> dict[str, dict[str, str]]:
    """Return the annotations of an agent's `run` and `compose` (called in a warm child)."""
    agent = all_agents()[name]
    functions = {"run": agent.load(), "compose": agent.load_report()}
    return {
        word: {part: type_name(found) for part, found in typing.get_type_hints(function).items()}
        for word, function in functions.items()
    }
