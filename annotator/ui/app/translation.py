"""What the window says, in the user's language: every text that is shown goes through here.

The source text is the English sentence with named fields. Translations stand in ``resources/words/LANGUAGE.ts`` and
are read when the window starts; English needs none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.etree import ElementTree

from PySide6.QtCore import QCoreApplication, QLocale, QTranslator

from annotator.base.errors import MissingEnvironmentError
from annotator.base.messages import Message, format_fields
from annotator.base.resources import resource

CONTEXT = "Annotator"
LANGUAGES = ("zh_CN",)
"""The languages there is a catalogue for, beside English."""

Key = tuple[str, str]
"""A source text and the note that tells two meanings of it apart."""


def tr(text: str, note: str = "", /, **values: object) -> str:
    """Return a sentence in the user's language, its fields filled.

    ``text`` is a literal, so that the catalogue can be made from the code; ``note`` tells two meanings of one
    English text apart.
    """
    return format_fields(QCoreApplication.translate(CONTEXT, text, note or None), values)


def tr_count(one: str, many: str, count: int, /, **values: object) -> str:
    """Return one of two sentences by a count, which also fills the field ``{count}``, in digits grouped by three."""
    sentence = QCoreApplication.translate(CONTEXT, one if count == 1 else many)
    return format_fields(sentence, {"count": f"{count:,}", **values})


def translate_word(text: str) -> str:
    """Return a text of a closed set (a state, an outcome, a title out of a table) in the user's language.

    A text that the catalogue does not hold comes back as it is: many sets have members that are names and values.
    """
    return QCoreApplication.translate(CONTEXT, text) if text else ""


def mark_for_translation(text: str) -> str:
    """Mark a text of a constant for the catalogue; where it is shown, it goes through `translate_word`.

    Constants are made before the language is known, so they keep the English text.
    """
    return text


def tr_message(text: str) -> str:
    """Return a message of a service in the user's language, messages in its fields too; other texts as they are."""
    if not isinstance(text, Message):
        return text
    values = {name: tr_message(value) if isinstance(value, Message) else value for name, value in text.fields.items()}
    return format_fields(QCoreApplication.translate(CONTEXT, text.template), values)


class Catalogue(QTranslator):
    """The translations of one language, and of Qt's own words on buttons and in menus."""

    def __init__(self, texts: Mapping[Key, str], qt_texts: Mapping[Key, str]) -> None:
        """Take our texts and those of Qt."""
        super().__init__()
        self._texts = dict(texts)
        self._qt_texts = dict(qt_texts)

    def isEmpty(self) -> bool:  # noqa: N802 - Qt's own name
        """Say whether nothing is translated; Qt does not ask an empty translator."""
        return not self._texts and not self._qt_texts

    def translate(self, context: str, text: str, note: str | None = None, _count: int = -1) -> str | None:
        """Return a translation, None if there is none."""
        texts = self._texts if context == CONTEXT else self._qt_texts
        return texts.get((text, note or "")) or (texts.get((text, "")) if note else None)


def read_catalogue(path: Path) -> Catalogue:
    """Read a Qt translation source. Raises `MissingEnvironmentError` if it cannot be read."""
    try:
        root = ElementTree.parse(path).getroot()  # noqa: S314 - a file of this installation
    except (OSError, ElementTree.ParseError) as error:
        raise MissingEnvironmentError(
            f"The words of {path.stem} cannot be read ({error}). Install annotator again."
        ) from error
    ours: dict[Key, str] = {}
    qt_texts: dict[Key, str] = {}
    for context in root.iter("context"):
        texts = ours if context.findtext("name") == CONTEXT else qt_texts
        for message in context.iter("message"):
            translation = message.findtext("translation") or ""
            if translation:
                texts[message.findtext("source") or "", message.findtext("comment") or ""] = translation
    return Catalogue(ours, qt_texts)


def language_for(setting: str, preferred: Iterable[str] | None = None) -> str:
    """Return the language to show for a setting, "en" or one of `LANGUAGES`.

    ``preferred`` are the system's languages, the first wanted most, such as "zh-Hans-CN"; the system is asked without.
    """
    if setting != "system":
        return setting if setting in LANGUAGES else "en"
    for name in QLocale.system().uiLanguages() if preferred is None else preferred:
        locale = QLocale(name.replace("-", "_"))
        if locale.language() == QLocale.Language.English:
            return "en"
        if locale.language() == QLocale.Language.Chinese:
            simplified = locale.script() == QLocale.Script.SimplifiedHanScript
            return "zh_CN" if simplified else "en"
    return "en"


def install(application: QCoreApplication, setting: str) -> QTranslator | None:
    """Let the window speak the language of the setting from now on; returns what has to be kept, None for English.

    Raises `MissingEnvironmentError` if the installation lacks the catalogue; the window speaks English then.
    """
    language = language_for(setting)
    if language == "en":
        return None
    catalogue = read_catalogue(resource("words", f"{language}.ts"))
    catalogue.setParent(application)
    application.installTranslator(catalogue)
    return catalogue
