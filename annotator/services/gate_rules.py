"""Which conditions a project sets for its releases: every gate is required, only shown, or off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from annotator.base.errors import BadInputError
from annotator.model.rows import Changes
from annotator.store import changes, people
from annotator.store.project_file import ProjectFile

REQUIRED, SHOWN, OFF = "required", "shown", "off"
RULES = (REQUIRED, SHOWN, OFF)
SETTING = "release_gates"
MOST_REVIEWS = 20


@dataclass(frozen=True, slots=True)
class GateKind:
    """A condition of releases: ``rule`` is what holds where a project says nothing, None for what always holds."""

    id: str
    name: str
    rule: str | None


KINDS: tuple[GateKind, ...] = (
    GateKind("accepted", "Accepted subjects", None),
    GateKind("judged", "Every item can be judged", REQUIRED),
    GateKind("proofs", "Every item is proven", REQUIRED),
    GateKind("sandbox", "Every language runs in the sandbox", REQUIRED),
    GateKind("reviews", "Every item is reviewed", OFF),
    GateKind("experts", "Three experts confirmed solution and tests", OFF),
    GateKind("votes", "The panel keeps every item", OFF),
    GateKind("consensus", "No disagreement is open", REQUIRED),
    GateKind("quotas", "The quotas are met", REQUIRED),
    GateKind("licence", "No licence forbids passing on", REQUIRED),
    GateKind("licence-known", "The licence is known", SHOWN),
    GateKind("provenance", "The provenance is known", SHOWN),
    GateKind("private", "No secret and no personal data", REQUIRED),
    GateKind("duplicates", "No item is there twice", REQUIRED),
    GateKind("made", "What was made from code still fits", REQUIRED),
    GateKind("datasheet", "The datasheet is complete", SHOWN),
)
_BY_ID = {kind.id: kind for kind in KINDS}


@dataclass(frozen=True, slots=True)
class GateRules:
    """What a project demands: the rule of every gate by its id, and how many people review an item."""

    rules: Mapping[str, str]
    reviews: int

    def is_on(self, gate: str) -> bool:
        """Whether a gate is looked at."""
        return self.rules[gate] != OFF

    def is_required(self, gate: str) -> bool:
        """Whether a gate that is not met blocks a release."""
        return self.rules[gate] == REQUIRED


def rules_of(store: ProjectFile) -> GateRules:
    """Return the rules in force; what a project's setting does not say, or says wrongly, is as usual."""
    with store.read() as db:
        found = people.setting(db, SETTING)
    kept = found if isinstance(found, Mapping) else {}
    said = kept.get("rules")
    said = said if isinstance(said, Mapping) else {}
    rules = {
        kind.id: said[kind.id] if kind.rule is not None and said.get(kind.id) in RULES else kind.rule or REQUIRED
        for kind in KINDS
    }
    reviews = kept.get("reviews")
    return GateRules(rules, reviews if type(reviews) is int and 1 <= reviews <= MOST_REVIEWS else 1)


def set_rules(store: ProjectFile, rules: Mapping[str, str], reviews: int | None = None) -> Changes:
    """Change the rules of some gates, and how many people review an item; the history tells who did.

    Raises `BadInputError` for a gate or rule that does not exist, and for a number of reviews out of range.
    """
    for gate, rule in rules.items():
        kind = _BY_ID.get(gate)
        if kind is None or kind.rule is None:
            names = ", ".join(item.id for item in KINDS if item.rule is not None)
            raise BadInputError(f"There is no gate {gate} to set. There are: {names}. Nothing was changed.")
        if rule not in RULES:
            raise BadInputError(f"A gate is {', '.join(RULES)}, not {rule}. Nothing was changed.")
    if reviews is not None and not 1 <= reviews <= MOST_REVIEWS:
        raise BadInputError(f"From 1 to {MOST_REVIEWS} people can review an item. Nothing was changed.")
    now = rules_of(store)
    kept = {"rules": {**now.rules, **rules}, "reviews": now.reviews if reviews is None else reviews}
    told = [f"{gate} {rule}" for gate, rule in rules.items()]
    told += [f"{reviews} reviews an item"] if reviews is not None else []
    label = f"Release gates: {', '.join(told) or 'as they were'}"
    with store.write() as db:
        people.set_setting(db, SETTING, kept)
        changes.record_event(db, store.annotator.id, label, ["gates"])
    return Changes(frozenset({"gates"}), label=label)
