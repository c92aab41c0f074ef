"""What decides in the proof of an item whose answers are graded as they are in runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from annotator.criteria.proving import Verdict
from annotator.evaluation.scoring import ScoredResponse
from annotator.evaluation.tasks import ScoreJob

if TYPE_CHECKING:
    from annotator.sandbox import Runner


@dataclass(frozen=True)
class ScoredJudge(ABC):
    """Grades answers to one item, so many ``at_once``; what kind of item it is says `scorer`."""

    at_once: ClassVar[int] = 8

    item: Mapping[str, Any]
    sandbox: Runner | None = None

    @property
    def full_score(self) -> float:
        """An answer is right or not."""
        return 1.0

    @property
    def only_words(self) -> bool:
        """Values are compared, or code is run."""
        return False

    @abstractmethod
    def scorer(self) -> Callable[[ScoreJob], ScoredResponse]:
        """Return what scores one answer."""

    def verdicts(self, answers: Sequence[str], *, wanted: bool) -> list[Verdict]:
        """Grade answers, several at once."""
        with ThreadPoolExecutor(self.at_once) as threads:
            results = list(threads.map(self.scorer(), [ScoreJob(self.item, answer) for answer in answers]))
        return [Verdict(found.score, self.why(found, wanted=wanted)) for found in results]

    def why(self, found: ScoredResponse, *, wanted: bool) -> str:
        """Return what a grade has to say where it is not as ``wanted``."""
        said = str(found.detail.get("reason") or found.detail.get("message") or "")
        return said[:500] if wanted or found.score is None else ""
