"""Guides, files for systemd and containers, and the settings that they name."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from api.guide_routes import guides_folder
from core.registry import all_agents
from core.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
TEXTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted(DEPLOY.iterdir())]
OF_THE_FILES = {"BPW_DATABASE_PASSWORD"}
"""What the compose file itself asks for."""


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_every_setting_that_a_text_names_is_there(path: Path) -> None:
    named = set(re.findall(r"\bBPW_[A-Z0-9_]+[A-Z0-9]", path.read_text(encoding="utf-8")))
    settings = {f"BPW_{name.upper()}" for name in Settings.model_fields}
    assert named - settings - OF_THE_FILES == set()


@pytest.mark.parametrize("name", [path.name for path in DEPLOY.glob("*.service")])
def test_the_unit_is_one_that_systemd_takes(name: str, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze (Debian: systemd)")
    unit = tmp_path / name
    text = (DEPLOY / unit.name).read_text().replace("/opt/biopharma-workbench", str(ROOT))
    unit.write_text(text.replace("User=biopharma", "User=daemon"))
    answer = subprocess.run(
        ["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False
    )
    assert (answer.returncode, answer.stderr) == (0, "")


def test_the_container_file_is_clean() -> None:
    linter = shutil.which("hadolint", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if linter is None:
        pytest.skip("needs hadolint, of the development packages")
    command = [linter, "--no-color", DEPLOY / "Containerfile"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stdout) == (0, "")


def test_the_services_of_the_compose_file_fit_together() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    build = services["app"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).is_file()
    assert set(services["app"]["depends_on"]) <= set(services)
    for service in services.values():
        for port in service.get("ports", []):
            assert port.startswith("127.0.0.1:")
    steps = (DEPLOY / "Containerfile").read_text()
    for script in (".ci/environment.sh", "requirements.lock"):
        assert script in steps
        assert (ROOT / script).exists()


@pytest.fixture(scope="module")
def guides(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the guides, built without a warning."""
    return guides_folder(tmp_path_factory.mktemp("home"), "--strict")


def test_the_guides_are_whole_and_load_nothing_from_elsewhere(guides: Path) -> None:
    pages = {path.relative_to(guides).as_posix(): path for path in guides.rglob("*.html")}
    assert {f"agents/{name}.html" for name in all_agents()} <= set(pages)
    settings = pages["settings.html"].read_text()
    assert [name for name in Settings.model_fields if f"{name.upper()}<" not in settings] == []
    for name, path in pages.items():
        text = path.read_text()
        loaded = re.findall(r'<(?:script|img|iframe|link)[^>]+(?:src|href)="([^"#?]+)', text)
        linked = re.findall(r'<a [^>]*href="([^"#?]+)', text)
        assert not [url for url in loaded if "://" in url and "schema.org" not in url], name
        for url in [*loaded, *linked]:
            if name == "404.html" and "://" not in url:  # shown at any depth
                assert url.startswith("/docs/"), url
                assert (guides / url.removeprefix("/docs/")).exists(), url
            elif "://" not in url:
                assert (path.parent / url).resolve().exists(), (name, url)
