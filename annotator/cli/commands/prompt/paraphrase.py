"""Save a paraphrase of a subject's prompt."""

from pathlib import Path
from typing import Annotated

from annotator.cli.command import Note, Option, Subject, command
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, answer_changes, read_text
from annotator.services.prompt import paraphrases


@command("prompt", "annotator prompt p.annotator --subject HumanEval/0 --text-file prompt.txt")
def save_paraphrase(
    store: Project,
    *,
    subject: Subject,
    text_file: Annotated[Path, Option("F", "text, UTF-8; - for stdin")],
    note: Note = "",
) -> CommandAnswer:
    """Save a paraphrase of a subject's prompt."""
    text = read_text(text_file)
    return answer_changes(paraphrases.save_prompt(store, subject, text, note))
