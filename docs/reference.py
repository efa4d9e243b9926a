"""Pages and tables of the guides that come from the code: settings, fields of agents, licenses."""

import csv
import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from mkdocs.config.defaults import MkDocsConfig  # noqa: E402
from mkdocs.structure.files import File, Files  # noqa: E402
from mkdocs.structure.pages import Page  # noqa: E402

from core.agent import Agent  # noqa: E402
from core.registry import find_agent  # noqa: E402
from core.settings import Settings  # noqa: E402

_AROUND_LISTS = re.compile(r"(?m)^(?:(?!- |  ).+(?=\n- )|(?:- |  ).+(?=\n[^-\s]))")
_KEYS = {"database_url": "DATABASE_URL", "anthropic_api_key": "ANTHROPIC_API_KEY"}


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages that are made of the code."""
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    made = {
        "settings.md": describe_settings(),
        "licenses.md": f"# Sources and licenses\n\n{_AROUND_LISTS.sub(_end_block, notice)}",
    }
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files


def _end_block(line: re.Match[str]) -> str:
    """Return a line before or after a list with the empty line that Markdown needs."""
    return f"{line[0]}\n"


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Add fields and an example to the page of an agent."""
    folder, _, name = page.file.src_uri.rpartition("/")
    agent = find_agent(Path(name).stem) if folder == "agents" else None
    if agent is None:
        return markdown
    parts = [markdown, describe_agent(agent)]
    if agent.name == "assay-development":
        parts.insert(1, list_documents())
    return "\n".join(parts)


def list_documents() -> str:
    """Return the guidelines and papers that plans cite."""
    lines = ["", "Guidelines and papers that plans cite:", "", "| document | title |", "|---|---|"]
    path = ROOT / "core" / "knowledge" / "assays" / "documents.csv"
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            year = f" ({row['year']})" if row["year"] else ""
            lines.append(f"| {_cell(row['document'])} | {_cell(row['title'])}{year} |")
    return "\n".join([*lines, ""])


def on_post_template(output_content: str, *, template_name: str, config: MkDocsConfig) -> str:
    """Let the page for missing pages, which is shown at any depth, lead to `/docs`."""
    if template_name != "404.html":
        return output_content
    return re.sub(r'((?:href|src|action)="|base_url = ")/+(?!docs/)', r"\1/docs/", output_content)


def describe_settings() -> str:
    """Return the page of settings, a line each."""
    lines = [
        "# Settings",
        "",
        "Settings are environment variables, read once at the start.",
        "",
        "| variable | default | meaning |",
        "|---|---|---|",
    ]
    for name, field in Settings.model_fields.items():
        variable = _KEYS.get(name, f"BPW_{name.upper()}")
        default = "" if field.default_factory or field.is_required() else field.get_default()
        lines.append(f"| `{variable}` | {_cell(_plain(default))} | {_cell(field.description)} |")
    return "\n".join(lines)


def describe_agent(agent: Agent) -> str:
    """Return the fields of an agent's request and answer, and an example."""
    request = agent.request.model_json_schema(by_alias=True)
    data = agent.data.model_json_schema(by_alias=True, mode="serialization")
    example = agent.examples[0] if agent.examples else None
    parts = [
        "## Call it",
        "",
        f"`POST /v1/agents/{agent.name}` or `python -m api run {agent.name} --input FILE`.",
        "",
        *_table(request, "request field"),
    ]
    if example is not None:
        body = json.dumps(example.request, indent=2, ensure_ascii=False)
        if len(body) < 2000:
            parts += ["", f"Example: {example.title}", "", "```json", body, "```"]
    parts += [
        "",
        "## Answer",
        "",
        "Fields of `data`:",
        "",
        *_table(data, "field", shows_default=False),
    ]
    return "\n".join(parts)


def _table(schema: dict[str, Any], title: str, *, shows_default: bool = True) -> list[str]:
    required = set(schema.get("required", []))
    heads = [title, "type", *["default"] * shows_default, "meaning"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name, field in schema.get("properties", {}).items():
        default = "required" if name in required else _cell(_plain(field.get("default", "")))
        cells = [f"`{name}`", _cell(_type(field)), *[default] * shows_default]
        lines.append(f"| {' | '.join([*cells, _cell(field.get('description', ''))])} |")
    return lines


def _type(field: dict[str, Any]) -> str:
    if "enum" in field:
        return ", ".join(f"`{word}`" for word in field["enum"])
    if "const" in field:
        return f"`{field['const']}`"
    if "$ref" in field:
        return "object"
    options = field.get("anyOf") or field.get("oneOf")
    if options:
        return " or ".join(dict.fromkeys(_type(option) for option in options))
    if field.get("type") == "array":
        return f"list of {_type(field.get('items', {}))}"
    return str(field.get("type", "any"))


def _plain(value: Any) -> str:
    if value in ("", None, (), {}, []):
        return ""
    return f"`{json.dumps(value, default=str, ensure_ascii=False)}`"


def _cell(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")
