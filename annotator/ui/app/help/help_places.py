"""Maps parts of the window to sections of the manual."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

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
