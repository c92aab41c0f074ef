"""The batch interface of a scripted server, as it is published: files, batches, their states, answers and errors."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Line = Callable[[Mapping[str, Any], int], tuple[int, Any] | str]
"""What becomes of a line at its n-th time: a status and a body, or the code of an error without a response."""


def answer_line(row: Mapping[str, Any], attempt: int) -> tuple[int, Any]:
    """Every line is answered as the scripted server answers."""
    body, key = row["body"], row["custom_id"]
    text = f"answer to {body['messages'][-1]['content'][:40]} [{key[:8]}]"
    return 200, {
        "model": "served-" + body["model"],
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17},
    }


@dataclass
class BatchDesk:
    """``looks`` is how often a batch is looked at before it ends; ``ends`` are the states of the batches in turn.

    ``silent_s`` is how long it says nothing to who looks at a batch.
    """

    line: Line = answer_line
    looks: int = 1
    ends: tuple[str, ...] = ()
    problems: tuple[Any, ...] = ()
    refusal: tuple[int, bytes] | None = None
    lost_replies: int = 0
    silent_s: float = 0.0
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    looked: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    lines: set[str] = field(default_factory=set)

    def answer(self, first: str, content: bytes) -> tuple[int, bytes] | None:
        """Return status and body, None for what is no part of this interface."""
        method, target, _ = first.split()
        path, _, query = target.partition("?")
        parts = path.removeprefix("/v1/").split("/")
        if parts[0] not in ("files", "batches"):
            return None
        self.lines.add(f"{method} {parts[0]}")
        if self.refusal is not None:
            return self.refusal
        if method == "POST" and parts == ["files"]:
            return self._upload(content)
        if method == "POST" and parts == ["batches"]:
            return self._create(json.loads(content))
        if parts[0] == "files":
            found = self.files.get(parts[1])
            return (200, found) if found is not None else (404, _error("No such File object"))
        if len(parts) > 1:
            return self._look(parts[1])
        return self._list(query)

    def _upload(self, content: bytes) -> tuple[int, bytes]:
        boundary, _, _ = content.partition(b"\r\n")
        fields = [part.partition(b"\r\n\r\n") for part in content.split(boundary)[1:-1]]
        assert any(b'name="purpose"' in head and body.strip() == b"batch" for head, _, body in fields)
        [whole] = [body[:-2] for head, _, body in fields if b'name="file"' in head]
        name = f"file-{len(self.files)}"
        self.files[name] = whole
        return 200, _document({"id": name, "object": "file", "bytes": len(whole), "purpose": "batch"})

    def _create(self, body: Mapping[str, Any]) -> tuple[int, bytes]:
        assert body["completion_window"] == "24h" and body["endpoint"] == "/v1/chat/completions"
        name = f"batch_{len(self.batches)}"
        self.batches[name] = {
            "id": name,
            "object": "batch",
            "endpoint": body["endpoint"],
            "input_file_id": body["input_file_id"],
            "status": "validating",
            "errors": None,
            "output_file_id": None,
            "error_file_id": None,
            "request_counts": {"total": 0, "completed": 0, "failed": 0},
        }
        if self.lost_replies:
            self.lost_replies -= 1
            return 503, _error("the batch was made, and the reply was lost")
        return 200, _document(self.batches[name])

    def _list(self, query: str) -> tuple[int, bytes]:
        """Two a page, the newest first."""
        names = list(reversed(self.batches))
        after = dict(part.split("=") for part in query.split("&")).get("after")
        start = names.index(after) + 1 if after else 0
        page = [self.batches[name] for name in names[start : start + 2]]
        return 200, _document({"object": "list", "data": page, "has_more": start + 2 < len(names)})

    def _look(self, name: str) -> tuple[int, bytes]:
        if name not in self.batches:
            return 404, _error("No batch found")
        batch = self.batches[name]
        self.looked[name] += 1
        if batch["status"] in ("validating", "in_progress"):
            batch["status"] = "in_progress"
            if self.looked[name] >= self.looks:
                self._end(batch, int(name.removeprefix("batch_")))
        return 200, _document(batch)

    def _end(self, batch: dict[str, Any], number: int) -> None:
        batch["status"] = self.ends[number] if number < len(self.ends) else "completed"
        rows = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]
        assert len({row["custom_id"] for row in rows}) == len(rows)
        if batch["status"] == "failed":
            batch["errors"] = {"object": "list", "data": list(self.problems)}
            return
        # What has not run to its end answers every second line.
        reached = rows if batch["status"] == "completed" else rows[::2]
        answers, errors = [], []
        for row in rows:
            if not any(row is one for one in reached):
                errors.append(_line(row, f"batch_{batch['status']}"))
                continue
            self.asked[row["custom_id"]] += 1
            found = self.line(row, self.asked[row["custom_id"]])
            (answers if not isinstance(found, str) and found[0] == 200 else errors).append(_line(row, found))
        batch["request_counts"] = {"total": len(rows), "completed": len(answers), "failed": len(errors)}
        # Answers come in any order.
        for field_name, lines in (("output_file_id", reversed(answers)), ("error_file_id", iter(errors))):
            batch[field_name] = self._keep(lines)

    def _keep(self, lines: Iterable[str]) -> str | None:
        whole = "".join(f"{line}\n" for line in lines)
        if not whole:
            return None
        name = f"file-{len(self.files)}"
        self.files[name] = whole.encode()
        return name


def _line(row: Mapping[str, Any], found: tuple[int, Any] | str) -> str:
    response = None if isinstance(found, str) else {"status_code": found[0], "request_id": "r", "body": found[1]}
    error = {"code": found, "message": "This request could not be executed"} if isinstance(found, str) else None
    return json.dumps({"id": "batch_req_1", "custom_id": row["custom_id"], "response": response, "error": error})


def _document(row: Any) -> bytes:
    return json.dumps(row).encode()


def _error(message: str) -> bytes:
    return _document({"error": {"message": message, "type": "invalid_request_error", "code": None}})
