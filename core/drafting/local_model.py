"""A server on the company's own machines that speaks OpenAI's chat completions.

llama.cpp, vLLM and Ollama do. Some servers ignore the schema of an answer without a word, so that
one is asked first for a word that only the schema names.
"""

import json
import time
from dataclasses import dataclass, field
from typing import Any

import urllib3
from urllib3.exceptions import HTTPError, TimeoutError
from urllib3.response import BaseHTTPResponse

from core.drafting.anthropic_model import call_within, failed_status
from core.model_ports import NoReply
from core.records.model import Prompt, Provider, Reply

LARGEST_ANSWER = 1_000_000
"""Bytes of one answer."""
PORTION = 65_536
SEED = 1


@dataclass
class LocalModel:
    """One model of a local server.

    Attributes:
        name: As the server knows it.
        address: Base address, such as http://127.0.0.1:8080/v1.
        key: Key of the server; "" for none. It is written nowhere.
        ca_bundle: File with the company's certificate authorities; "" for the system's.
    """

    name: str
    address: str
    key: str = field(default="", repr=False)
    ca_bundle: str = ""

    @property
    def provider(self) -> Provider:
        """Return who runs it."""
        return "local"

    @property
    def needs_probe(self) -> bool:
        """Return True: such a server may ignore a schema."""
        return True

    def ask(self, prompt: Prompt, timeout_s: float) -> Reply:
        """Send one request, once. Raises NoReply."""
        turns = [{"role": turn.role, "content": turn.content} for turn in prompt.turns]
        schema = {"name": "answer", "strict": True, "schema": dict(prompt.schema)}
        body = {
            "model": self.name,
            "messages": [{"role": "system", "content": prompt.system}, *turns],
            "max_tokens": prompt.most_tokens,
            "temperature": 0,
            "seed": SEED,
            "stream": False,
            "response_format": {"type": "json_schema", "json_schema": schema},
        }
        content = json.dumps(body).encode()
        try:
            return self._read(call_within(timeout_s, lambda: self._send(content, timeout_s)))
        except TimeoutError:
            raise NoReply("timed_out", "it did not answer in time") from None
        except (HTTPError, OSError):
            raise NoReply("dropped", "the connection failed", 0.0) from None
        except (ValueError, TypeError, KeyError, IndexError, AttributeError):
            raise NoReply("malformed", "its answer was not readable") from None

    def _send(self, body: bytes, timeout_s: float) -> Any:
        """Return the answer as JSON; no proxy, redirect or retry."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        end = time.monotonic() + timeout_s
        with urllib3.PoolManager(ca_certs=self.ca_bundle or None) as pool:
            response: BaseHTTPResponse = pool.request(
                "POST",
                f"{self.address.rstrip('/')}/chat/completions",
                body=body,
                headers=headers,
                redirect=False,
                retries=False,
                preload_content=False,
                timeout=urllib3.Timeout(total=timeout_s),
            )
            if response.status != 200:
                response.close()
                raise failed_status(response.status, response.headers.get("retry-after"))
            content = b""
            while portion := response.read1(PORTION):
                content += portion
                if len(content) > LARGEST_ANSWER or time.monotonic() > end:
                    response.close()
                    raise ValueError("too long")
        return json.loads(content)

    def _read(self, answer: Any) -> Reply:
        choice = answer["choices"][0]
        usage = answer.get("usage") or {}
        counts = [int(usage.get(name) or 0) for name in ("prompt_tokens", "completion_tokens")]
        if choice.get("finish_reason") == "length":
            return Reply("cut", "", *counts)
        text, refusal = choice["message"].get("content"), choice["message"].get("refusal")
        if refusal or choice.get("finish_reason") == "content_filter":
            return Reply("declined", "", *counts)
        if not isinstance(text, str) or not text:
            raise ValueError("no text")
        return Reply("answered", text.replace(self.key, "") if self.key else text, *counts)
