"""The ten pages in the order of the work, by import path: a page's code is loaded when it is first shown."""

from __future__ import annotations

import importlib
from dataclasses import dataclass

from annotator.ui.page import Page, PageContext


@dataclass(frozen=True, slots=True)
class PageEntry:
    """Where a page lives and what the sidebar and the palette say of it."""

    name: str
    module: str
    class_name: str
    help: str

    @property
    def action_id(self) -> str:
        """The id of the action that shows the page, such as ``go.select``."""
        return f"go.{self.name.lower()}"


PAGES: tuple[PageEntry, ...] = (
    PageEntry("Sources", "annotator.ui.pages.sources", "SourcesPage", "Where candidates come from"),
    PageEntry("Select", "annotator.ui.pages.select", "SelectPage", "Accept or reject candidates"),
    PageEntry("Prompt", "annotator.ui.pages.prompt", "PromptPage", "Write the prompt beside the original"),
    PageEntry("Criterion", "annotator.ui.pages.criterion", "CriterionPage", "Say what a good response holds"),
    PageEntry("Bugs", "annotator.ui.pages.bugs", "BugsPage", "Implanted bugs and their proof"),
    PageEntry("Judge", "annotator.ui.pages.judge", "JudgePage", "Compare two responses blind"),
    PageEntry("Consensus", "annotator.ui.pages.consensus", "ConsensusPage", "Settle what raters see differently"),
    PageEntry("Release", "annotator.ui.pages.release", "ReleasePage", "Freeze a version and export it"),
    PageEntry("Runs", "annotator.ui.pages.runs", "RunsPage", "Models that answer a release"),
    PageEntry("Results", "annotator.ui.pages.results", "ResultsPage", "Leaderboard and every response"),
)


def entry(name: str) -> PageEntry:
    """Return the entry of a page; raises KeyError for a name that is none."""
    for candidate in PAGES:
        if candidate.name == name:
            return candidate
    raise KeyError(name)


def make_page(name: str, context: PageContext) -> Page:
    """Load a page's module and build the page; raises whatever its import or constructor raises."""
    found = entry(name)
    factory = getattr(importlib.import_module(found.module), found.class_name)
    page = factory(context)
    if not isinstance(page, Page):
        raise TypeError(f"{found.class_name} is no Page")
    return page
