"""The table of actions, from which menus, shortcuts, the palette and the list of keys are built."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

PAGE_MENU = "Page"
MENUS = ("File", "Edit", "Go", "View", PAGE_MENU, "Help")
MENU_LIMIT = 12
"""The maximum number of entries in a menu; rarer actions are only in the palette and the list of keys."""

TEXT_FIELD_KEYS = frozenset({"Ctrl+Z", "Ctrl+Shift+Z", "Shift+R", "Shift+S", "Shift+F", "Ctrl+A"})
"""Keys that a focused text field handles itself, besides plain letters."""


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """The specification of an action. ``group`` is its menu; ``pages`` are those where it acts (empty: all).

    The page menu holds the actions of the current page. Actions that are not ``in_menu`` are only in the palette.

    ``shortcuts`` are portable key names; with ``plain_key`` single characters act only while no text field has the
    focus. An action that ``leads`` can be triggered from any page and shows its own page first. Actions with the same
    ``exclusive`` name are mutually exclusive and show a tick. ``separator`` draws a line above the menu entry;
    ``on_project`` marks actions that act everywhere but need an open project.
    """

    id: str
    text: str
    shortcuts: tuple[str, ...]
    group: str
    _: KW_ONLY
    pages: tuple[str, ...] = ()
    help: str = ""
    plain_key: bool = False
    leads: bool = False
    exclusive: str = ""
    separator: bool = False
    on_project: bool = False
    in_menu: bool = True

    @property
    def needs_project(self) -> bool:
        """Whether it is disabled while no project is open, as are all actions of pages."""
        return self.on_project or bool(self.pages)

    def meets(self, other: ActionSpec) -> bool:
        """Return whether both can act on the same page, so that they cannot share a key."""
        everywhere = not (self.pages and other.pages) or self.leads or other.leads
        return everywhere or bool(set(self.pages) & set(other.pages))


_QUEUES = ("Select", "Prompt", "Criterion")
_WRITING = ("Prompt", "Criterion")
_REVIEWING = ("Bugs", "Consensus")


def _go(name: str, key: str, help_text: str, *, separator: bool = False) -> ActionSpec:
    return ActionSpec(f"go.{name.lower()}", name, (key,), "Go", help=help_text, separator=separator, on_project=True)


def _select(
    text: str, key: str, help_text: str, name: str = "", pages: tuple[str, ...] = ("Select",), *, in_menu: bool = True
) -> ActionSpec:
    action_id = f"select.{name or text.lower()}"
    return ActionSpec(action_id, text, (key,), "Page", pages=pages, help=help_text, plain_key=True, in_menu=in_menu)


def _judge(name: str, text: str, keys: tuple[str, ...], help_text: str, *, separator: bool = False) -> ActionSpec:
    return ActionSpec(
        f"judge.{name}", text, keys, "Page", pages=("Judge",), help=help_text, plain_key=True, separator=separator
    )


def _vote(name: str, text: str, keys: tuple[str, ...], help_text: str, *, separator: bool = False) -> ActionSpec:
    return ActionSpec(
        f"consensus.{name}", text, keys, "Page", pages=("Consensus",), help=help_text, plain_key=True,
        separator=separator,
    )  # fmt: skip


def _step(name: str, text: str, keys: tuple[str, ...], help_text: str) -> ActionSpec:
    pages = (*_WRITING, *_REVIEWING)
    return ActionSpec(f"desk.{name}", text, keys, "Page", pages=pages, help=help_text, in_menu=False)


ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("file.new", "New project…", ("Ctrl+N",), "File", help="Create a new project file"),
    ActionSpec("file.open", "Open…", ("Ctrl+O",), "File", help="Open a project file"),
    ActionSpec("file.server", "Open on a server…", (), "File", help="Open a project that several people share"),
    ActionSpec("file.sample", "Open the sample", (), "File", help="Open a small finished project to explore"),
    ActionSpec(
        "sources.import", "Import…", ("Ctrl+I",), "File", pages=("Sources",),
        help="Import candidates from a file or folder",
        leads=True, separator=True,
    ),
    ActionSpec(
        "release.create", "Create a release…", (), "Page", pages=("Release",),
        help="Freeze the accepted items as a version",
        leads=True,
    ),
    ActionSpec(
        "release.export", "Export a release…", (), "Page", pages=("Release",),
        help="Write a version in a format that other tools read",
        leads=True,
    ),
    ActionSpec(
        "release.publish", "Publish a release…", (), "Page", pages=("Release",),
        help="Publish to the Hugging Face Hub or a git remote",
    ),
    ActionSpec(
        "release.datasheet", "Datasheet…", (), "Page", pages=("Release",),
        help="Describe the benchmark for every export", leads=True,
    ),
    ActionSpec(
        "release.audit", "Audit of a release…", (), "Page", pages=("Release",),
        help="Show a checklist with evidence",
    ),
    ActionSpec(
        "release.power", "Size and power…", (), "Page", pages=("Release",),
        help="Show how many items it takes to detect a difference",
    ),
    ActionSpec(
        "release.changes", "Changes between versions…", (), "Page", pages=("Release",),
        help="Compare versions: what is new, and which results remain valid",
    ),
    ActionSpec(
        "release.gates", "Gates of a release…", (), "Page", pages=("Release",),
        help="Show which conditions block a release",
    ),
    ActionSpec(
        "release.privacy", "Personal data…", (), "Page", pages=("Release",),
        help="List text that looks like personal data or a secret",
    ),
    ActionSpec(
        "release.sources", "Sources and licences…", (), "Page", pages=("Release",),
        help="List the sources and authors of the items",
    ),
    ActionSpec(
        "runs.replay", "Score recorded responses…", (), "Page", pages=("Runs",),
        help="Score the responses in a file",
        leads=True,
    ),
    ActionSpec(
        "runs.start", "Start a run", ("Ctrl+G",), "Page", pages=("Runs",),
        help="Run the model chosen in the form",
    ),
    ActionSpec(
        "runs.pause", "Pause or resume the run", ("Ctrl+Shift+P",), "Page", pages=("Runs",),
        help="Stop the run; it can be resumed later",
    ),
    ActionSpec(
        "runs.setup", "Set up runs…", (), "Page", pages=("Runs",),
        help="Endpoints, prices, prompt templates and protocols",
    ),
    ActionSpec(
        "results.export", "Export the results…", (), "Page", pages=("Results",),
        help="Write the tables to a file", leads=True,
    ),
    ActionSpec(
        "results.answers", "Go to the answers", ("V",), "Page", pages=("Results",),
        help="Go from the selected cell to its answers", plain_key=True, separator=True,
    ),
    ActionSpec(
        "results.back", "Back to the table", (",",), "Page", pages=("Results",),
        help="Go from the answers back to their cell", plain_key=True,
    ),
    ActionSpec(
        "results.next-failed", "Next failure", (".",), "Page", pages=("Results",),
        help="Show the next listed answer that did not pass", plain_key=True,
    ),
    ActionSpec(
        "results.link", "Copy the link", ("Ctrl+Shift+C",), "Page", pages=("Results",),
        help="Copy a link to this answer; paste it into the search above the answers to return",
    ),
    ActionSpec(
        "results.before", "Compare with the previous run", ("=",), "Page", pages=("Results",),
        help="Compare the selected model's run with its previous one, item by item", plain_key=True,
    ),
    ActionSpec(
        "results.failed", "Label failed responses", ("N",), "Page", pages=("Results",),
        help="Go through the failed responses without a label", plain_key=True, separator=True,
    ),
    ActionSpec(
        "results.label", "Label the failure…", ("L",), "Page", pages=("Results",),
        help="Choose a label for the response; digits select one", plain_key=True,
    ),
    ActionSpec(
        "results.doubt", "Doubtful answers", ("D",), "Page", pages=("Results",),
        help="Go through the answers with a doubtful verdict, without seeing the model's name",
        plain_key=True, separator=True,
    ),
    ActionSpec(
        "results.pass", "Settle: it passes…", ("P",), "Page", pages=("Results",),
        help="Let a doubtful answer pass, with a reason", plain_key=True,
    ),
    ActionSpec(
        "results.fail", "Settle: it fails…", ("X",), "Page", pages=("Results",),
        help="Let a doubtful answer fail, with a reason", plain_key=True,
    ),
    ActionSpec(
        "packet.export", "Export a packet…", (), "Page", pages=("Consensus",),
        help="Export a colleague's share, or your own work",
        leads=True,
    ),
    ActionSpec(
        "packet.import", "Merge a packet or project…", (), "File", pages=("Consensus",),
        help="Merge a colleague's work",
        leads=True,
    ),
    ActionSpec(
        "file.backup", "Back up now", (), "File", help="Create and check a copy beside the project",
        separator=True, on_project=True,
    ),
    ActionSpec(
        "file.backups", "Backups…", (), "File", help="List, check and restore backups",
        on_project=True,
    ),
    ActionSpec(
        "file.rename", "Rename the project…", (), "File",
        help="Change the project's name; its file name stays the same", on_project=True,
    ),
    ActionSpec(
        "file.close", "Close the project", ("Ctrl+W",), "File", help="Save pending work and close the project",
        separator=True, on_project=True,
    ),
    ActionSpec("file.quit", "Quit", ("Ctrl+Q",), "File", help="Save pending work and quit"),
    ActionSpec(
        "edit.undo", "Undo", ("Ctrl+Z",), "Edit", help="Undo the last change, even after a restart",
        plain_key=True, on_project=True,
    ),
    ActionSpec(
        "edit.redo", "Redo", ("Ctrl+Shift+Z",), "Edit", help="Redo what was undone", plain_key=True,
        on_project=True,
    ),
    ActionSpec(
        "edit.history", "History…", ("Ctrl+H",), "Edit",
        help="List all changes; return to one, or view the project at an earlier time", on_project=True,
    ),
    ActionSpec(
        "queue.search", "Search the queue", ("/",), "Edit", pages=(*_QUEUES, *_REVIEWING),
        help="Put the cursor in the search field", plain_key=True, separator=True,
    ),
    ActionSpec(
        "edit.find", "Find in the text…", ("Ctrl+F",), "Edit", help="Find in the focused text",
        on_project=True,
    ),
    ActionSpec(
        "edit.settings", "Settings…", ("Ctrl+,",), "Edit", help="Appearance, backups and keys",
        separator=True,
    ),
    ActionSpec(
        "palette.open", "Command palette…", ("Ctrl+K",), "Go", help="Find any action, subject, run or help page"
    ),
    _go("Sources", "Ctrl+1", "Where candidates come from", separator=True),
    _go("Select", "Ctrl+2", "Accept or reject candidates"),
    _go("Prompt", "Ctrl+3", "Write the prompt beside the original"),
    _go("Criterion", "Ctrl+4", "Describe a good response"),
    _go("Bugs", "Ctrl+5", "Implanted bugs and their proof"),
    _go("Judge", "Ctrl+6", "Compare two responses blind"),
    _go("Consensus", "Ctrl+7", "Settle disagreements between raters"),
    _go("Release", "Ctrl+8", "Freeze a version and export it"),
    _go("Runs", "Ctrl+9", "Run models on a release"),
    _go("Results", "Ctrl+Shift+L", "Leaderboard and all responses"),
    ActionSpec(
        "view.system", "Theme: as the system", (), "View", help="Light or dark, as the system is set",
        exclusive="look", separator=True,
    ),
    ActionSpec("view.light", "Light", (), "View", help="Always light", exclusive="look"),
    ActionSpec("view.dark", "Dark", (), "View", help="Always dark", exclusive="look"),
    ActionSpec(
        "view.larger", "Larger text", ("Ctrl++", "Ctrl+="), "View", help="Make all text one step larger", separator=True
    ),
    ActionSpec("view.smaller", "Smaller text", ("Ctrl+-",), "View", help="Make all text one step smaller"),
    ActionSpec("view.normal", "Normal text size", ("Ctrl+0",), "View", help="Reset the text size"),
    ActionSpec("view.fullscreen", "Full screen", ("F11",), "View", help="Switch full screen on or off"),
    _select("Accept", "A", "Accept the candidate or bug into the benchmark", pages=("Select", "Bugs")),
    _select("Reject", "R", "Reject the candidate or bug", pages=("Select", "Bugs")),
    _select("Skip", "S", "Decide later"),
    _select("Flag", "F", "Mark the candidate for somebody else to check"),
    _select("Reject with a reason…", "Shift+R", "Reject the selection with a reason", "reject_why"),
    _select("Skip with a reason…", "Shift+S", "Decide later, with a reason", "skip_why", in_menu=False),
    _select("Flag with a reason…", "Shift+F", "Mark for somebody else, with a reason", "flag_why", in_menu=False),
    _select("Label as easy", "E", "Set the difficulty to easy", "easy", in_menu=False),
    _select("Label as medium", "M", "Set the difficulty to medium", "medium", in_menu=False),
    _select("Label as hard", "H", "Set the difficulty to hard", "hard", in_menu=False),
    _select("Choose the question type", "Y", "Set the question type", "type"),
    _select("Compare two candidates…", "C", "Compare the two selected candidates, or this one and the next", "compare"),
    _select("Next free candidate", "O", "Go to the next open candidate that nobody else has reserved", "next_free"),
    _select("Quotas…", "Q", "Set the target number of candidates of each kind", "quotas"),
    _select(
        "Show mine or everyone's", "I", "Show only the candidates assigned to you", "mine",
        in_menu=False,
    ),
    _select("Assign…", "G", "Assign the selected candidates to a person", "give"),
    ActionSpec(
        "select.undo", "Undo the decision", ("U",), "Page", pages=("Select", "Judge"), help="Undo the last change",
        plain_key=True,
    ),
    ActionSpec(
        "queue.next", "Next subject", ("J", "Alt+Down"), "Page", pages=(*_QUEUES, *_REVIEWING),
        help="Select the next subject in the queue",
        plain_key=True, in_menu=False,
    ),
    ActionSpec(
        "queue.previous", "Previous subject", ("K", "Alt+Up"), "Page", pages=(*_QUEUES, *_REVIEWING),
        help="Select the previous subject in the queue",
        plain_key=True, in_menu=False,
    ),
    ActionSpec(
        "subject.save_next", "Save and next", ("Ctrl+Return",), "Page", pages=_WRITING,
        help="Save and go to the next open step, or the next subject", separator=True,
    ),
    ActionSpec("subject.save", "Save", ("Ctrl+S",), "Page", pages=_WRITING, help="Save and stay on this subject"),
    ActionSpec(
        "subject.drafts", "Suggestions by a model…", ("Ctrl+D",), "Page", pages=_WRITING,
        help="Ask a model for a suggestion; it changes nothing until you use it",
    ),
    ActionSpec(
        "subject.editor", "Open in your editor", ("Ctrl+Shift+E",), "Page", pages=(*_QUEUES, *_REVIEWING),
        help="Show the item's file, or a copy of its code or prompt, in your own editor", in_menu=False,
    ),
    ActionSpec(
        "subject.browser", "Open its source in the browser", ("Ctrl+Shift+B",), "Page", pages=(*_QUEUES, *_REVIEWING),
        help="Open the web page that the item comes from", in_menu=False,
    ),
    ActionSpec(
        "subject.copy_path", "Copy the path", (), "Page", pages=(*_QUEUES, *_REVIEWING),
        help="Copy the path of the file that the item comes from", in_menu=False,
    ),
    _step("accepted", "Go to the question", ("F5", "Alt+1"), "Put the focus into the question"),
    _step("paraphrased", "Go to the paraphrase", ("F6", "Alt+2"), "Put the cursor into the paraphrase"),
    _step("criterion", "Go to the criterion", ("F7", "Alt+3"), "Put the cursor into the criterion"),
    _step("proven", "Go to the proof", ("F8", "Alt+4"), "Show the proof"),
    _step("reviewed", "Go to the reviews", ("F9", "Alt+5"), "Show other people's reviews, on Consensus"),
    ActionSpec(
        "prompt.reset", "Reset to the original", (), "Page", pages=_WRITING,
        help="Replace the paraphrase by the original text", separator=True,
    ),
    ActionSpec(
        "prompt.override", "Keep the paraphrase anyway…", (), "Page", pages=_WRITING,
        help="Give a reason why it is right although checks fail",
    ),
    ActionSpec(
        "prompt.rewrite", "Rewrite to prevent leaks…", ("Ctrl+Shift+R",), "Page", pages=_WRITING,
        help="Change requirement and signature of mined code, with tests in five languages",
    ),
    ActionSpec(
        "criterion.template", "Insert a template", (), "Page", pages=_WRITING, help="Start a criterion from an example",
    ),
    ActionSpec(
        "criterion.face", "Switch form and YAML", ("Ctrl+Y",), "Page", pages=_WRITING,
        help="Switch between the form and the YAML",
    ),
    ActionSpec(
        "criterion.run_tests", "Run the tests", ("Ctrl+R",), "Page", pages=_WRITING,
        help="Run the criterion's tests on the responses, in the sandbox",
    ),
    ActionSpec(
        "criterion.prove", "Prove the criterion", ("Ctrl+P",), "Page", pages=_WRITING,
        help="Check that right answers pass and wrong ones fail, and save the proof",
    ),
    ActionSpec(
        "criterion.prove_all", "Prove all", (), "Page", pages=_WRITING,
        help="Prove all accepted subjects that are not proven yet",
    ),
    ActionSpec(
        "criterion.rule", "Make the selection a rule", ("Ctrl+E",), "Page", pages=_WRITING,
        help="Make the selection in a response a keyword rule",
    ),
    _judge("first", "Candidate 1 is better", ("1", "Alt+1"), "Judge the left candidate better", separator=True),
    _judge("second", "Candidate 2 is better", ("2", "Alt+2"), "Judge the right candidate better"),
    _judge("tie", "Tie", ("T", "Alt+T"), "Judge both good enough"),
    _judge("both_bad", "Both bad", ("B", "Alt+B"), "Judge neither good enough"),
    _judge("skip", "Skip the pair…", ("S", "Alt+S"), "Leave this pair out and say why"),
    _judge("take_up", "Take up skipped pairs", (), "Judge the pairs that you skipped after all"),
    _judge("rationale", "Write the rationale", ("W",), "Put the cursor in the rationale"),
    _judge("new", "New study…", (), "Create a study of pairs to judge blind"),
    _judge("hand_over", "Give pairs to another rater…", (), "Let somebody else judge an absent rater's open pairs"),
    _vote("yes", "Vote yes", ("Y", "Alt+Y"), "Answer the next open question of the vote with yes", separator=True),
    _vote("no", "Vote no", ("N", "Alt+N"), "Answer the next open question of the vote with no"),
    _vote("abstain", "Abstain", ("0", "Alt+0"), "Leave the next open question of the vote to the others"),
    _vote("cast", "Cast the vote", ("Ctrl+Return",), "Cast the vote and go on to the next subject"),
    ActionSpec(
        "consensus.panel", "Panel of voters…", (), "Page", pages=("Consensus",),
        help="Set the number of votes, and see the result",
    ),
    ActionSpec(
        "consensus.lock", "Lock or unlock", ("Ctrl+L",), "Page", pages=("Consensus",),
        help="Lock the subject against further work, or unlock it", separator=True,
    ),
    ActionSpec(
        "bugs.edit", "Edit the bug", ("Shift+E",), "Page", pages=("Bugs",),
        help="Change the code of the bug; this invalidates its proof and reviews", plain_key=True, separator=True,
    ),
    ActionSpec(
        "bugs.propose", "Propose bugs", (), "Page", pages=("Bugs",),
        help="Implant bugs in accepted subjects with code, and keep the proven ones",
    ),
    ActionSpec(
        "bugs.ask", "Ask a model for bugs…", (), "Page", pages=("Bugs",),
        help="Let a model propose bugs in accepted subjects, and keep the proven ones",
    ),
    ActionSpec(
        "bugs.combine", "Combine bugs", (), "Page", pages=("Bugs",),
        help="Combine two proven bugs of a subject in one program",
    ),
    ActionSpec(
        "bugs.make", "Make items from code", (), "Page", pages=("Bugs",),
        help="Make questions about calls, blanks and accepted bugs from accepted subjects",
    ),
    ActionSpec("help.manual", "Manual", ("F1",), "Help", help="Open the manual page for this part of the window"),
    ActionSpec("help.tour", "Take the tour", (), "Help", help="See the sample project in a minute"),
    ActionSpec(
        "help.keys", "Keys", ("?",), "Help", help="List all keys, page by page", plain_key=True
    ),
    ActionSpec("help.about", "About Annotator", (), "Help", help="Show version and libraries"),
)  # fmt: skip
