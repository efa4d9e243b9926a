"""A table of targets: what must be reached, what was aimed at, what was measured."""

import sys
from dataclasses import dataclass, field


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


@dataclass(frozen=True)
class Target:
    """One figure.

    Attributes:
        name: What is measured.
        measured: In words.
        must: What has to be reached.
        aim: What was hoped for.
        is_met: Whether it was reached; None where it cannot be told here.
    """

    name: str
    measured: str
    must: str
    aim: str
    is_met: bool | None


@dataclass
class Table:
    """Figures in the order in which they were measured."""

    rows: list[Target] = field(default_factory=list)

    def add(self, name: str, measured: str, must: str, aim: str, is_met: bool | None) -> None:
        """Keep a figure and print it."""
        self.rows.append(Target(name, measured, must, aim, is_met))
        say(f"== {name}: {measured} (must {must}, aim {aim})")

    def show(self) -> None:
        """Print the table as Markdown."""
        say("\n| figure | measured | must | aim | met |\n|---|---|---|---|---|")
        for one in self.rows:
            met = "not told" if one.is_met is None else "yes" if one.is_met else "NO"
            say(f"| {one.name} | {one.measured} | {one.must} | {one.aim} | {met} |")
