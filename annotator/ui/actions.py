"""The one table of actions: menus, shortcuts, the palette and the sheet of keys are all made from it."""

from __future__ import annotations

# long-module: most of it is the one table, which is read from top to bottom.
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

MENUS = ("File", "Edit", "View", "Subject", "Help")

TEXT_FIELD_KEYS = frozenset({"Ctrl+Z", "Ctrl+Shift+Z", "Shift+R", "Shift+S", "Shift+F", "Ctrl+A"})
"""Keys that a text field with the focus keeps for itself, beside plain letters."""


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action. ``group`` is its menu; ``pages`` are where it acts (empty: everywhere).

    ``shortcuts`` are portable key names; with ``plain_key`` those that are a single character act only while no
    text field has the focus. An action that ``leads`` may be started from any page and goes to its own first.
    ``choice`` actions show a tick; those of one ``exclusive`` name exclude each other. ``separator`` draws a line
    above the menu entry; ``needs_project`` greys the action out while no project is open.
    """

    id: str
    text: str
    shortcuts: tuple[str, ...]
    group: str
    pages: tuple[str, ...] = ()
    help: str = ""
    icon: str = ""
    plain_key: bool = False
    leads: bool = False
    exclusive: str = ""
    separator: bool = False
    needs_project: bool = False


_QUEUES = ("Select", "Prompt", "Criterion")
_WRITING = ("Prompt", "Criterion")


def _go(name: str, key: str, help_text: str, *, separator: bool = False) -> ActionSpec:
    return ActionSpec(
        f"go.{name.lower()}", name, (key,), "View", help=help_text, separator=separator, needs_project=True
    )


def _select(text: str, key: str, help_text: str, name: str = "", pages: tuple[str, ...] = ("Select",)) -> ActionSpec:
    return ActionSpec(
        f"select.{name or text.lower()}", text, (key,), "Subject", pages, help_text,
        plain_key=True, needs_project=True,
    )  # fmt: skip


def _judge(name: str, text: str, keys: tuple[str, ...], help_text: str, *, separator: bool = False) -> ActionSpec:
    return ActionSpec(
        f"judge.{name}", text, keys, "Subject", ("Judge",), help_text, plain_key=True, separator=separator,
        needs_project=True,
    )  # fmt: skip


ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("file.new", "New project…", ("Ctrl+N",), "File", help="Make a new project file", icon="ph.file-plus"),
    ActionSpec("file.open", "Open…", ("Ctrl+O",), "File", help="Open a project file", icon="ph.folder-open"),
    ActionSpec("file.sample", "Open the sample", (), "File", help="A small finished project to look around in"),
    ActionSpec(
        "sources.import", "Import…", ("Ctrl+I",), "File", ("Sources",), "Read candidates from a file or folder",
        "ph.download-simple", leads=True, separator=True, needs_project=True,
    ),
    ActionSpec(
        "release.create", "Create a release…", (), "File", ("Release",), "Freeze what is accepted as a version",
        "ph.package", leads=True, needs_project=True,
    ),
    ActionSpec(
        "release.export", "Export a release…", (), "File", ("Release",), "Write a version in a format others load",
        "ph.export", leads=True, needs_project=True,
    ),
    ActionSpec(
        "release.datasheet", "Datasheet…", (), "File", ("Release",), "Answer what goes with every export",
        "ph.file-text", leads=True, needs_project=True,
    ),
    ActionSpec(
        "runs.replay", "Score recorded responses…", (), "File", ("Runs",), "Read a file of responses and score them",
        "ph.play", leads=True, needs_project=True,
    ),
    ActionSpec(
        "runs.start", "Start a run", ("Ctrl+G",), "File", ("Runs",), "Ask a model as the form on the page says",
        "ph.play-circle", needs_project=True,
    ),
    ActionSpec(
        "runs.pause", "Pause or go on with the run", ("Ctrl+Shift+P",), "File", ("Runs",), "Ask nothing more for now",
        "ph.pause", needs_project=True,
    ),
    ActionSpec(
        "runs.setup", "Set up runs…", (), "File", ("Runs",), "Endpoints, prices, prompt templates and protocols",
        "ph.sliders", needs_project=True,
    ),
    ActionSpec(
        "results.export", "Export the results…", (), "File", ("Results",), "Write the tables to a file",
        "ph.table", leads=True, needs_project=True,
    ),
    ActionSpec(
        "results.failed", "Label failed responses", ("N",), "Subject", ("Results",),
        "Go through the failed responses that have no label yet", plain_key=True, separator=True, needs_project=True,
    ),
    ActionSpec(
        "results.label", "Say why it failed…", ("L",), "Subject", ("Results",),
        "Choose a label for the response; a digit takes it", plain_key=True, needs_project=True,
    ),
    ActionSpec(
        "packet.export", "Export a packet…", (), "File", ("Consensus",), "Write a colleague's share, or your own work",
        "ph.paper-plane-tilt", leads=True, needs_project=True,
    ),
    ActionSpec(
        "packet.import", "Merge a packet or project…", (), "File", ("Consensus",), "Take in what a colleague did",
        "ph.git-merge", leads=True, needs_project=True,
    ),
    ActionSpec(
        "file.backup", "Back up now", (), "File", help="Write and check a copy of the project beside it",
        separator=True, needs_project=True,
    ),
    ActionSpec(
        "file.close", "Close the project", ("Ctrl+W",), "File", help="Save what is pending and close the project",
        separator=True, needs_project=True,
    ),
    ActionSpec("file.quit", "Quit", ("Ctrl+Q",), "File", help="Save what is pending and leave"),
    ActionSpec(
        "edit.undo", "Undo", ("Ctrl+Z",), "Edit", help="Take back the last act, also across items and restarts",
        icon="ph.arrow-counter-clockwise", plain_key=True, needs_project=True,
    ),
    ActionSpec(
        "edit.redo", "Redo", ("Ctrl+Shift+Z",), "Edit", help="Do again what was undone",
        icon="ph.arrow-clockwise", plain_key=True, needs_project=True,
    ),
    ActionSpec(
        "queue.search", "Search the queue", ("/",), "Edit", _QUEUES, "Put the cursor in the search field",
        plain_key=True, separator=True, needs_project=True,
    ),
    ActionSpec("palette.open", "Command palette…", ("Ctrl+K",), "View", help="Find any action, page or project"),
    _go("Sources", "Ctrl+1", "Where candidates come from", separator=True),
    _go("Select", "Ctrl+2", "Accept or reject candidates"),
    _go("Prompt", "Ctrl+3", "Write the prompt beside the original"),
    _go("Criterion", "Ctrl+4", "Say what a good response holds"),
    _go("Bugs", "Ctrl+5", "Implanted bugs and their proof"),
    _go("Judge", "Ctrl+6", "Compare two responses blind"),
    _go("Consensus", "Ctrl+7", "Settle what raters see differently"),
    _go("Release", "Ctrl+8", "Freeze a version and export it"),
    _go("Runs", "Ctrl+9", "Models that answer a release"),
    _go("Results", "Ctrl+0", "Leaderboard and every response"),
    ActionSpec(
        "view.system", "Look as the system", (), "View", help="Light or dark as the system has it",
        exclusive="look", separator=True,
    ),
    ActionSpec("view.light", "Light", (), "View", help="Always light", exclusive="look"),
    ActionSpec("view.dark", "Dark", (), "View", help="Always dark", exclusive="look"),
    ActionSpec(
        "view.larger", "Larger text", ("Ctrl++", "Ctrl+="), "View", help="All text one step larger", separator=True
    ),
    ActionSpec("view.smaller", "Smaller text", ("Ctrl+-",), "View", help="All text one step smaller"),
    # Ctrl+0 is the tenth page's key, so the usual key for this takes one more modifier.
    ActionSpec("view.normal", "Normal text size", ("Ctrl+Alt+0",), "View", help="Text in its first size again"),
    ActionSpec("view.fullscreen", "Full screen", ("F11",), "View", help="Use the whole screen, or stop doing so"),
    _select("Accept", "A", "Take the candidate, or the bug, into the benchmark", pages=("Select", "Bugs")),
    _select("Reject", "R", "Leave the candidate, or the bug, out", pages=("Select", "Bugs")),
    _select("Skip", "S", "Decide later"),
    _select("Flag", "F", "Mark the candidate for somebody else to look at"),
    _select("Reject with a reason…", "Shift+R", "Leave out what is selected, and say why", "reject_why"),
    _select("Skip with a reason…", "Shift+S", "Decide later, and say why", "skip_why"),
    _select("Flag with a reason…", "Shift+F", "Mark for somebody else, and say why", "flag_why"),
    _select("Label as easy", "E", "Say that it is easy", "easy"),
    _select("Label as medium", "M", "Say that it is of medium difficulty", "medium"),
    _select("Label as hard", "H", "Say that it is hard", "hard"),
    _select("Choose the question type", "Y", "Say what kind of question it is", "type"),
    _select("Compare two candidates…", "C", "Show the two selected, or this one and the next", "compare"),
    _select("Quotas…", "Q", "Say how many of which kind are wanted", "quotas"),
    ActionSpec(
        "select.undo", "Undo the decision", ("U",), "Subject", ("Select", "Judge"), "Take back the last act",
        plain_key=True, needs_project=True,
    ),
    ActionSpec(
        "queue.next", "Next subject", ("J", "Alt+Down"), "Subject", (*_QUEUES, "Bugs"), "Go down the queue",
        plain_key=True, separator=True, needs_project=True,
    ),
    ActionSpec(
        "queue.previous", "Previous subject", ("K", "Alt+Up"), "Subject", (*_QUEUES, "Bugs"), "Go up the queue",
        plain_key=True, needs_project=True,
    ),
    ActionSpec(
        "subject.save_next", "Save and next", ("Ctrl+Return",), "Subject", _WRITING,
        "Save what is written and show the next subject", separator=True, needs_project=True,
    ),
    ActionSpec(
        "subject.save", "Save", ("Ctrl+S",), "Subject", _WRITING, "Save what is written and stay", needs_project=True
    ),
    ActionSpec(
        "prompt.reset", "Start again from the original", (), "Subject", ("Prompt",),
        "Put the original text into the paraphrase", separator=True, needs_project=True,
    ),
    ActionSpec(
        "prompt.rewrite", "Rewrite against leaks…", ("Ctrl+Shift+R",), "Subject", ("Prompt",),
        "Change requirement and signature of mined code, with tests in five languages", needs_project=True,
    ),
    ActionSpec(
        "criterion.template", "Insert a template", (), "Subject", ("Criterion",),
        "Begin a criterion from an example", needs_project=True,
    ),
    ActionSpec(
        "criterion.face", "Form or YAML", ("Ctrl+Y",), "Subject", ("Criterion",),
        "Change between the form and the YAML", needs_project=True,
    ),
    ActionSpec(
        "criterion.run_tests", "Run the tests", ("Ctrl+R",), "Subject", ("Criterion",),
        "Run the criterion's tests on the responses in the sandbox", needs_project=True,
    ),
    ActionSpec(
        "criterion.prove", "Prove the criterion", ("Ctrl+P",), "Subject", ("Criterion",),
        "Try what must pass and what must fail, and keep the proof", needs_project=True,
    ),
    ActionSpec(
        "criterion.rule", "Selection as a rule", ("Ctrl+E",), "Subject", ("Criterion",),
        "Make what is selected in a response a keyword rule", needs_project=True,
    ),
    _judge("first", "Candidate 1 is better", ("1", "Alt+1"), "Say that the left candidate is better", separator=True),
    _judge("second", "Candidate 2 is better", ("2", "Alt+2"), "Say that the right candidate is better"),
    _judge("tie", "Tie", ("T", "Alt+T"), "Say that both are good enough"),
    _judge("both_bad", "Both bad", ("B", "Alt+B"), "Say that neither is good enough"),
    _judge("rationale", "Write the rationale", ("W",), "Put the cursor in the rationale"),
    _judge("new", "New study…", (), "Make a study of pairs to be judged blind"),
    ActionSpec(
        "consensus.lock", "Lock or unlock", ("Ctrl+L",), "Subject", ("Consensus",),
        "Close the subject to further work, or open it again", separator=True, needs_project=True,
    ),
    ActionSpec(
        "bugs.edit", "Edit the bug", ("Shift+E",), "Subject", ("Bugs",),
        "Change the code of the bug; its proof and reviews no longer hold then", plain_key=True, separator=True,
        needs_project=True,
    ),
    ActionSpec(
        "bugs.propose", "Propose bugs", (), "Subject", ("Bugs",),
        "Put bugs into the accepted Python subjects and keep those that are proven", needs_project=True,
    ),
    ActionSpec(
        "help.keys", "Keys", ("?", "F1"), "Help", help="Every key, page by page", icon="ph.keyboard", plain_key=True
    ),
    ActionSpec("help.about", "About Annotator", (), "Help", help="Version and what it is built on"),
)  # fmt: skip


def is_guarded(spec: ActionSpec, shortcut: str) -> bool:
    """Say whether a shortcut acts only while no text field has the focus."""
    return spec.plain_key and (len(shortcut) == 1 or shortcut in TEXT_FIELD_KEYS)


def is_text_field(widget: QWidget | None) -> bool:
    """Say whether a widget takes typed characters, so that letters belong to it."""
    if isinstance(widget, (QLineEdit, QTextEdit, QPlainTextEdit)):
        return not widget.isReadOnly()
    if isinstance(widget, QComboBox):
        return widget.isEditable()
    return isinstance(widget, QAbstractSpinBox)


def key_text(shortcut: str) -> str:
    """Return a key as the platform writes it."""
    return QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)


class ActionRegistry(QObject):
    """Makes the table's actions and runs whatever is bound to them on the page shown."""

    led = Signal(object)
    """(action id, page name): an action was started whose page must be shown first."""

    def __init__(self, window: QWidget) -> None:
        """Make all actions and their keys on ``window``; nothing acts before it is bound."""
        super().__init__(window)
        self.specs = {spec.id: spec for spec in ACTIONS}
        self._actions: dict[str, QAction] = {}
        self._handlers: dict[tuple[str, str], Callable[[], object]] = {}
        self._guarded: list[QShortcut] = []
        self._exclusive: dict[str, QActionGroup] = {}
        self._page = ""
        self._has_project = False
        self._in_text = False
        for spec in ACTIONS:
            self._make(window, spec)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._focus_changed)
        self._update()

    def _make(self, window: QWidget, spec: ActionSpec) -> None:
        action = QAction(spec.text, self)
        action.setObjectName(spec.id)
        action.setToolTip(spec.help)
        action.setStatusTip("")
        free = [QKeySequence(key) for key in spec.shortcuts if not is_guarded(spec, key)]
        action.setShortcuts(free)
        if spec.exclusive:
            action.setCheckable(True)
            if spec.exclusive not in self._exclusive:
                self._exclusive[spec.exclusive] = QActionGroup(self)
            self._exclusive[spec.exclusive].addAction(action)
        action.triggered.connect(partial(self._triggered, spec.id))
        window.addAction(action)
        self._actions[spec.id] = action
        for key in spec.shortcuts:
            if is_guarded(spec, key):
                shortcut = QShortcut(QKeySequence(key), window)
                shortcut.setContext(Qt.ShortcutContext.WindowShortcut)
                shortcut.setObjectName(f"key-{spec.id}")
                shortcut.activated.connect(partial(self.trigger, spec.id))
                self._guarded.append(shortcut)

    def action(self, action_id: str) -> QAction:
        """Return the action with this id; raises KeyError for an id the table does not hold."""
        return self._actions[action_id]

    def spec(self, action_id: str) -> ActionSpec:
        """Return the table's entry; raises KeyError for an id it does not hold."""
        return self.specs[action_id]

    def keys(self, action_id: str) -> str:
        """Return the first key of an action as the platform writes it, or an empty text."""
        shortcuts = self.specs[action_id].shortcuts
        return key_text(shortcuts[0]) if shortcuts else ""

    def bind(self, action_id: str, handler: Callable[[], object], page: str = "") -> None:
        """Let an action call ``handler``: on one page, or (no page given) wherever the page binds nothing itself."""
        if action_id not in self.specs:
            raise KeyError(action_id)
        self._handlers[page, action_id] = handler
        self._update()

    def unbind_page(self, page: str) -> None:
        """Forget what a page bound, before it is thrown away."""
        self._handlers = {key: handler for key, handler in self._handlers.items() if key[0] != page}
        self._update()

    def set_page(self, name: str) -> None:
        """Say which page is shown (empty: none); actions without a handler there are greyed out."""
        self._page = name
        self._update()

    def set_project_open(self, is_open: bool) -> None:
        """Grey out what needs a project while there is none."""
        self._has_project = is_open
        self._update()

    def trigger(self, action_id: str) -> None:
        """Do an action as if its key had been pressed; does nothing while it is greyed out."""
        if self._actions[action_id].isEnabled():
            self._run(action_id)

    def trigger_bound(self, action_id: str) -> bool:
        """Do an action only if the page shown has bound it; returns whether it had."""
        handler = self._handlers.get((self._page, action_id))
        if handler is None:
            return False
        handler()
        return True

    def enabled_ids(self) -> tuple[str, ...]:
        """Return the ids of the actions that would act now, in the table's order."""
        return tuple(spec.id for spec in ACTIONS if self._actions[spec.id].isEnabled())

    def fill_menus(self, bar: QMenuBar) -> dict[str, QMenu]:
        """Add the menus to a menu bar and return them by name."""
        menus = {name: bar.addMenu(f"&{name}") for name in MENUS}
        for name, menu in menus.items():
            menu.setObjectName(f"menu-{name.lower()}")
        for spec in ACTIONS:
            menu = menus[spec.group]
            if spec.separator:
                menu.addSeparator()
            menu.addAction(self._actions[spec.id])
        self._show_guarded_keys()
        return menus

    def set_text(self, action_id: str, text: str) -> None:
        """Reword an action, such as "Undo accept 3 subjects"."""
        self._actions[action_id].setText(self._with_key(action_id, text))

    def _with_key(self, action_id: str, text: str) -> str:
        """Add the key a menu shows: guarded keys are no shortcuts of the action, so Qt would not show them."""
        spec = self.specs[action_id]
        if spec.shortcuts and is_guarded(spec, spec.shortcuts[0]):
            return f"{text}\t{key_text(spec.shortcuts[0])}"
        return text

    def _show_guarded_keys(self) -> None:
        for spec in ACTIONS:
            self.set_text(spec.id, spec.text)

    def _triggered(self, action_id: str, _checked: bool = False) -> None:
        self._run(action_id)

    def _run(self, action_id: str) -> None:
        handler = self._handler(action_id)
        if handler is not None:
            handler()
        elif self.specs[action_id].leads:
            self.led.emit((action_id, self.specs[action_id].pages[0]))

    def _handler(self, action_id: str) -> Callable[[], object] | None:
        return self._handlers.get((self._page, action_id)) or self._handlers.get(("", action_id))

    def _update(self) -> None:
        for spec in ACTIONS:
            possible = self._handler(spec.id) is not None or spec.leads
            self._actions[spec.id].setEnabled(possible and (self._has_project or not spec.needs_project))

    def _focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        in_text = is_text_field(new)
        if in_text != self._in_text:
            self._in_text = in_text
            for shortcut in self._guarded:
                shortcut.setEnabled(not in_text)
