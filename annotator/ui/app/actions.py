"""The table of actions, from which menus, shortcuts, the palette and the list of keys are built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

PAGE_MENU = "Page"
MENUS = ("File", "Edit", "Go", "View", PAGE_MENU, "Help")
MENU_LIMIT = 12
"""The maximum number of entries in a menu; rarer actions are only in the palette and the list of keys."""


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """The specification of an action. ``group`` is its menu; it is available on ``pages`` (empty: on all pages).

    The page menu contains the actions of the current page. Actions that are not ``in_menu`` are only in the palette.

    ``shortcuts`` are portable key names. An action with ``shows_page`` can be triggered from any page; its own page is
    shown first. Of the actions with the same ``exclusive`` name, one is ticked. ``separator`` draws a line above the
    menu entry; ``on_project`` marks actions of no particular page that need an open project.
    """

    id: str
    text: str
    shortcuts: tuple[str, ...]
    group: str
    _: KW_ONLY
    pages: tuple[str, ...] = ()
    help: str = ""
    shows_page: bool = False
    exclusive: str = ""
    separator: bool = False
    on_project: bool = False
    in_menu: bool = True

    @property
    def needs_project(self) -> bool:
        """Whether the action is disabled while no project is open, as all actions of pages are."""
        return self.on_project or bool(self.pages)

    def shares_page_with(self, other: ActionSpec) -> bool:
        """Return whether both actions can be available on the same page, so that they cannot share a key."""
        is_everywhere = not (self.pages and other.pages) or self.shows_page or other.shows_page
        return is_everywhere or bool(set(self.pages) & set(other.pages))


_QUEUE_PAGES = ("Select", "Prompt", "Criterion")
_WRITING_PAGES = ("Prompt", "Criterion")
_REVIEW_PAGES = ("Bugs", "Consensus")


_PAGES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **{name: (name.title(),) for name in ("sources", "select", "bugs", "judge", "consensus", "release")},
        **dict.fromkeys(("subject", "prompt", "criterion"), _WRITING_PAGES),
        "runs": ("Runs",), "results": ("Results",), "packet": ("Consensus",),
        "queue": (*_QUEUE_PAGES, *_REVIEW_PAGES), "desk": (*_WRITING_PAGES, *_REVIEW_PAGES),
    }
)  # fmt: skip
"""The pages where actions are available, by the first part of the action id."""


def _spec(
    group: str,
    action_id: str,
    text: str,
    help_text: str,
    *keys: str,
    pages: tuple[str, ...] | None = None,
    **flags: Any,
) -> ActionSpec:
    """Return a row of the table; its pages follow from its id."""
    pages = _PAGES.get(action_id.partition(".")[0], ()) if pages is None else pages
    return ActionSpec(action_id, text, keys, group, pages=pages, help=help_text, **flags)


_page = partial(_spec, PAGE_MENU)


def _go(name: str, help_text: str, key: str, *, separator: bool = False) -> ActionSpec:
    return _spec("Go", f"go.{name.lower()}", name, help_text, key, separator=separator, on_project=True)


ACTIONS: tuple[ActionSpec, ...] = (
    _spec("File", "file.new", "New project…", "Create a new project file", "Ctrl+N"),
    _spec("File", "file.open", "Open…", "Open a project file", "Ctrl+O"),
    _spec("File", "file.server", "Open on a server…", "Open a project that several people share"),
    _spec("File", "file.sample", "Open the sample", "Open a small finished project to explore"),
    _spec(
        "File", "sources.import", "Import…", "Import candidates from a file or folder", "Ctrl+I", shows_page=True,
        separator=True,
    ),
    _spec("File", "sources.repository", "Mine a repository…", "Find tested functions in Python code", shows_page=True),
    _page("release.create", "Create a release…", "Freeze the accepted items as a version", shows_page=True),
    _page("release.export", "Export a release…", "Write a version in a format that other tools read", shows_page=True),
    _page("release.publish", "Publish a release…", "Publish to the Hugging Face Hub or a git remote"),
    _page("release.datasheet", "Datasheet…", "Describe the benchmark for every export", shows_page=True),
    _page("release.audit", "Audit of a release…", "Show a checklist with evidence"),
    _page("release.power", "Size and power…", "Show how many items it takes to detect a difference"),
    _page(
        "release.changes", "Changes between versions…", "Compare versions: what is new, and which results remain valid",
    ),
    _page("release.gates", "Gates of a release…", "Show which conditions block a release"),
    _page("release.privacy", "Personal data…", "List text that looks like personal data or a secret"),
    _page("release.sources", "Sources and licences…", "List the sources and authors of the items"),
    _page("runs.replay", "Score recorded responses…", "Score the responses in a file", shows_page=True),
    _page("runs.start", "Start a run", "Run the model chosen in the form", "Ctrl+G"),
    _page("runs.pause", "Pause or resume the run", "Stop the run; it can be resumed later", "Ctrl+Shift+P"),
    _page("runs.setup", "Set up runs…", "Endpoints, prices, prompt templates and protocols"),
    _page("results.export", "Export the results…", "Write the tables to a file", shows_page=True),
    _page("results.answers", "Go to the answers", "Go from the selected cell to its answers", "V", separator=True),
    _page("results.back", "Back to the table", "Go from the answers back to their cell", ","),
    _page("results.next-failed", "Next failure", "Show the next listed answer that did not pass", "."),
    _page(
        "results.link", "Copy the link",
        "Copy a link to this answer; paste it into the search above the answers to return", "Ctrl+Shift+C",
    ),
    _page(
        "results.before", "Compare with the previous run",
        "Compare the selected model's run with its previous one, item by item", "=",
    ),
    _page(
        "results.failed", "Label failed responses", "Go through the failed responses without a label", "N",
        separator=True,
    ),
    _page("results.label", "Label the failure…", "Choose a label for the response; digits select one", "L"),
    _page(
        "results.doubt", "Doubtful answers",
        "Go through the answers with a doubtful verdict, without seeing the model's name", "D", separator=True,
    ),
    _page("results.pass", "Settle: it passes…", "Let a doubtful answer pass, with a reason", "P"),
    _page("results.fail", "Settle: it fails…", "Let a doubtful answer fail, with a reason", "X"),
    _page("packet.export", "Export a packet…", "Export a colleague's share, or your own work", shows_page=True),
    _spec("File", "packet.import", "Merge a packet or project…", "Merge a colleague's work", shows_page=True),
    _spec(
        "File", "file.backup", "Back up now", "Create and check a copy beside the project", separator=True,
        on_project=True,
    ),
    _spec("File", "file.backups", "Backups…", "List, check and restore backups", on_project=True),
    _spec(
        "File", "file.rename", "Rename the project…", "Change the project's name; its file name stays the same",
        on_project=True,
    ),
    _spec(
        "File", "file.close", "Close the project", "Save pending work and close the project", "Ctrl+W", separator=True,
        on_project=True,
    ),
    _spec("File", "file.quit", "Quit", "Save pending work and quit", "Ctrl+Q"),
    _spec(
        "Edit", "edit.undo", "Undo", "Undo the last change, even after a restart", "Ctrl+Z",
        on_project=True,
    ),
    _spec("Edit", "edit.redo", "Redo", "Redo what was undone", "Ctrl+Shift+Z", on_project=True),
    _spec(
        "Edit", "edit.history", "History…", "List all changes; return to one, or view the project at an earlier time",
        "Ctrl+H", on_project=True,
    ),
    _spec("Edit", "queue.search", "Search the queue", "Put the cursor in the search field", "/", separator=True),
    _spec("Edit", "edit.find", "Find in the text…", "Find in the focused text", "Ctrl+F", on_project=True),
    _spec("Edit", "edit.settings", "Settings…", "Appearance, backups and keys", "Ctrl+,", separator=True),
    _spec("Go", "palette.open", "Command palette…", "Find any action, subject, run or help page", "Ctrl+K"),
    _go("Sources", "Where candidates come from", "Ctrl+1", separator=True),
    _go("Select", "Accept or reject candidates", "Ctrl+2"),
    _go("Prompt", "Write the prompt beside the original", "Ctrl+3"),
    _go("Criterion", "Describe a good response", "Ctrl+4"),
    _go("Bugs", "Implanted bugs and their proof", "Ctrl+5"),
    _go("Judge", "Compare two responses blind", "Ctrl+6"),
    _go("Consensus", "Settle disagreements between raters", "Ctrl+7"),
    _go("Release", "Freeze a version and export it", "Ctrl+8"),
    _go("Runs", "Run models on a release", "Ctrl+9"),
    _go("Results", "Leaderboard and all responses", "Ctrl+Shift+L"),
    _spec(
        "View", "view.system", "Theme: as the system", "Light or dark, the same as the system", exclusive="look",
        separator=True,
    ),
    _spec("View", "view.light", "Light", "Always light", exclusive="look"),
    _spec("View", "view.dark", "Dark", "Always dark", exclusive="look"),
    _spec("View", "view.larger", "Larger text", "Make all text one step larger", "Ctrl++", "Ctrl+=", separator=True),
    _spec("View", "view.smaller", "Smaller text", "Make all text one step smaller", "Ctrl+-"),
    _spec("View", "view.normal", "Normal text size", "Reset the text size", "Ctrl+0"),
    _spec("View", "view.fullscreen", "Full screen", "Switch full screen on or off", "F11"),
    _page("select.accept", "Accept", "Accept the candidate or bug into the benchmark", "A", pages=("Select", "Bugs")),
    _page("select.reject", "Reject", "Reject the candidate or bug", "R", pages=("Select", "Bugs")),
    _page("select.skip", "Skip", "Decide later", "S"),
    _page("select.flag", "Flag", "Mark the candidate for somebody else to check", "F"),
    _page("select.reject_why", "Reject with a reason…", "Reject the selection with a reason", "Shift+R"),
    _page("select.skip_why", "Skip with a reason…", "Decide later, with a reason", "Shift+S", in_menu=False),
    _page("select.flag_why", "Flag with a reason…", "Mark for somebody else, with a reason", "Shift+F", in_menu=False),
    _page("select.easy", "Label as easy", "Set the difficulty to easy", "E", in_menu=False),
    _page("select.medium", "Label as medium", "Set the difficulty to medium", "M", in_menu=False),
    _page("select.hard", "Label as hard", "Set the difficulty to hard", "H", in_menu=False),
    _page("select.type", "Choose the question type", "Set the question type", "Y"),
    _page(
        "select.compare", "Compare two candidates…", "Compare the two selected candidates, or this one and the next",
        "C",
    ),
    _page(
        "select.next_free", "Next free candidate", "Go to the next open candidate that nobody else has reserved", "O",
    ),
    _page("select.quotas", "Quotas…", "Set the target number of candidates of each kind", "Q"),
    _page("select.mine", "Show mine or everyone's", "Show only the candidates assigned to you", "I", in_menu=False),
    _page("select.give", "Assign…", "Assign the selected candidates to a person", "G"),
    _page("select.undo", "Undo the decision", "Undo the last change", "U", pages=("Select", "Judge")),
    _page("queue.next", "Next subject", "Select the next subject in the queue", "J", "Alt+Down", in_menu=False),
    _page(
        "queue.previous", "Previous subject", "Select the previous subject in the queue", "K", "Alt+Up", in_menu=False,
    ),
    _page(
        "subject.save_next", "Save and next", "Save and go to the next open step, or the next subject", "Ctrl+Return",
        separator=True,
    ),
    _page("subject.save", "Save", "Save and stay on this subject", "Ctrl+S"),
    _page(
        "subject.drafts", "Suggestions by a model…",
        "Ask a model for a suggestion; it changes nothing until you use it", "Ctrl+D",
    ),
    _page(
        "subject.editor", "Open in your editor",
        "Show the item's file, or a copy of its code or prompt, in your own editor", "Ctrl+Shift+E",
        pages=(*_QUEUE_PAGES, *_REVIEW_PAGES), in_menu=False,
    ),
    _page(
        "subject.browser", "Open its source in the browser", "Open the web page that the item comes from",
        "Ctrl+Shift+B", pages=(*_QUEUE_PAGES, *_REVIEW_PAGES), in_menu=False,
    ),
    _page(
        "subject.copy_path", "Copy the path", "Copy the path of the file that the item comes from",
        pages=(*_QUEUE_PAGES, *_REVIEW_PAGES), in_menu=False,
    ),
    _page("desk.accepted", "Go to the question", "Put the focus into the question", "F5", "Alt+1", in_menu=False),
    _page(
        "desk.paraphrased", "Go to the paraphrase", "Put the cursor into the paraphrase", "F6", "Alt+2", in_menu=False,
    ),
    _page("desk.criterion", "Go to the criterion", "Put the cursor into the criterion", "F7", "Alt+3", in_menu=False),
    _page("desk.proven", "Go to the proof", "Show the proof", "F8", "Alt+4", in_menu=False),
    _page(
        "desk.reviewed", "Go to the reviews", "Show other people's reviews, on Consensus", "F9", "Alt+5", in_menu=False,
    ),
    _page("prompt.reset", "Reset to the original", "Replace the paraphrase by the original text", separator=True),
    _page("prompt.override", "Keep the paraphrase anyway…", "Give a reason why it is right although checks fail"),
    _page(
        "prompt.rewrite", "Rewrite to prevent leaks…",
        "Change requirement and signature of mined code, with tests in five languages", "Ctrl+Shift+R",
    ),
    _page("criterion.template", "Insert a template", "Start a criterion from an example"),
    _page("criterion.face", "Switch form and YAML", "Switch between the form and the YAML", "Ctrl+Shift+Y"),
    _page(
        "criterion.run_tests", "Run the tests", "Run the criterion's tests on the responses, in the sandbox", "Ctrl+R",
    ),
    _page(
        "criterion.prove", "Prove the criterion",
        "Check that right answers pass and wrong ones fail, and save the proof", "Ctrl+P",
    ),
    _page("criterion.prove_all", "Prove all", "Prove all accepted subjects that are not proven yet"),
    _page("criterion.rule", "Make the selection a rule", "Make the selection in a response a keyword rule", "Ctrl+E"),
    _page("judge.first", "Candidate 1 is better", "Judge the left candidate better", "1", "Alt+1", separator=True),
    _page("judge.second", "Candidate 2 is better", "Judge the right candidate better", "2", "Alt+2"),
    _page("judge.tie", "Tie", "Judge both good enough", "T", "Alt+T"),
    _page("judge.both_bad", "Both bad", "Judge neither good enough", "B", "Alt+B"),
    _page("judge.skip", "Skip the pair…", "Leave this pair out and say why", "S", "Alt+S"),
    _page("judge.take_up", "Take up skipped pairs", "Judge the pairs that you skipped after all"),
    _page("judge.rationale", "Write the rationale", "Put the cursor in the rationale", "W"),
    _page("judge.new", "New study…", "Create a study of pairs to judge blind"),
    _page(
        "judge.hand_over", "Reassign pairs…", "Let somebody else judge an absent rater's open pairs",
    ),
    _page(
        "consensus.yes", "Vote yes", "Answer the next open question of the vote with yes", "Y", "Alt+Y", separator=True,
    ),
    _page("consensus.no", "Vote no", "Answer the next open question of the vote with no", "N", "Alt+N"),
    _page("consensus.abstain", "Abstain", "Leave the next open question of the vote to the others", "0", "Alt+0"),
    _page(
        "consensus.cast", "Cast the vote", "Cast the vote and go on to the next subject", "Ctrl+Return",
    ),
    _page("consensus.panel", "Panel of voters…", "Set the number of votes, and see the result"),
    _page(
        "consensus.lock", "Lock or unlock", "Lock the subject against further work, or unlock it", "Ctrl+L",
        separator=True,
    ),
    _page(
        "bugs.edit", "Edit the bug", "Change the code of the bug; this invalidates its proof and reviews", "Shift+E",
        separator=True,
    ),
    _page("bugs.propose", "Propose bugs", "Implant bugs in accepted subjects with code, and keep the proven ones"),
    _page(
        "bugs.ask", "Ask a model for bugs…", "Let a model propose bugs in accepted subjects, and keep the proven ones",
    ),
    _page("bugs.combine", "Combine bugs", "Combine two proven bugs of a subject in one program"),
    _page(
        "bugs.make", "Make items from code",
        "Make questions about calls, blanks and accepted bugs from accepted subjects",
    ),
    _spec("Help", "help.manual", "Manual", "Open the manual page for this part of the window", "F1"),
    _spec("Help", "help.tour", "Take the tour", "See the sample project in a minute"),
    _spec("Help", "help.keys", "Keys", "List all keys, page by page", "?"),
    _spec("Help", "help.about", "About Annotator", "Show version and libraries"),
)  # fmt: skip
