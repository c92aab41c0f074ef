"""The actions of the menu Help: context-sensitive manual, list of keys, and About."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from annotator.ui.app.action_registry import ActionRegistry, key_text
from annotator.ui.app.actions import ACTIONS
from annotator.ui.app.page_stack import PageStack
from annotator.ui.app.theme.look import Theme
from annotator.ui.loading import LateModule

if TYPE_CHECKING:
    from annotator.services.program import manual
    from annotator.services.program.manual import Manual
    from annotator.ui.app.help import help_windows
else:
    manual = LateModule("annotator.services.program.manual")
    help_windows = LateModule("annotator.ui.app.help.help_windows")

PLACES = {
    "ExchangePanel": "sources#stack-exchange",
    "PoolPanel": "sources#stack-exchange",
    "TagEditor": "sources#stack-exchange",
    "CodePanel": "sources#generated-code",
    "RepositoryPanel": "repositories",
    "SelectFilters": "select#search-and-filter",
    "QuotaList": "select#quotas",
    "QuotaDialog": "select#quotas",
    "CompareDialog": "select#the-evidence",
    "KindRow": "select#label",
    "RewriteDialog": "rewrite",
    "SuggestionsDialog": "prompt#suggestions-by-a-model",
    "AskDialog": "bugs#propose",
    "CriterionForm": "criterion#write-it",
    "YamlEditor": "criterion-language",
    "ProofPanel": "criterion#prove-it",
    "TriedAnswers": "criterion#try-it",
    "PairPanel": "judge#judge-a-pair",
    "StudyTables": "judge#the-end-of-a-batch",
    "OwnVerdicts": "judge#judge-a-pair",
    "StudyDialog": "judge#make-a-study",
    "HandoverDialog": "judge#when-a-rater-is-absent",
    "SettlePanel": "consensus#settle-a-disagreement",
    "ReviewPanel": "consensus#review-and-vote",
    "ArtefactEditor": "consensus#three-experts",
    "CommentPanel": "consensus#comments-and-history",
    "PanelDialog": "consensus#review-and-vote",
    "DatasheetDialog": "release#datasheet",
    "AuthorsDialog": "release#what-is-in-it",
    "AuditDialog": "release#audit",
    "PowerDialog": "release#size-and-power",
    "PublishDialog": "release#publish",
    "GateRulesDialog": "release#what-blocks",
    "ReportDialog": "release#what-blocks",
    "ChangesDialog": "release#make-it",
    "RunForm": "runs#start-a-run",
    "RunDetail": "runs#while-it-runs",
    "SetupDialog": "runs#endpoints-prices-protocols",
    "ResponsePanel": "results#one-response",
    "ErrorBar": "troubleshooting",
    "CrashDialog": "troubleshooting#the-program",
    "RecoveryDialog": "troubleshooting#project-files",
    "BackupsDialog": "getting-started#what-is-saved-and-when",
    "HistoryDialog": "getting-started#what-is-saved-and-when",
    "DraftBar": "getting-started#what-is-saved-and-when",
    "DraftNotice": "getting-started#what-is-saved-and-when",
    "DraftComparison": "getting-started#what-is-saved-and-when",
    "TextQuestion": "getting-started#what-is-saved-and-when",
    "UnsavedTextsDialog": "getting-started#what-is-saved-and-when",
    "ConflictDialog": "team#two-people-on-one-text",
    "NewProjectDialog": "getting-started#your-first-project",
    "AboutDialog": "getting-started",
    "KeysEditor": "settings#change-a-key",
    "SettingsDialog": "settings",
    "Welcome": "getting-started",
    "Queue": "",
}
"""Widget class name → section of the manual; an empty text means the section of the page."""


def manual_place(focus: QWidget | None, page: str) -> str:
    """Return the section for the focused widget, else for the current page, else the manual's beginning."""
    widget = focus
    while widget is not None:
        place = next((PLACES[cls.__name__] for cls in type(widget).__mro__ if PLACES.get(cls.__name__)), "")
        if place:
            return place
        widget = widget.parentWidget()
    return page.lower() if page else "getting-started"


_SHORTCUT_NAME = "key-of-the-manual"


class HelpActs(QObject):
    """Opens the help windows; the manual is loaded on first use, and its window is reused."""

    def __init__(self, window: QWidget, theme: Theme, actions: ActionRegistry, pages: PageStack) -> None:
        super().__init__(window)
        self._window = window
        self._theme = theme
        self._actions = actions
        self._pages = pages
        self._manual: Manual | None = None
        self.manual_window: help_windows.HelpWindow | None = None
        actions.keys_changed.connect(self._keys_changed)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._focus_moved)

    def manual(self) -> Manual:
        """Return the manual. Raises `MissingEnvironmentError` if the installation lacks it."""
        if self._manual is None:
            self._manual = manual.load_manual()
        return self._manual

    def show_here(self) -> None:
        """Open the manual at the section for the focused widget, or for the current page."""
        self.show_place(manual_place(QApplication.focusWidget(), self._pages.current_name))

    def show_place(self, place: str) -> None:
        """Open the manual at ``topic`` or ``topic#anchor``, as a child of the modal dialog if there is one."""
        modal_dialog = QApplication.activeModalWidget()
        if modal_dialog is not None:
            help_window = modal_dialog.findChild(help_windows.HelpWindow) or self._open_manual(modal_dialog)
        else:
            if self.manual_window is None:
                self.manual_window = self._open_manual(self._window)
            help_window = self.manual_window
        help_window.show_place(place)
        help_window.show()
        help_window.raise_()
        help_window.activateWindow()

    def _open_manual(self, parent: QWidget) -> help_windows.HelpWindow:
        return help_windows.HelpWindow(self.manual(), self._theme, self.keys, parent)

    def _focus_moved(self, _old: QWidget | None, new: QWidget | None) -> None:
        """Add the manual's shortcut to a dialog that gets the focus; the window's shortcuts do not work there."""
        dialog = new.window() if new is not None else None
        if not isinstance(dialog, QDialog):
            return
        if isinstance(dialog, help_windows.HelpWindow):
            return
        key_sequences = [QKeySequence(key) for key in self._actions.shortcuts("help.manual")]
        shortcut = dialog.findChild(QShortcut, _SHORTCUT_NAME)
        if shortcut is None and key_sequences:
            shortcut = QShortcut(dialog)
            shortcut.setObjectName(_SHORTCUT_NAME)
            shortcut.activated.connect(self.show_here)
        if shortcut is not None:
            shortcut.setKeys(key_sequences)

    def keys(self) -> dict[str, str]:
        """Return the current keys in the platform's notation: the first by action id, the next as ``id/2``."""
        keys_by_id: dict[str, str] = {}
        for spec in ACTIONS:
            keys = self._actions.shortcuts(spec.id)
            keys_by_id[spec.id] = key_text(keys[0]) if keys else ""
            keys_by_id.update({f"{spec.id}/{index}": key_text(key) for index, key in enumerate(keys[1:], start=2)})
        return keys_by_id

    def show_about(self) -> None:
        """Show the About dialog."""
        help_windows.AboutDialog(self._window).open_once()

    def _keys_changed(self, _changed: object) -> None:
        if self.manual_window is not None and self.manual_window.place:
            self.manual_window.show_again()
