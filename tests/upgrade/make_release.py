"""Makes the backup of an instance of an earlier release, with that release's own code.

    git worktree add /tmp/release COMMIT
    python tests/upgrade/make_release.py /tmp/release 0.1.0

puts it into `releases.tar.xz`, next to those of other releases (0.1.0 is commit 2cdee0e9, 0.2.0 is
1488f28c, 0.3.0 is 5bc89d96).

The instance has two people with keys, an upload, a stored answer of each agent, a run that failed,
a watched question, a shared answer and, where the release knows them, a list and a project. Its
evidence is left out: it is loaded anew by every release.
"""

import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

ARCHIVE = Path(__file__).parent / "releases.tar.xz"
PASSWORD = "correct horse battery"
PORT = 8739
REQUESTS: dict[str, dict[str, object]] = {
    "assay-development": {
        "modality": "CAR-T",
        "indication": "multiple myeloma",
        "target": "BCMA",
        "assay_goal": "potency",
        "development_stage": "IND_enabling",
    },
    "clinical-trial-design": {
        "asset_name": "ABC-101",
        "indication": "non-small cell lung cancer",
        "modality": "antibody-drug conjugate",
        "mechanism_of_action": "TROP2-directed antibody-drug conjugate",
        "target": "TROP2",
        "development_stage": "Phase 2",
        "geography": "FDA",
    },
    "company-asset-searcher": {"company": "Summit Therapeutics"},
    "competitive-landscaping": {"query": "IL-31 in atopic dermatitis", "query_type": "clinical"},
    "compound-map": {
        "target": "SLC5A2",
        "seed": "example",
        "max_patents": 1,
    },
    "deal-sourcing": {"thesis": "PD-1 x VEGF bispecific antibodies"},
    "label-strategy": {
        "asset_name": "ivarmacitinib",
        "indication": "moderate-to-severe atopic dermatitis",
        "modality": "small molecule",
        "mechanism_of_action": "JAK1 inhibitor",
        "target": "JAK1",
        "development_stage": "phase 3",
        "geography": "FDA",
    },
    "new-developments": {"query": "KRAS inhibitors", "lookback_days": 365},
    "alerts": {"action": "add_manual", "drug_name": "sotorasib"},
}
LATER = """
from datetime import UTC, datetime
from core.settings import read_settings
from storage.stores import open_stores
stores = open_stores(read_settings())
anna = stores.users.by_name("anna").user_id
if hasattr(stores, "lists"):
    drugs = stores.lists.make(anna, "KRAS drugs", "drug")
    names = ["sotorasib", "adagrasib"]
    if hasattr(stores.lists, "change"):
        stores.lists.change(anna, drugs.list_id, add=names)
    else:  # before 0.4.0
        stores.lists.add(anna, drugs.list_id, names)
if hasattr(stores, "projects"):
    stores.projects.make(anna, "KRAS landscape")
stores.engine.close()
"""


def main(checkout: Path, version: str) -> None:
    """Make the instance, use it and keep its backup.

    Args:
        checkout: Folder with the program of the release.
        version: Its number.
    """
    with tempfile.TemporaryDirectory() as folder:
        home, releases = Path(folder) / "instance", Path(folder) / "releases"
        copy = releases / version
        releases.mkdir()
        if ARCHIVE.exists():
            with tarfile.open(ARCHIVE) as archive:
                archive.extractall(releases, filter="data")
            shutil.rmtree(copy, ignore_errors=True)
        if ready := os.environ.get("BPW_READY_HOME"):
            shutil.copytree(ready, home)
        api = Api(checkout, home)
        api.call("setup")
        if not (home / "evidence" / "identity.db").exists():
            api.call("evidence", "build")
        api.run_python(
            "from core.settings import read_settings as r; from storage.stores import open_stores;"
            f"u = open_stores(r()).users; u.create('anna', {PASSWORD!r});"
            f"u.create('boris', {PASSWORD!r})"
        )
        key = api.call("keys", "create", "--name", "notebook", "--user", "anna").strip()
        api.use(key)
        api.run_python(LATER)
        api.call("backup", str(copy))
        drop_evidence(copy, key)
        with tarfile.open(ARCHIVE, "w:xz", preset=9) as archive:
            archive.add(releases, arcname=".", filter=without_owner)


