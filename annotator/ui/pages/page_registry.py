"""The ten pages in the order of the work, by import path; their code is loaded after the first paint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from annotator.ui.app.base_page import Page, PageContext
from annotator.ui.loading import load_module


@dataclass(frozen=True, slots=True)
class PageEntry:
    """The import path of a page and its texts for the sidebar and the palette."""

    name: str
    module: str
    class_name: str
    help: str

    @property
    def action_id(self) -> str:
        """The id of the action that shows the page, such as ``go.select``."""
        return f"go.{self.name.lower()}"


PAGES: tuple[PageEntry, ...] = (
    PageEntry("Sources", "annotator.ui.pages.sources.page", "SourcesPage", "Where candidates come from"),
    PageEntry("Select", "annotator.ui.pages.select.page", "SelectPage", "Accept or reject candidates"),
    PageEntry("Prompt", "annotator.ui.pages.desk.page", "PromptPage", "Write the prompt beside the original"),
    PageEntry("Criterion", "annotator.ui.pages.desk.page", "CriterionPage", "Describe a good response"),
    PageEntry("Bugs", "annotator.ui.pages.bugs.page", "BugsPage", "Implanted bugs and their proof"),
    PageEntry("Judge", "annotator.ui.pages.judge.page", "JudgePage", "Compare two responses blind"),
    PageEntry("Consensus", "annotator.ui.pages.consensus.page", "ConsensusPage", "Settle disagreements between raters"),
    PageEntry("Release", "annotator.ui.pages.release.page", "ReleasePage", "Freeze a version and export it"),
    PageEntry("Runs", "annotator.ui.pages.runs.page", "RunsPage", "Run models on a release"),
    PageEntry("Results", "annotator.ui.pages.results.page", "ResultsPage", "Leaderboard and all responses"),
)


def find_page_entry(name: str) -> PageEntry:
    """Return the entry of a page; raises KeyError for an unknown name."""
    for candidate in PAGES:
        if candidate.name == name:
            return candidate
    raise KeyError(name)


def load_page(name: str) -> Callable[[PageContext], object]:
    """Load a page's module and return its class."""
    page_entry = find_page_entry(name)
    factory: Callable[[PageContext], object] = getattr(load_module(page_entry.module), page_entry.class_name)
    return factory


def load_pages() -> None:
    """Load the modules of all pages, so that showing one for the first time does not stop the window."""
    for item in PAGES:
        load_module(item.module)


def make_page(name: str, context: PageContext) -> Page:
    """Load a page's module and build the page; raises whatever its import or constructor raises."""
    page = load_page(name)(context)
    if not isinstance(page, Page):
        raise TypeError(f"{name} is not a Page")
    return page
