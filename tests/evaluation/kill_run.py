"""A run with a small sink in SQLite, to be killed: arguments are URL, DATABASE, ITEMS and SAMPLES."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from typing import Any

from annotator.evaluation.executors import LocalExecutor
from annotator.evaluation.planning import AnsweredRequest, FailedRequest, pending_requests, plan_requests
from annotator.evaluation.presets import Pass, find_protocol_preset
from annotator.evaluation.request_queue import threads_for
from annotator.evaluation.scoring_queue import ScoredAnswer, ScoreKey, Scoring
from annotator.llm.answers import Answer
from annotator.llm.client import Client, RetryPolicy
from annotator.llm.requests import Decoding, Endpoint
from tests.evaluation.evaluations import run_evaluation

SCHEMA = """
CREATE TABLE IF NOT EXISTS response (item TEXT, sample INTEGER, hash TEXT, answer TEXT, PRIMARY KEY (item, sample));
CREATE TABLE IF NOT EXISTS score (item TEXT, sample INTEGER, result INTEGER, PRIMARY KEY (item, sample));
"""


class Store:
    def __init__(self, path: str) -> None:
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.execute("PRAGMA synchronous=NORMAL")
        self.db.executescript(SCHEMA)

    def write(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        self.db.execute("BEGIN IMMEDIATE")
        self.db.executemany(statement, rows)
        self.db.execute("COMMIT")

    def answers(self, batch: Sequence[AnsweredRequest]) -> None:
        rows = [(*item.planned.id, item.planned.hash, json.dumps(asdict(item.answer))) for item in batch]
        self.write("INSERT INTO response VALUES (?, ?, ?, ?)", rows)

    def failures(self, batch: Sequence[FailedRequest]) -> None:
        pass

    def scores(self, batch: Sequence[ScoredAnswer]) -> None:
        self.write("INSERT INTO score VALUES (?, ?, ?)", [(*item.finished.planned.id, item.result) for item in batch])

    def stored_scores(self, keys: Collection[ScoreKey]) -> dict[ScoreKey, Any]:
        return {}


def main(url: str, path: str, items: int, samples: int) -> None:
    store = Store(path)
    protocol = replace(find_protocol_preset("plain"), passes=(Pass(Decoding(temperature=0.2), samples),))
    endpoint = Endpoint(base_url=url, name="kill", concurrency=16)
    asked = [{"id": f"i{number}", "key": f"k:{number}", "prompt": f"question {number}"} for number in range(items)]
    everything = list(plan_requests(asked, protocol, "m", endpoint))
    stored = set(store.db.execute("SELECT item, sample, hash FROM response"))
    left = "SELECT item, sample, answer FROM response WHERE (item, sample) NOT IN (SELECT item, sample FROM score)"
    by_id = {item.id: item for item in everything}
    unscored = [
        AnsweredRequest(by_id[item, sample], Answer(**json.loads(text)))
        for item, sample, text in store.db.execute(left)
    ]
    with Client(endpoint, policy=RetryPolicy(first_s=0.02)) as client:
        end = run_evaluation(
            pending_requests(everything, stored), lambda item: client.ask_once(item.request), store,
            scoring=Scoring(LocalExecutor(len, 2), lambda finished: finished.answer.text),
            unscored=unscored, workers=threads_for(16), interrupt=client.stop, policy=client.policy,
        )  # fmt: skip
    print(end.state, end.tally.answered)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
