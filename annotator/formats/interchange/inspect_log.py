"""Write a run as an Inspect log, and read an Inspect log as recorded responses.

Logs are written as JSON and as ``.eval`` (a zip of JSON parts), with one sample per response and one epoch per sample
number. Both kinds are read as Inspect itself writes them; its newer versions compress parts with Zstandard.
"""

from __future__ import annotations

import io
import lzma
import struct
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.ids import stable_id
from annotator.base.open_files import refuse_project
from annotator.formats.read.import_records import ImportedResponse, RowError
from annotator.formats.read.lines import parse_json
from annotator.formats.write.export_folder import ExportResult, Head, json_text, safe_name, short_key, write_export
from annotator.llm.answers import UNKNOWN_END
from annotator.metrics.scores.score_board import pass_at_k

if sys.version_info >= (3, 14):
    import zipfile

    from compression.zstd import ZstdError
else:
    # Python's own zipfile reads Zstandard only from 3.14 on.
    from backports.zstd import ZstdError, zipfile

LOG_VERSION = 2
# Logs come from outside: these limits bound what a damaged or hostile file makes the program read.
FILE_LIMIT = 512 * 1024 * 1024
MEMBER_LIMIT = 64 * 1024 * 1024
SUMMARY_LIMIT = 1000
"""Characters of an answer in the summary; lists show no more."""
MEMBERS_LIMIT = 1_000_000
# The exceptions of the standard library for archives that are broken, encrypted, or of an unsupported version or kind.
_ARCHIVE_ERRORS = (
    zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, OverflowError, OSError, struct.error,
    zlib.error, lzma.LZMAError, ZstdError,
)  # fmt: skip
SCORER = "annotator"
KS = (1, 3, 5, 10)
_METRICS = [{"name": f"inspect_ai/{name}", "options": {}} for name in ("accuracy", "stderr")]
_FILE_NAME_ESCAPES = str.maketrans("\\\x00", "__")
_STOP_REASONS = {"length": "max_tokens", "content_filter": "content_filter", "stop": "stop"}
_FINISH_REASONS = {
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "unknown": UNKNOWN_END,
}


@dataclass(frozen=True, slots=True)
class LoggedScore:
    """The score of a response: ``value`` in 0..1, None after a technical failure; ``outcome`` in our terms."""

    outcome: str
    value: float | None
    reason: str = ""
    rules: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedResponse:
    """One answer of a run; ``usage`` holds input_tokens and output_tokens if known.

    ``program`` is the program run for the answer if the item has tests; empty if there is no answer.
    """

    key: str
    sample: int
    prompt: str
    reference: str
    text: str
    finish_reason: str = "stop"
    seconds: float | None = None
    usage: Mapping[str, int] = field(default_factory=dict)
    score: LoggedScore | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    program: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRun:
    """A run with its responses in order of item and sample; times are ISO texts."""

    id: str
    model: str
    task: str
    version: str
    created_at: str
    finished_at: str
    samples: int
    preset: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    responses: tuple[LoggedResponse, ...] = ()


def export_inspect_logs(head: Head, runs: Sequence[LoggedRun], folder: Path) -> ExportResult:
    """Write runs as one ``.eval`` and one ``.json`` log each. Raises `BadInputError` if there is none."""
    if not runs:
        raise BadInputError(f"Release {head['version']} has no finished run, so there is no log to write.")
    texts: dict[str, str | bytes] = {}
    for run, name in zip(runs, run_names(runs), strict=True):
        log = make_log(run)
        texts[f"{name}.json"] = json_text(log)
        texts[f"{name}.eval"] = _archive_bytes(log)
    return write_export("inspect-log", head, folder, texts, sum(len(run.responses) for run in runs))


def run_names(runs: Sequence[LoggedRun]) -> list[str]:
    """Return a file name per run, made of its model and the start of its id, or the whole id if names would clash."""
    short_names = {run.id: f"{safe_name(run.model)}-{run.id[:8]}" for run in runs}
    are_unique = len(set(map(str.lower, short_names.values()))) == len(short_names)
    return [short_names[run.id] if are_unique else f"{safe_name(run.model)}-{run.id}" for run in runs]


