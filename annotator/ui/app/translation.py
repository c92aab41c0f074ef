"""Translation of all texts shown in the window.

The source text is the English sentence with named fields. Translations are in ``resources/words/LANGUAGE.ts`` and are
read when the window starts; English needs none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.etree import ElementTree

from PySide6.QtCore import QCoreApplication, QLocale, QTranslator

from annotator.base.errors import MissingEnvironmentError
from annotator.base.messages import Message, format_fields
from annotator.base.resources import resource_path
from annotator.model.vocabulary import NOT_SCORED, Outcome

CONTEXT = "Annotator"
LANGUAGES = ("zh_CN",)
"""The languages with a catalogue, besides English."""

Key = tuple[str, str]
"""A source text, and a note that distinguishes two meanings of it."""


def tr(text: str, note: str = "", /, **values: object) -> str:
    """Translate a sentence and fill its fields.

    ``text`` must be a literal, so that the catalogue can be extracted from the code; ``note`` distinguishes two
    meanings of one English text.
    """
    return format_fields(QCoreApplication.translate(CONTEXT, text, note or None), values)


def tr_count(singular: str, plural: str, count: int, /, **values: object) -> str:
    """Translate the singular or plural sentence for a count, which also fills ``{count}`` with grouped digits."""
    sentence = QCoreApplication.translate(CONTEXT, singular if count == 1 else plural)
    return format_fields(sentence, {"count": f"{count:,}", **values})


def translate_word(text: str) -> str:
    """Translate a text of a closed set, such as a state, an outcome or a title.

    A text that is not in the catalogue is returned unchanged, because many of these sets also contain names.
    """
    word = NOT_SCORED if text == Outcome.MACHINERY else text
    return QCoreApplication.translate(CONTEXT, word) if word else ""


def mark_for_translation(text: str) -> str:
    """Mark the text of a constant for the catalogue; it is translated by `translate_word` when shown.

    Constants are created before the language is known, so they keep the English text.
    """
    return text


def mark_words(*texts: str) -> tuple[str, ...]:
    """Mark words for the catalogue, such as the headers of a table; each is translated when shown."""
    return texts


def tr_message(text: str) -> str:
    """Translate a service's message, including messages in its fields; other texts are returned unchanged."""
    if not isinstance(text, Message):
        return text
    values = {name: tr_message(value) if isinstance(value, Message) else value for name, value in text.fields.items()}
    return format_fields(QCoreApplication.translate(CONTEXT, text.template), values)


class Catalogue(QTranslator):
    """The translations of one language, including those of Qt's own buttons and menus."""

    def __init__(self, texts: Mapping[Key, str], qt_texts: Mapping[Key, str]) -> None:
        super().__init__()
        self._texts = dict(texts)
        self._qt_texts = dict(qt_texts)

    def isEmpty(self) -> bool:  # noqa: N802 - Qt's own name
        """Return whether there are no translations; Qt skips an empty translator."""
        return not self._texts and not self._qt_texts

    def translate(self, context: str, text: str, note: str | None = None, _count: int = -1) -> str | None:
        """Return a translation, or None."""
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
    """Return the language for a setting: "en" or one of `LANGUAGES`.

    ``preferred`` are the user's languages in order of preference, such as "zh-Hans-CN"; by default, the system's.
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


def install_translation(application: QCoreApplication, setting: str) -> QTranslator | None:
    """Install the translations for a language setting; return the translator, or None for English.

    Raises `MissingEnvironmentError` if the installation lacks the catalogue; the window is in English then.
    """
    language = language_for(setting)
    if language == "en":
        return None
    catalogue = read_catalogue(resource_path("words", f"{language}.ts"))
    catalogue.setParent(application)
    application.installTranslator(catalogue)
    return catalogue
