"""Clients generated from openapi.json call all agents: one in Python, two in TypeScript.

    ./test --bench clients

Needs node 20, npm and the package registries of Python and npm; takes some minutes. Each client is
compiled strictly, calls every agent of a served instance with its first example, and must have a
type for each answer.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from core.agent import Agent
from core.registry import all_agents
from tests.instances import link, starter_home
from tests.live import LiveApp, serve_api

PYTHON = ("openapi-python-client==0.29.1",)
NODE = (
    *("openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "@hey-api/openapi-ts@0.99.0"),
    *("typescript@5.9.3", "@types/node@20"),
)
_UV = Path(sys.executable).with_name("uv")
_PYTHON_CALLS = """
import importlib, json, os, typing
from bench import AuthenticatedClient
client = AuthenticatedClient(base_url=os.environ["URL"], token=os.environ["KEY"], timeout=300)
for name, body in json.load(open("requests.json")).items():
    slug = name.replace("-", "_")
    word = "".join(part.capitalize() for part in slug.split("_"))
    call = importlib.import_module(f"bench.api.agents.run_{slug}").sync_detailed
    hint = typing.get_type_hints(call)["body"]
    request = next(
        kind
        for kind in typing.get_args(hint) or [hint]
        if hint is kind or kind.__name__.lower().endswith(body["action"].replace("_", ""))
    )
    reply = call(client=client, body=request.from_dict(body))
    kind = type(getattr(reply.parsed, "data", None)).__name__
    print("call", name, int(reply.status_code), kind, kind == f"{word}Data")
"""
_FETCH_HEAD = """
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";
const headers = { Authorization: `Bearer ${process.env.KEY}` };
const client = createClient<paths>({ baseUrl: process.env.URL ?? "", headers });
"""
_FETCH_CALL = """
{
  const { data, response } = await client.POST("/v1/agents/%(name)s", { body: %(body)s });
  const answer: components["schemas"]["%(word)sData"] | undefined = data?.data;
  console.log("call %(name)s", response.status, "%(word)sData", answer !== undefined);
}
"""
_HEY_HEAD = """
import { client } from "./hey/client.gen.js";
import * as sdk from "./hey/sdk.gen.js";
import type * as types from "./hey/types.gen.js";
client.setConfig({ baseUrl: process.env.URL as "/", auth: () => process.env.KEY ?? "" });
"""
_HEY_CALL = """
{
  const { data, response } = await sdk.run%(word)s({ body: %(body)s });
  const answer: types.%(word)sData | undefined = data?.data;
  console.log("call %(name)s", response?.status, "%(word)sData", answer !== undefined);
}
"""


def run(*command: str, cwd: Path, **environment: str) -> str:
    """Run a command and return what it wrote; its failure ends the benchmark."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)[:200]}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout + done.stderr


def count_calls(label: str, written: str) -> int:
    """Print how many agents answered with a typed body; return how many did not."""
    calls = [line.split()[1:] for line in written.splitlines() if line.startswith("call ")]
    wrong = [call for call in calls if call[1] != "200" or call[3].lower() != "true"]
    missing = len(all_agents()) - len(calls)
    print(f"{label:<44}{len(calls) - len(wrong)} of {len(all_agents())} agents", *wrong)  # noqa: T201
    return len(wrong) + missing


def call_in_python(app: LiveApp, key: str, folder: Path) -> int:
    """Generate a Python client and call every agent."""
    run(str(_UV), "venv", "-q", "--python", sys.executable, "py", cwd=folder)
    run(str(_UV), "pip", "install", "-q", *PYTHON, cwd=folder, VIRTUAL_ENV=str(folder / "py"))
    tools = folder / "py" / "bin"
    written = run(
        *(str(tools / "openapi-python-client"), "generate", "--path", "openapi.json"),
        *("--meta", "none", "--output-path", "bench"),
        cwd=folder,
        PATH=f"{tools}:{os.environ['PATH']}",
    )
    lost = re.findall(r"^(?:WARNING|ERROR) .*", written, re.MULTILINE)
    print(f"{'openapi-python-client':<44}{len(lost)} dropped", *lost)  # noqa: T201
    (folder / "calls.py").write_text(_PYTHON_CALLS)
    calls = run(str(tools / "python"), "calls.py", cwd=folder, URL=app.url, KEY=key)
    return len(lost) + count_calls("  calls", calls)


def call_in_typescript(app: LiveApp, key: str, folder: Path) -> int:
    """Generate two TypeScript clients, compile them strictly, and call every agent."""
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    run("npm", "install", "--silent", "--no-audit", "--no-fund", *NODE, cwd=folder)
    # a field with a default may be left out of a request
    schema = ("openapi.json", "-o", "schema.d.ts", "--default-non-nullable=false")
    run("npx", "openapi-typescript", *schema, cwd=folder)
    run("npx", "openapi-ts", "-i", "openapi.json", "-o", "hey", cwd=folder)
    agents = all_agents().values()
    fetch = _FETCH_HEAD + "".join(_FETCH_CALL % _words(agent) for agent in agents)
    hey = _HEY_HEAD + "".join(_HEY_CALL % _words(agent) for agent in agents)
    (folder / "fetch.ts").write_text(fetch)
    (folder / "sdk.ts").write_text(hey)
    flags = ("--strict", "--module", "nodenext", "--target", "es2022", "--outDir", "out")
    run("npx", "tsc", *flags, "fetch.ts", cwd=folder)
    # its files import each other without endings, as bundlers read them
    bundled = ("--strict", "--module", "esnext", "--moduleResolution", "bundler", "--target")
    run("npx", "tsc", *bundled, "es2022", "--noEmit", "sdk.ts", cwd=folder)
    written = run("node", "out/fetch.js", cwd=folder, URL=app.url, KEY=key)
    wrong = count_calls("openapi-typescript, tsc --strict, calls", written)
    print(f"{'@hey-api/openapi-ts, tsc --strict':<44}compiles the calls of all agents")  # noqa: T201
    return wrong


def _words(agent: Agent) -> dict[str, str]:
    word = "".join(part.capitalize() for part in agent.slug.split("_"))
    return {"name": agent.name, "word": word, "body": json.dumps(agent.examples[0].request)}


def main() -> int:
    """Print how each client fares; return how much went wrong."""
    if shutil.which("npm") is None:
        print("clients: needs node 20 with npm, PyPI and npm's registry")  # noqa: T201
        return 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        home = link(starter_home(), folder / "instance")
        with serve_api(home) as app:
            key = app.key()
            with urllib.request.urlopen(f"{app.url}/v1/openapi.json", timeout=120) as answer:
                (folder / "openapi.json").write_bytes(answer.read())
            requests = {agent.name: agent.examples[0].request for agent in all_agents().values()}
            (folder / "requests.json").write_text(json.dumps(requests))
            return call_in_python(app, key, folder) + call_in_typescript(app, key, folder)


if __name__ == "__main__":
    sys.exit(main())