def make_log(run: LoggedRun) -> dict[str, Any]:
    """Return a run as the JSON object of an Inspect log."""
    keys = list(dict.fromkeys(short_key(response.key) for response in run.responses))
    samples = [_make_sample(run, response) for response in run.responses]
    return {
        "version": LOG_VERSION,
        "status": "success",
        "eval": {
            "eval_id": run.id,
            "run_id": run.id,
            "created": run.created_at,
            "task": run.task,
            # The viewer takes logs with the same task id for retries of one run and shows only the last.
            "task_id": stable_id("inspect", run.id),
            "task_version": run.version,
            "task_attribs": {},
            "task_args": {},
            "dataset": {"name": run.task, "samples": len(keys), "sample_ids": keys, "shuffled": False},
            "model": run.model,
            "model_generate_config": {},
            "model_args": {},
            "config": {"epochs": run.samples, "epochs_reducer": list(_reducers(run))},
            "packages": {},
            "scorers": [{"name": SCORER, "options": {}, "metrics": _METRICS, "metadata": {}}],
            "metadata": {"preset": run.preset, "settings": dict(run.settings)},
        },
        "plan": {"name": "plan", "steps": [{"solver": "generate", "params": {}}], "config": {}},
        "results": _make_results(run),
        "stats": {
            "started_at": run.created_at,
            "completed_at": run.finished_at,
            "model_usage": {run.model: _total_usage(response.usage for response in run.responses)},
        },
        "samples": samples,
    }


def _total_usage(all_usage: Iterable[Mapping[str, int]]) -> dict[str, int]:
    totals = {"input_tokens": 0, "output_tokens": 0}
    for usage in all_usage:
        for name in totals:
            totals[name] += int(usage.get(name, 0) or 0)
    return {**totals, "total_tokens": sum(totals.values())}


def _reducers(run: LoggedRun) -> dict[str, int]:
    """Return the k of each reducer of an item's samples: 0 for the mean, and pass@k for each k up to their number."""
    return {"mean": 0, **{f"pass_at_{k}": k for k in KS if k <= run.samples}}


def _make_results(run: LoggedRun) -> dict[str, Any]:
    """Return the mean over items for every reducer, ignoring answers without a score."""
    by_item: dict[str, list[float]] = {}
    for response in run.responses:
        if response.score is not None and response.score.value is not None:
            by_item.setdefault(response.key, []).append(response.score.value)
    item_count = len({response.key for response in run.responses})
    reduced = [_reduced_score(name, k, by_item.values(), item_count) for name, k in _reducers(run).items()]
    return {
        "total_samples": len(run.responses),
        "completed_samples": sum(map(len, by_item.values())),
        "scores": [score for score in reduced if score is not None],
    }


def _reduced_score(name: str, k: int, items: Iterable[Sequence[float]], item_count: int) -> dict[str, Any] | None:
    """Return one reducer's mean with its standard error; None if no item has enough samples."""
    if k:
        shares = (pass_at_k(len(values), sum(value >= 1 for value in values), k) for values in items)
        values = [share for share in shares if share is not None]
    else:
        values = [sum(scores) / len(scores) for scores in items]
    count = len(values)
    if not count:
        return None
    mean = sum(values) / count
    error = (sum((value - mean) ** 2 for value in values) / (count - 1) / count) ** 0.5 if count > 1 else 0.0
    metrics = {"accuracy": mean, "stderr": error}
    return {
        "name": SCORER,
        "scorer": SCORER,
        "reducer": name,
        "scored_samples": count,
        "unscored_samples": item_count - count,
        "params": {},
        "metrics": {metric: {"name": metric, "value": value, "params": {}} for metric, value in metrics.items()},
    }


