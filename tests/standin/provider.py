"""An OpenID Connect provider on the loopback address that can be told to lie."""

import base64
import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, OctKey

CLIENT, SECRET = "bench", "a secret of the bench at the provider"


@dataclass
class Provider:
    """What the provider says of the person who signs in.

    Attributes:
        claims: Claims of the ID token in place of the usual ones; None leaves one out.
        userinfo: What the userinfo endpoint says.
        metadata: Entries of the description in place of the usual ones.
        forge: "none", "hmac" or "other key": how the ID token is signed wrongly.
        statuses: Status by path in place of 200.
        asked: Paths in the order in which they were asked for.
    """

    issuer: str = ""
    claims: dict[str, Any] = field(default_factory=dict)
    userinfo: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    forge: str = ""
    statuses: dict[str, int] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    key: ECKey = field(default_factory=lambda: ECKey.generate_key("P-256", {"kid": "one"}))
    _codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def authorize(self, address: str) -> dict[str, str]:
        """Let the person agree at an authorization address; return what the browser takes back."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert query["client_id"] == CLIENT
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"
        code = f"code-{len(self._codes)}"
        self._codes[code] = query
        return {"code": code, "state": query["state"]}

    def describe(self) -> dict[str, Any]:
        """Return the description of the provider."""
        names = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
        return {
            "issuer": self.issuer,
            **{f"{name}_endpoint": f"{self.issuer}/{path}" for name, path in names.items()},
            "jwks_uri": f"{self.issuer}/keys",
            **self.metadata,
        }

    def redeem(self, fields: dict[str, str], header: str) -> dict[str, Any] | None:
        """Return the tokens of a code, once, for whoever has the verifier and the secret."""
        query = self._codes.pop(fields.get("code", ""), None)
        expected = "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if query is None or header != expected or fields["redirect_uri"] != query["redirect_uri"]:
            return None
        digest = hashlib.sha256(fields["code_verifier"].encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != query["code_challenge"]:
            return None
        token = self._sign(query["nonce"])
        return {"access_token": "access", "token_type": "Bearer", "id_token": token}

    def _sign(self, nonce: str) -> str:
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "sub": "248",
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
            "preferred_username": "Carla@Example.org",
            "groups": ["bench-users"],
            **self.claims,
        }
        claims = {name: value for name, value in claims.items() if value is not None}
        if self.forge == "none":
            parts = [{"alg": "none"}, claims]
            coded = [base64.urlsafe_b64encode(json.dumps(part).encode()) for part in parts]
            return b".".join([*(part.rstrip(b"=") for part in coded), b""]).decode()
        if self.forge == "hmac":
            return jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(SECRET))
        key = ECKey.generate_key("P-256") if self.forge == "other key" else self.key
        return jwt.encode({"alg": "ES256", "kid": "one"}, claims, key)


def _handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            provider.asked.append(path)
            documents = {
                "/.well-known/openid-configuration": provider.describe(),
                "/keys": KeySet([provider.key]).as_dict(private=False),
                "/userinfo": provider.userinfo,
            }
            self._answer(path, documents.get(path))

        def do_POST(self) -> None:
            provider.asked.append(self.path)
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            fields = {name: values[0] for name, values in parse_qs(body).items()}
            tokens = provider.redeem(fields, self.headers.get("Authorization", ""))
            self._answer(self.path, tokens, 400)

        def _answer(self, path: str, document: Any, otherwise: int = 404) -> None:
            status = provider.statuses.get(path, 200 if document is not None else otherwise)
            content = json.dumps(document or {"error": "invalid_grant"}).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


@contextmanager
def serve_provider() -> Iterator[Provider]:
    """Serve a provider that is honest until it is told otherwise."""
    provider = Provider()
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(provider)) as server:
        provider.issuer = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield provider
        finally:
            server.shutdown()
