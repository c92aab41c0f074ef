"""The heavier consumers, each in a virtual environment of its own: EvalPlus, Inspect, the LM Evaluation Harness.

All of them get the same answers with known verdicts (asked of a server on this machine where they ask themselves) and
must count the same pass@k as we do. ``ANNOTATOR_CONSUMERS`` names a folder to keep the environments in.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from annotator.criteria import load_criterion, score_by_criterion
from annotator.formats.format_registry import export_format
from annotator.formats.interchange.inspect_log import LoggedResponse, LoggedRun, LoggedScore, export_inspect_logs
from annotator.formats.write.harness_tasks import sample_metadata
from annotator.formats.write.samples import samples_text
from annotator.metrics.scores.score_board import pass_at_k
from tests.formats.consumers import consumer
from tests.formats.odd_answers import ALL, is_right, kind_of, samples_of, toy_items, written
from tests.formats.releases import head_of, human_eval, infibench_suite, item_of, shared

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
TASKS, SAMPLES, SECONDS = 20, 5, 4.0


@dataclass
class _Answers:
    """What the server answers: of every prompt its samples in turn."""

    samples: dict[str, list[str]]
    asked: dict[tuple[str, str], int] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next(self, path: str, prompt: str) -> str:
        with self.lock:
            count = self.asked.get((path, prompt), 0)
            self.asked[path, prompt] = count + 1
        return self.samples[prompt][count % SAMPLES]


def _handler(answers: _Answers) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            chat = "messages" in body
            asked = body["messages"][-1]["content"] if chat else body["prompt"]
            prompts = [asked] if isinstance(asked, str) else asked
            choices: list[dict[str, Any]] = []
            for number, prompt in enumerate(prompts):
                text = answers.next(self.path, prompt)
                told = {"message": {"role": "assistant", "content": text}} if chat else {"text": text, "logprobs": None}
                choices.append({"index": number, "finish_reason": "stop", **told})
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            kind = "chat.completion" if chat else "text_completion"
            reply = {
                "id": "x",
                "object": kind,
                "created": 1,
                "model": body["model"],
                "choices": choices,
                "usage": usage,
            }
            data = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            return

    return Handler


@pytest.fixture(scope="module")
def items() -> list[dict[str, Any]]:
    """Return tasks of HumanEval, and items of our own with tests of three styles."""
    found = [item_of(candidate) for candidate in human_eval()[:TASKS]]
    return [*found, *toy_items(SECONDS)[:3]]


@pytest.fixture(scope="module")
def expected(items: list[dict[str, Any]]) -> dict[str, list[bool]]:
    """Return of each task which of its samples are right: what the program says of them (test_own_scorer.py)."""
    kinds = [[kind_of(task, n) for n in range(SAMPLES)] for task in range(len(items))]
    assert set(ALL) <= {kind for row in kinds for kind in row}
    return {
        item["key"].partition(":")[2]: [is_right(kind) for kind in row] for item, row in zip(items, kinds, strict=True)
    }


def _rate(expected: dict[str, list[bool]], k: int) -> float:
    values = [pass_at_k(SAMPLES, sum(right), k) or 0.0 for right in expected.values()]
    return sum(values) / len(values)


@pytest.fixture(scope="module")
def server(items: list[dict[str, Any]]) -> Iterator[str]:
    told = {
        item["prompt"]: [written(item, kind_of(task, n)) for n in range(SAMPLES)] for task, item in enumerate(items)
    }
    running = ThreadingHTTPServer(("127.0.0.1", 0), _handler(_Answers(told)))
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}/v1"
    running.shutdown()
    running.server_close()
    thread.join()


def _run(command: Sequence[str], folder: Path, home: Path, **more: str) -> str:
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    environment = {**kept, "HOME": str(home), "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", **more}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout + done.stderr


def _release(name: str, items: list[dict[str, Any]], folder: Path) -> Path:
    assert not export_format(name).write(head_of(items), items, folder).left_out
    return folder


def test_evalplus_counts_the_same(
    items: list[dict[str, Any]],
    expected: dict[str, list[bool]],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    programs = consumer("evalplus", tmp_path_factory)
    folder = tmp_path / "out"
    # Items with tests that EvalPlus cannot compare in the same way are left out by name.
    left_out = {row.key for row in export_format("evalplus").write(head_of(items), items, folder).left_out}
    expected = {
        task: rights for task, rights in expected.items() if not left_out & {f"humaneval:{task}", f"toy:{task}"}
    }
    assert len(expected) == len(items) - len(left_out) >= 18
    samples = [sample for sample in samples_of(items, SAMPLES) if sample.key not in left_out]
    (tmp_path / "samples.jsonl").write_text(samples_text(samples, items), encoding="utf-8")
    command = [
        str(programs / "python"),
        "-m",
        "evalplus.evaluate",
        "--dataset",
        "humaneval",
        "--samples",
        "samples.jsonl",
    ]
    _run(command, tmp_path, tmp_path, HUMANEVAL_OVERRIDE_PATH=str(folder / "evalplus.jsonl"))
    told = json.loads((tmp_path / "samples_eval_results.json").read_text("utf-8"))["eval"]
    found = {task: [row["base_status"] == row["plus_status"] == "pass" for row in rows] for task, rows in told.items()}
    assert found == expected


def test_the_harness_counts_the_same(
    items: list[dict[str, Any]],
    expected: dict[str, list[bool]],
    server: str,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    programs = consumer("lm-eval", tmp_path_factory)
    folder = _release("lm-eval", items, tmp_path / "out")
    model = f"base_url={server}/completions,model=m,tokenizer_backend=None,num_concurrent=2"
    command = [str(programs / "lm-eval"), "run", "--include_path", ".", "--tasks", "demo_bench", "--confirm_run_unsafe_code",
               "--model", "local-completions", "--model_args", model, "--output_path", str(tmp_path / "results"),
               "--log_samples"]  # fmt: skip
    _run(command, folder, tmp_path)
    found = next((tmp_path / "results").rglob("results_*.json"))
    told = json.loads(found.read_text("utf-8"))["results"]["demo_bench"]
    for k in (1, 3, 5):
        assert told[f"pass@{k},programs"] == pytest.approx(_rate(expected, k))
    logged = next((tmp_path / "results").rglob("samples_*.jsonl")).read_text("utf-8").splitlines()
    rates = {row["doc"]["task_id"]: row["pass@1"] for row in map(json.loads, logged)}
    assert rates == {task: pytest.approx(sum(right) / SAMPLES) for task, right in expected.items()}


def test_inspect_counts_the_same(
    items: list[dict[str, Any]],
    expected: dict[str, list[bool]],
    server: str,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    programs = consumer("inspect", tmp_path_factory)
    folder = _release("inspect", items, tmp_path / "out")
    command = [str(programs / "inspect"), "eval", "task.py", "--model", "openai-api/local/m", "-T", "sandbox=local",
               "--epochs", "5", "--epochs-reducer", "pass_at_1,pass_at_3,pass_at_5", "--display", "none",
               "--log-format", "json", "--log-dir", str(tmp_path / "logs")]  # fmt: skip
    _run(command, folder, tmp_path, LOCAL_BASE_URL=server, LOCAL_API_KEY="none")
    log = json.loads(next((tmp_path / "logs").glob("*.json")).read_text("utf-8"))
    assert log["status"] == "success"
    told = {item["reducer"]: item["metrics"]["accuracy"]["value"] for item in log["results"]["scores"]}
    assert told == {f"pass_at_{k}": pytest.approx(_rate(expected, k)) for k in (1, 3, 5)}
    passed = dict.fromkeys(expected, 0.0)
    for sample in log["samples"]:
        passed[sample["id"]] += sample["scores"]["by_criterion"]["value"]
    assert passed == {task: sum(right) for task, right in expected.items()}


CHECK = """
import json, sys
from inspect_ai.log import read_eval_log
log = read_eval_log(sys.argv[1])
scores = [[s.name, s.reducer, s.metrics["accuracy"].value] for s in log.results.scores]
print("TOLD" + json.dumps([log.status, len(log.samples), scores]))
"""


def test_inspect_reads_our_log_and_scores_it_the_same(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    programs = consumer("inspect", tmp_path_factory)
    items = [item_of(candidate) for candidate in infibench_suite(tmp_path / "suite")]
    documents = {item["key"]: load_criterion(item["criterion"], files=item.get("files", {})) for item in items}
    items = [item for item in items if not documents[item["key"]].needs_sandbox]
    by_case = {item["key"].partition(":")[2]: item for item in items}
    _release("inspect", items, tmp_path / "task")
    responses = []
    with gzip.open(shared("infibench-dev", "responses_gpt-4.jsonl.gz"), "rt", encoding="utf-8") as stream:
        for row in map(json.loads, stream):
            item = by_case.get(row["case"])
            if item is not None:
                document = documents[item["key"]]
                value = score_by_criterion(document, row["response"]).score
                assert value is not None
                earned = LoggedScore("pass" if value >= document.full_score else "partial", value / document.full_score)
                responses.append(
                    LoggedResponse(key=item["key"], sample=row["idx"], prompt=item["prompt"], reference="", text=row["response"], score=earned,
                                   metadata=sample_metadata(item))
                )  # fmt: skip
    responses.sort(key=lambda one: (one.key, one.sample))
    run = LoggedRun(id="run-1", model="openai/gpt-4", task="Demo", version="0.1", created_at="2026-03-01T10:00:00Z", finished_at="2026-03-01T11:00:00Z", samples=10,
                    responses=tuple(responses))  # fmt: skip
    export_inspect_logs(head_of(items), [run], tmp_path / "logs")
    for suffix in ("eval", "json"):
        log = tmp_path / "logs" / f"openai-gpt-4-run-1.{suffix}"
        scorer = f"{tmp_path / 'task' / 'task.py'}@by_criterion"
        command = [str(programs / "inspect"), "score", str(log), "--scorer", scorer, "--model", "mockllm/model",
                   "--action", "append", "--overwrite", "--display", "none"]  # fmt: skip
        _run(command, tmp_path, tmp_path, PYTHONPATH=str(ROOT))
        said = _run([str(programs / "python"), "-c", CHECK, str(log)], tmp_path, tmp_path)
        found = re.search(r"^TOLD(.*)$", said, re.MULTILINE)
        assert found
        status, count, scores = json.loads(found[1])
        assert status == "success" and count == len(responses)
        told: dict[str, dict[str, float]] = {}
        for name, reducer, value in scores:
            told.setdefault(name, {})[reducer] = value
        assert set(told) == {"annotator", "by_criterion"} and len(told["annotator"]) == 5
        assert told["by_criterion"] == pytest.approx(told["annotator"], abs=1e-12)
