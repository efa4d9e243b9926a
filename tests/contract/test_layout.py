"""The shape of the source: sizes, imports, lock files, license."""

import ast
import csv
import importlib.metadata
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.rows import over_rows

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("core", "api", "storage", "pages", "tools")
SOURCES = sorted(
    [ROOT / "app.py", *(path for name in FOLDERS for path in (ROOT / name).rglob("*.py"))]
)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = sorted(ROOT.glob("requirements*.lock"))
LONGEST_MODULE, LONGEST_PAGE, LONGEST_FACE, LONGEST_BODY, LONGEST_APP = 700, 120, 40, 60, 60
APP_MAY_IMPORT = {"api", "core", "pages", "pathlib", "starlette", "streamlit"}
VAGUE = ("utils", "helpers", "common", "misc", "manager", "handler")


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


each_lock = over_rows("path", LOCKS)


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function's body without its docstring."""
    body = function.body
    if ast.get_docstring(function) is not None:
        body = body[1:]
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def limit_of(path: Path) -> int:
    """Return how many lines a module may have."""
    if path.name == "__init__.py":
        return LONGEST_FACE
    if path == ROOT / "app.py":
        return LONGEST_APP
    return LONGEST_PAGE if path.parent == ROOT / "pages" else LONGEST_MODULE


def room_of(path: Path) -> str:
    """Return the room of a module: a folder of core, another folder, or what lies outside them."""
    folder, *more = path.relative_to(ROOT).parts
    return f"{folder}/{more[0]}" if folder == "core" and len(more) > 1 else folder


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the first name of every absolute import, wherever it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0]


@cache
def declared() -> set[str]:
    """Return the modules that the declared dependencies bring themselves."""
    wanted = {
        re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0].lower().replace("_", "-")
        for line in PROJECT["project"]["dependencies"]
    }
    return {
        module
        for module, names in importlib.metadata.packages_distributions().items()
        if any(name.lower().replace("_", "-") in wanted for name in names)
    }


def blocks(path: Path) -> list[str]:
    """Return the requirements of a lock file, each with its continued lines."""
    text = path.read_text().replace("\\\n", " ")
    return [line for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]


@cache
def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a source file."""
    return ast.parse(path.read_text())


def test_no_module_is_longer_than_its_limit() -> None:
    lengths = {shown(path): len(path.read_text().splitlines()) for path in SOURCES}
    assert {s: lengths[s] for s in lengths if lengths[s] > limit_of(ROOT / s)} == {}


def test_no_function_is_longer_than_its_limit() -> None:
    long = {
        f"{shown(path)}:{node.lineno} {node.name}: {body_lines(node)} lines"
        for path in SOURCES
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and body_lines(node) > LONGEST_BODY
    }
    assert long == set()


def test_no_room_is_above_its_ceiling() -> None:
    sizes = Counter(room_of(path) for path in SOURCES for _ in path.read_text().splitlines())
    with (ROOT / "tools" / "rooms.csv").open(encoding="utf-8") as file:
        ceilings = {row["room"]: int(row["ceiling"]) for row in csv.DictReader(file)}
    assert {room: n for room, n in sizes.items() if n > ceilings.get(room, 0)} == {}


def test_imports_are_absolute_and_declared() -> None:
    allowed = {*FOLDERS, "app"} | sys.stdlib_module_names | declared()
    strange = {(shown(path), name) for path in SOURCES for name in imported(parsed(path))}
    relative = {
        shown(path)
        for path in SOURCES
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ImportFrom) and node.level
    }
    assert relative == set()
    assert {(path, name) for path, name in strange if name not in allowed} == set()


def test_names_say_what_is_inside() -> None:
    parts = {
        (shown(p), part) for p in SOURCES for part in p.relative_to(ROOT).with_suffix("").parts
    }
    assert {path for path, part in parts if part in VAGUE} == set()


def test_application_imports_nothing_heavy() -> None:
    tree = ast.parse((ROOT / "app.py").read_text())
    assert set(imported(tree)) <= APP_MAY_IMPORT


def test_measures_find_what_is_too_long() -> None:
    lines = "\n".join(f"    x = {number}" for number in range(61))
    tree = ast.parse(f'def long():\n    """Words."""\n{lines}\n')
    assert body_lines(tree.body[0]) == LONGEST_BODY + 1
    assert set(imported(ast.parse("def f():\n    import numpy.linalg\n"))) == {"numpy"}


def test_lock_files_are_there() -> None:
    names = {path.name for path in LOCKS}
    assert names == {"requirements.lock", "requirements-dev.lock", "requirements-tool.lock"}


@each_lock
def test_lock_file_names_no_address(path: Path) -> None:
    assert "://" not in path.read_text()
    assert str(Path.home()) not in path.read_text()


@each_lock
def test_every_locked_requirement_is_pinned_and_has_a_hash(path: Path) -> None:
    found = blocks(path)
    assert found
    loose = [
        block[:60]
        for block in found
        if not re.match(r"[A-Za-z0-9._-]+==\S+ ", block)
        or not re.search(r"--hash=sha256:[0-9a-f]{64}\b", block)
    ]
    assert loose == []


@over_rows(
    ("lock", "lines"),
    [
        ("requirements.lock", PROJECT["project"]["dependencies"]),
        (
            "requirements-dev.lock",
            PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["dev"],
        ),
    ],
)
def test_every_declared_dependency_is_locked(lock: str, lines: list[str]) -> None:
    locked = {block.partition("==")[0].lower() for block in blocks(ROOT / lock)}
    names = {re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0].lower() for line in lines}
    assert names - locked == set()


def test_license_is_the_general_public_license_3_or_later() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert "GNU GENERAL PUBLIC LICENSE" in text
    assert "Version 3, 29 June 2007" in text
    assert PROJECT["project"]["license"] == "GPL-3.0-or-later"
    assert (ROOT / "NOTICE").is_file()
