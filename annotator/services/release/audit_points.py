"""The checklist of the release audit: its points with fixed ids, after the phases of HOW2BENCH (arXiv 2501.10711)."""

from __future__ import annotations

from annotator.base.messages import Message
from annotator.model.rows.audit_rows import AuditPoint

PHASES = (
    Message("Design"),
    Message("Sources of the items"),
    Message("Content of the items"),
    Message("Correctness of the verdicts"),
    Message("Contamination"),
    Message("Evaluation"),
    Message("Analysis"),
    Message("Release"),
)
_DESIGN, _SOURCES, _CONTENT, _TRUTH, _CONTAMINATION, _EVALUATION, _ANALYSIS, _RELEASE = PHASES
_P = AuditPoint

POINTS: tuple[AuditPoint, ...] = (
    _P("purpose", _DESIGN, Message("What it is for, and which gap it fills beside other benchmarks"), evidence=False),
    _P("overlap", _DESIGN, Message("Overlap with the benchmarks it is compared with"), evidence=False),
    _P("scope", _DESIGN, Message("Language and task of every item are known"), threshold=1.0),
    _P("capability", _DESIGN, Message("Which ability of models it measures"), evidence=False),
    _P("use", _DESIGN, Message("What it should be used for, and what not"), evidence=False),
    _P("audience", _DESIGN, Message("Who it is for"), evidence=False),
    _P("origin", _SOURCES, Message("Source, version, date and licence of every item are known"), threshold=1.0),
    _P("selection", _SOURCES, Message("How many candidates each rule rejected")),
    _P("representative", _SOURCES, Message("The items are distributed like the candidates they were chosen from"),
       threshold=0.2, at_most=True),
    _P("recency", _SOURCES, Message("Date and popularity of every source are known"), threshold=1.0),
    _P("duplicates", _CONTENT, Message("No two items are nearly identical"), threshold=0.0, at_most=True),
    _P("prompts", _CONTENT, Message("Every prompt states the requirements: anchors, signature and name"),
       threshold=1.0),
    _P("second-reading", _CONTENT, Message("A second person has read every item"), threshold=1.0),
    _P("answer-leaks", _CONTENT, Message("No prompt gives its answer away"), threshold=0.0, at_most=True),
    _P("private", _CONTENT, Message("No personal data and no secrets"), threshold=0.0, at_most=True),
    _P("harmful", _CONTENT, Message("Nothing toxic or harmful"), evidence=False),
    _P("power", _CONTENT, Message("It is large enough to detect relevant differences"), threshold=0.1,
       at_most=True),
    _P("reference", _TRUTH, Message("Every reference was run and passes"), threshold=1.0),
    _P("coverage", _TRUTH, Message("The tests run the lines and branches of the references"), threshold=0.95),
    _P("mutants", _TRUTH, Message("The tests fail changed references"), threshold=0.9),
    _P("impostors", _TRUTH, Message("Answers that are wrong on purpose fail"), threshold=1.0),
    _P("flakes", _TRUTH, Message("Repeated runs give the same verdicts"), threshold=1.0),
    _P("limits", _TRUTH, Message("Time and memory limits fit"), threshold=1.0),
    _P("isolation", _TRUTH,
       Message("Tests run in a separate process from the answer, and few verdicts are doubtful"), threshold=0.01,
       at_most=True),
    _P("difficulty", _TRUTH, Message("No difficulty level contains nearly all items"), threshold=0.8, at_most=True),
    _P("people", _TRUTH, Message("Two people agree on the selection, and disagreements are settled"),
       threshold=0.8),
    _P("cutoffs", _CONTAMINATION, Message("Items are newer than the training data of the models that were run")),
    _P("public-copies", _CONTAMINATION, Message("Which public copies are known"), evidence=False),
    _P("rewriting", _CONTAMINATION, Message("Prompts are far enough from their public originals"), threshold=0.3),
    _P("leak-check", _CONTAMINATION, Message("Runs show no sign of leakage"), threshold=0.1, at_most=True),
    _P("refresh", _CONTAMINATION, Message("How and when items are renewed"), evidence=False),
    _P("models", _EVALUATION, Message("Several models were run, each with version and date"), threshold=3.0),
    _P("asked", _EVALUATION, Message("Requests are stored word for word, in more than one form"), threshold=2.0),
    _P("decoding", _EVALUATION, Message("Decoding is recorded, and answers are repeated")),
    _P("environment", _EVALUATION, Message("Images, library versions and machines are recorded")),
    _P("extraction", _EVALUATION, Message("Code was found in nearly all answers"), threshold=0.05, at_most=True),
    _P("machinery", _EVALUATION, Message("No verdict is missing because the sandbox or endpoint failed"), threshold=0.0,
       at_most=True),
    _P("intervals", _ANALYSIS, Message("Scores have intervals, and models are compared in pairs with a correction")),
    _P("stability", _ANALYSIS, Message("Results were confirmed with repeated answers")),
    _P("discrimination", _ANALYSIS, Message("Few items are passed by all models, or by none"), threshold=0.5,
       at_most=True),
    _P("correlation", _ANALYSIS, Message("Scores are compared with those of other benchmarks")),
    _P("errors", _ANALYSIS, Message("People have labelled why answers fail"), threshold=0.1),
    _P("sub-scores", _ANALYSIS, Message("Groups by domain, language or difficulty are large enough to compare")),
    _P("limitations", _ANALYSIS, Message("What the results do not show"), evidence=False),
    _P("licences", _RELEASE, Message("Every item has a licence that allows redistribution"), threshold=1.0),
    _P("version", _RELEASE, Message("It has a version, and changes since the previous one are described")),
    _P("digest", _RELEASE, Message("It has a digest, and is signed")),
    _P("documents", _RELEASE, Message("Data card, Croissant and attribution go with it, and the datasheet is complete"),
       threshold=0.0, at_most=True),
    _P("reproducible", _RELEASE, Message("Every item can be run and judged with the release alone"), threshold=1.0),
    _P("raw", _RELEASE, Message("Raw answers and their verdicts are kept")),
    _P("contact", _RELEASE, Message("Where to report errors, and how items are retired"), evidence=False),
)  # fmt: skip
BY_ID = {point.id: point for point in POINTS}

FROM_DATASHEET = {"purpose": "purpose", "use": "suited", "refresh": "updates", "contact": "maintainer"}
"""Audit point -> the datasheet question whose answer is shown until somebody makes a statement on the point."""