def _make_sample(run: LoggedRun, response: LoggedResponse) -> dict[str, Any]:
    answer = {"role": "assistant", "content": response.text, "source": "generate", "model": run.model}
    sample: dict[str, Any] = {
        "id": short_key(response.key),
        "epoch": response.sample + 1,
        "uuid": stable_id("inspect", run.id, response.key, str(response.sample)),
        "input": response.prompt,
        "target": response.reference,
        "messages": [{"role": "user", "content": response.prompt, "source": "input"}, answer],
        "output": {
            "model": run.model,
            "choices": [{"message": answer, "stop_reason": _STOP_REASONS.get(response.finish_reason, "unknown")}],
            "completion": response.text,
            "usage": _total_usage([response.usage]),
            **({"time": response.seconds} if response.seconds is not None else {}),
        },
        "metadata": {"key": response.key, **response.metadata},
        "store": {},
        "events": [],
        "model_usage": {run.model: _total_usage([response.usage])},
        "attachments": {},
    }
    if response.seconds is not None:
        sample |= {"total_time": response.seconds, "working_time": response.seconds}
    if response.score is not None:
        sample |= _score_fields(response.score, response.text)
    return sample


def _score_fields(score: LoggedScore, text: str) -> dict[str, Any]:
    if score.value is None:
        # A technical failure of ours becomes an error of the sample, which Inspect leaves out of the mean as we do.
        error = {"message": score.reason or "not scored", "traceback": "", "traceback_ansi": ""}
        return {"scores": {}, "error": error}
    metadata = {"outcome": score.outcome, "rules": [dict(rule) for rule in score.rules]}
    value = {"value": score.value, "answer": text, "explanation": score.reason or score.outcome, "metadata": metadata}
    return {"scores": {SCORER: value}}


def _archive_bytes(log: Mapping[str, Any]) -> bytes:
    """Return a log as ``.eval``: a zip whose parts have a fixed time, so that it is reproducible."""
    head = {name: value for name, value in log.items() if name != "samples"}
    parts: dict[str, Any] = {"_journal/start.json": {name: log[name] for name in ("version", "eval", "plan")}}
    for sample in log["samples"]:
        parts[f"samples/{sample['id'].translate(_FILE_NAME_ESCAPES)}_epoch_{sample['epoch']}.json"] = sample
    parts["summaries.json"] = [_make_summary(sample) for sample in log["samples"]]
    parts["header.json"] = head
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, value in parts.items():
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, json_text(value))
    return out.getvalue()


def _make_summary(sample: Mapping[str, Any]) -> dict[str, Any]:
    scores = {name: _short_score(score) for name, score in sample.get("scores", {}).items()}
    names = [
        name
        for name in ("id", "epoch", "uuid", "input", "target", "metadata", "model_usage", "total_time", "working_time")
        if name in sample
    ]
    error = {"error": sample["error"]["message"]} if "error" in sample else {}
    return {**{name: sample[name] for name in names}, "scores": scores, **error, "completed": True}


def _short_score(score: Mapping[str, Any]) -> dict[str, Any]:
    """Return a score for the summary, with texts cut to the length that lists show."""
    return {"value": score["value"], **{name: score[name][:SUMMARY_LIMIT] for name in ("answer", "explanation")}}


def read_log(path: Path) -> Iterator[ImportedResponse | RowError]:
    """Yield the responses of a log, ``.eval`` or ``.json``; a sample without an answer is a row error.

    Raises `BadInputError` if the file is not an Inspect log.
    """
    refuse_project(path)
    try:
        if path.stat().st_size > FILE_LIMIT:
            raise BadInputError(f"{path.name} is larger than {FILE_LIMIT // 1024**2} MB. Nothing was imported.")
        with path.open("rb") as stream:
            is_archive = stream.read(4) == b"PK\x03\x04"
        yield from _read_archive(path) if is_archive else _read_json(path)
    except OSError as error:
        raise BadInputError(f"{path.name} cannot be read ({error.strerror or error}). Nothing was imported.") from error


