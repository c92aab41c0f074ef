"""What the Bugs page asks of the services, and how it puts a proof into words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotator.model.bug_rows import BugReviewRow, BugRow, BugView, ProposedRow
from annotator.model.rows import Changes
from annotator.ui.words import tr

if TYPE_CHECKING:
    from annotator.jobs.progress import Progress


def facts_of(view: BugView) -> str:
    """Return the proof of a bug and what was said of it, a line each."""
    lines = [
        tr(
            "By {operator} ({origin}). {explanation}",
            operator=view.row.operator,
            origin=view.row.origin,
            explanation=view.explanation,
        ).strip()
    ]
    if view.problem:
        lines.append(tr("Not proven: {problem}", problem=view.problem))
    fired: dict[str, list[str]] = {}
    for hit in view.proof.get("rules", ()):
        fired.setdefault(f"{hit['rule']}: {hit['message']}", []).append(str(hit["line"]))
    lines += [tr("{rule} (line {list})", rule=rule, list=", ".join(where)) for rule, where in fired.items()]
    timing = view.proof.get("timing")
    if timing:
        lines.append(tr("{ratio} times slower at size {sizes}", ratio=timing["ratio"], sizes=timing["sizes"][-1]))
    if view.proof.get("message") and not view.proof.get("rules"):
        lines.append(tr("First failure: {message}", message=view.proof["message"][:200].rstrip(": ")))
    lines += [_said(item) for item in view.reviews]
    return "\n".join(lines)


def _said(review: BugReviewRow) -> str:
    text = f"{review.annotator}: {review.verdict} {review.reason}".rstrip()
    also = ", ".join(map(in_words, review.labels))
    return tr("{text}; also accepted: {also}", text=text, also=also) if also else text


def in_words(name: str) -> str:
    """Return a label of review items in words."""
    return name.replace("_", " ")


def own_label(view: BugView) -> str:
    """Return the label that a bug has in review items; none for several bugs, which may have any."""
    from annotator.construction.taxonomy import KEYS

    return {str(family): key for family, key in KEYS.items()}.get(view.row.family, "")


def summary_of(result: tuple[tuple[ProposedRow, ...], Changes]) -> str:
    """Return what a finished proposal job says."""
    return tr(
        "{count} bugs proposed in {count2} subjects", count=sum(row.kept for row in result[0]), count2=len(result[0])
    )


# The store's type would load SQLModel before the first paint, so these take it as an object.


def list_bugs(store: object) -> tuple[BugRow, ...]:
    """Return the bugs that stand."""
    from annotator.services import bugs

    return bugs.listing(store)  # type: ignore[arg-type]  # see above


def read_bug(store: object, bug_id: str) -> BugView:
    """Return one bug in full."""
    from annotator.services import bugs

    return bugs.bug(store, bug_id)  # type: ignore[arg-type]  # see above


def propose_bugs(store: object, progress: Progress) -> tuple[tuple[ProposedRow, ...], Changes]:
    """Propose bugs in all accepted subjects."""
    from annotator.services import bugs

    return bugs.propose(store, progress=progress)  # type: ignore[arg-type]  # see above


def review_bug(
    store: object, bug_id: str, verdict: str, reason: str, aspects: dict[str, bool], labels: tuple[str, ...]
) -> Changes:
    """Record the annotator's verdict on a bug."""
    from annotator.services import bugs

    return bugs.review(store, bug_id, verdict, reason, aspects, labels)  # type: ignore[arg-type]  # see above


def edit_bug(store: object, bug_id: str, code: str) -> tuple[str, Changes]:
    """Put a person's version in a bug's place."""
    from annotator.services import bugs

    return bugs.edit(store, bug_id, code)  # type: ignore[arg-type]  # see above


def prove_bug(store: object, bug_id: str, progress: Progress) -> Changes:
    """Prove one bug again."""
    from annotator.services import bugs

    return bugs.prove(store, (bug_id,), progress)[1]  # type: ignore[arg-type]  # see above
