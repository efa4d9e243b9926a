"""Files for systemd and containers, and the settings that texts name."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from core.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
TEXTS = [ROOT / "README.md", *sorted(DEPLOY.iterdir())]
OF_THE_FILES = {"BPW_DATABASE_PASSWORD"}
"""What the compose file itself asks for."""


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_every_setting_that_a_text_names_is_there(path: Path) -> None:
    named = set(re.findall(r"BPW_[A-Z0-9_]+[A-Z0-9]", path.read_text(encoding="utf-8")))
    settings = {f"BPW_{name.upper()}" for name in Settings.model_fields}
    assert named - settings - OF_THE_FILES == set()


def test_the_unit_is_one_that_systemd_takes(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze (Debian: systemd)")
    unit = tmp_path / "biopharma-workbench.service"
    text = (DEPLOY / unit.name).read_text().replace("/opt/biopharma-workbench", str(ROOT))
    unit.write_text(text.replace("User=biopharma", "User=daemon"))
    answer = subprocess.run(
        ["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False
    )
    assert (answer.returncode, answer.stderr) == (0, "")


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