def _parse_part(path: Path, data: bytes, part: str = "") -> Any:
    place = f"{path.name}, {part}" if part else path.name
    try:
        return parse_json(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadInputError(f"{place} is not UTF-8 text. Nothing was imported.") from error
    except ValueError as error:
        raise BadInputError(f"{place}: {error}. Nothing was imported.") from error


def _model_name(path: Path, log: Any) -> str:
    header = log.get("eval") if isinstance(log, dict) else None
    model = header.get("model") if isinstance(header, dict) else None
    if not isinstance(model, str) or not model.strip() or "\x00" in model:
        raise BadInputError(f"{path.name} is not an Inspect log: it names no model. Nothing was imported.")
    return model


def _read_json(path: Path) -> Iterator[ImportedResponse | RowError]:
    log = _parse_part(path, path.read_bytes())
    model = _model_name(path, log)
    samples = log.get("samples")
    if not isinstance(samples, list):
        raise BadInputError(f"{path.name} contains no samples, only a summary. Nothing was imported.")
    for number, sample in enumerate(samples, start=1):
        yield _read_response(path.name, number, sample, model)


def _read_archive(path: Path) -> Iterator[ImportedResponse | RowError]:
    try:
        log_archive = zipfile.ZipFile(path)
    except _ARCHIVE_ERRORS as error:
        raise BadInputError(f"{path.name} is not a valid zip file ({error}). Nothing was imported.") from error
    with log_archive as archive:
        # A log whose run was interrupted has no header yet, only the start of its journal.
        infos = archive.infolist()
        if len(infos) > MEMBERS_LIMIT:
            raise BadInputError(f"{path.name} has too many parts. Nothing was imported.")
        names = {info.filename for info in infos}
        header_name = "header.json" if "header.json" in names else "_journal/start.json"
        if header_name not in names:
            raise BadInputError(f"{path.name} is a zip file, but not an Inspect log. Nothing was imported.")
        model = _model_name(path, _parse_part(path, _read_member(path, archive, header_name), header_name))
        sample_names = sorted(name for name in names if name.startswith("samples/") and name.endswith(".json"))
        for number, name in enumerate(sample_names, start=1):
            yield _read_response(path.name, number, _parse_part(path, _read_member(path, archive, name), name), model)


def _read_member(path: Path, archive: zipfile.ZipFile, name: str) -> bytes:
    """Return a part of an archive, of at most `MEMBER_LIMIT` bytes whatever size the archive states."""
    try:
        with archive.open(name) as stream:
            data = stream.read(MEMBER_LIMIT + 1)
    except (KeyError, *_ARCHIVE_ERRORS) as error:
        raise BadInputError(f"{path.name}: {name} cannot be read ({error}). Nothing was imported.") from error
    if len(data) > MEMBER_LIMIT:
        raise BadInputError(f"{path.name}: {name} is larger than {MEMBER_LIMIT // 1024**2} MB. Nothing was imported.")
    return data


def _read_response(file: str, number: int, sample: Any, model: str) -> ImportedResponse | RowError:
    if not isinstance(sample, dict):
        return RowError(file, number, "the sample is not an object")
    metadata = sample.get("metadata")
    output = sample.get("output")
    epoch = sample.get("epoch", 1)
    key = metadata.get("key") if isinstance(metadata, dict) else None
    key = key if isinstance(key, str) and key else sample.get("id")
    if isinstance(key, bool) or not isinstance(key, (str, int)) or key == "" or "\x00" in str(key):
        return RowError(file, number, "the sample has no id")
    if isinstance(epoch, bool) or not isinstance(epoch, int) or not 1 <= epoch <= 10**6:
        return RowError(file, number, "the sample's epoch must be a whole number, 1 or more")
    choices = output.get("choices") if isinstance(output, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None
    if choice is None:
        return RowError(file, number, "the sample has no answer")
    message = choice.get("message")
    text = _message_text(message.get("content") if isinstance(message, dict) else None)
    if text is None:
        return RowError(file, number, "the sample's answer is not text")
    stop_reason = str(choice.get("stop_reason") or "stop")
    sample_input = sample.get("input")
    prompt = sample_input if isinstance(sample_input, str) else ""
    return ImportedResponse(
        subject=str(key),
        model=model,
        sample=epoch - 1,
        text=text,
        finish_reason=_FINISH_REASONS.get(stop_reason, "stop"),
        prompt=prompt,
    )


def _message_text(content: Any) -> str | None:
    """Return a message's text, or the joined text parts of a list (without reasoning); None if it is neither."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return "".join(part["text"] for part in parts if isinstance(part.get("text"), str))