class Api:
    """The command line and the service of a release."""

    def __init__(self, checkout: Path, home: Path) -> None:
        """Keep where it lies and which instance it uses."""
        self.checkout = checkout
        packages = os.environ.get("BPW_IDENTITY_PACKAGES", "")
        self.environment = {
            "PATH": os.environ["PATH"],
            "BPW_HOME": str(home),
            "BPW_OFFLINE": "1",
            "BPW_IDENTITY_PACKAGES": packages,
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def call(self, *arguments: str) -> str:
        """Run a command and return what it wrote."""
        return self.run(["-m", "api", *arguments])

    def run_python(self, code: str) -> str:
        """Run code of the release."""
        return self.run(["-c", code])

    def run(self, arguments: list[str]) -> str:
        """Run Python in the folder of the release."""
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.checkout,
            env=self.environment,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout

    def use(self, key: str) -> None:
        """Ask the service for an answer of each agent and for one that fails."""
        command = [sys.executable, "-m", "api", "serve", "--port", str(PORT)]
        server = subprocess.Popen(command, cwd=self.checkout, env=self.environment)
        try:
            wait_for(PORT)
            for agent, request in REQUESTS.items():
                post(f"agents/{agent}", request, key)
            post("agents/differential-expression", self.small(expression_of), key)
            post("agents/attribution-engine", self.small(attribution_of), key)
            counts = self.small(expression_of)["counts_csv"]
            upload("counts.csv", str(counts).encode(), key)
            failing = {"condition_column": "no", "reference_group": "a", "comparison_group": "b"}
            failing |= {"counts_csv": "gene,a,b\ng,1,2\n", "metadata_csv": "sample,x\na,1\nb,2\n"}
            post("agents/differential-expression", failing, key)
        finally:
            server.terminate()
            server.wait()

    def small(self, cut: Any) -> dict[str, Any]:
        """Return an example of the release with less data."""
        agent = cut.__name__.removesuffix("_of")
        names = {"expression": "differential-expression", "attribution": "attribution-engine"}
        example: dict[str, Any] = json.loads(self.call("example", names[agent]))
        small: dict[str, Any] = cut(example)
        return small


def expression_of(example: dict[str, Any]) -> dict[str, Any]:
    """Return the example with at most 60 genes."""
    lines = example["counts_csv"].splitlines(keepends=True)
    return example | {"counts_csv": "".join(lines[:61])}


def attribution_of(example: dict[str, Any]) -> dict[str, Any]:
    """Return the example with its last 280 days."""
    return example | {"returns": example["returns"][-280:]}


def wait_for(port: int) -> None:
    """Wait until the service answers."""
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise SystemExit("the service did not start")


def post(path: str, body: object, key: str) -> None:
    """Send a request, and say how it was answered."""
    send(path, json.dumps(body).encode(), "application/json", key)


def upload(name: str, content: bytes, key: str) -> None:
    """Send a file."""
    mark = "a-mark-between-parts"
    head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = head.encode() + content + f"\r\n--{mark}--\r\n".encode()
    send("files", body, f"multipart/form-data; boundary={mark}", key)


def send(path: str, body: bytes, content_type: str, key: str) -> None:
    """Send bytes, and say how they were answered."""
    headers = {"Authorization": f"Bearer {key}", "Content-Type": content_type}
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}/v1/{path}", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=300) as answer:
            sys.stdout.write(f"{path} {answer.status} {len(answer.read())}\n")
            sys.stdout.flush()
    except urllib.error.HTTPError as refusal:
        sys.stdout.write(f"{path} {refusal.code} {refusal.read()[:300]!r}\n")


def drop_evidence(copy: Path, key: str) -> None:
    """Take the evidence out of a backup and keep the key beside it."""
    manifest = json.loads((copy / "manifest.json").read_bytes())
    manifest["files"] = [f for f in manifest["files"] if not f["path"].startswith("evidence/")]
    shutil.rmtree(copy / "evidence", ignore_errors=True)
    (copy / "manifest.json").write_text(json.dumps(manifest, indent=1))
    for file in manifest["files"]:
        digest = hashlib.sha256((copy / file["path"]).read_bytes()).hexdigest()
        assert digest == file["sha256"], file["path"]
    (copy / "key").write_text(key)


def without_owner(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Return an entry without who made it and when."""
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
