"""The very request of a run, as a program or a terminal would send it."""

import json
import pprint

import streamlit as st

from core.agent import Agent
from core.records.wire import Request
from core.workbench import current

LONGEST_INLINE = 4_000
"""Characters of JSON that are shown within the call; longer bodies come as a file."""


def show_calls(agent: Agent, request: Request) -> None:
    """Draw the request as curl, as Python, and as a file when it is long."""
    body = request.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    text = json.dumps(body, indent=2, ensure_ascii=False)
    short = len(text) <= LONGEST_INLINE
    st.markdown(
        "Make a key on the page **API keys** and put it into the environment variable `BPW_KEY`."
    )
    if not short:
        st.download_button(
            "request.json",
            text,
            "request.json",
            "application/json",
            on_click="ignore",
            icon=":material/download:",
        )
        st.caption("The request has long text: save it as request.json next to the script.")
    address = f"{base_address()}/v1/agents/{agent.name}"
    st.code(curl_call(address, text if short else None), language="bash")
    st.code(python_call(address, body if short else None), language="python")
    st.caption("In a terminal on this machine, without a server:")
    st.code(f"python -m api run {agent.name} --input request.json", language="bash")


def base_address() -> str:
    """Return the address of this app without path, as the browser knows it."""
    url = st.context.url
    if url and url.startswith(("http://", "https://")):
        return "/".join(url.split("/")[:3])
    settings = current().settings
    return f"http://{settings.host}:{settings.port}"


def curl_call(address: str, body: str | None) -> str:
    """Return the curl command; without a body it sends request.json."""
    data = "@request.json" if body is None else "@- <<'JSON'"
    lines = [
        f"curl --fail-with-body {address} \\",
        '  -H "Authorization: Bearer $BPW_KEY" \\',
        "  -H 'Content-Type: application/json' \\",
        f"  --data-binary {data}",
    ]
    return "\n".join(lines if body is None else [*lines, body, "JSON"])


def python_call(address: str, body: dict[str, object] | None) -> str:
    """Return a Python program of the standard library that sends the request."""
    if body is None:
        request = 'open("request.json", "rb").read()'
    else:
        request = f"json.dumps({pprint.pformat(body, width=88, sort_dicts=False)}).encode()"
    return "\n".join(
        [
            "import json",
            "import os",
            "import urllib.request",
            "",
            f"body = {request}",
            "call = urllib.request.Request(",
            f'    "{address}",',
            "    data=body,",
            '    headers={"Authorization": "Bearer " + os.environ["BPW_KEY"],',
            '             "Content-Type": "application/json"},',
            ")",
            "with urllib.request.urlopen(call) as answer:",
            '    data = json.load(answer)["data"]',
            "print(data.keys())",
        ]
    )
