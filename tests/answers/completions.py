"""Completions as base models and chat models write them: the body of a prompt's function in every shape.

A shape is a head, which holds the answer, and a tail, which is text that the model ran on to.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

_AFTER_FENCE = ("prose", "instruction")
PROSE = "This goes over the values once, and keeps what is asked for."


@dataclass(frozen=True, kw_only=True)
class Function:
    """A function of a benchmark in two parts: a prompt that ends where the body begins, and the body."""

    language: str
    tag: str
    entry: str
    prompt: str
    body: str
    other: str
    demo: str

    @property
    def joined(self) -> str:
        """The whole program."""
        return self.prompt + ("" if self.prompt.endswith("\n") or not self.prompt else "\n") + self.body


def _fenced(code: str, tag: str) -> str:
    return f"```{tag}\n{code.rstrip()}\n```"


def _without_end(function: Function) -> str:
    """Return a body without the lines that close what the prompt opens."""
    lines = function.body.rstrip().split("\n")
    for _ in range(max(function.prompt.count("{") - function.prompt.count("}"), 1)):
        if lines[-1].strip() in ("}", "};", "end"):
            lines.pop()
    return "\n".join(lines)


def heads(function: Function) -> dict[str, str]:
    """Return the shapes of an answer, by name."""
    body, whole, tag = function.body, function.joined, function.tag
    shapes = {
        "body": body,
        "body on": "\n" + body,
        "prompt and body": whole,
        "fenced body": _fenced(body, tag),
        "fenced body, no tag": _fenced(body, ""),
        "fenced body at the margin": _fenced(textwrap.dedent(body), tag),
        "fenced whole": _fenced(whole, tag),
        "fenced whole, no tag": _fenced(whole, ""),
        "prose and fenced whole": f"Here is the completed function:\n\n{_fenced(whole, tag)}",
        "prose and fenced body": f"The missing part:\n\n{_fenced(body, tag)}",
        "fenced whole and demo": f"{_fenced(whole, tag)}\n\nUse it like this:\n\n{_fenced(_demo(function), tag)}",
    }
    open_body = _without_end(function)
    if open_body != body.rstrip():
        shapes["body without end"] = open_body
        shapes["fenced body without end"] = _fenced(open_body, tag)
    return shapes


def tails(function: Function, wrong: str) -> dict[str, str]:
    """Return the texts that may follow an answer, by name; ``wrong`` is another program for the same prompt."""
    half = function.body[: len(function.body) // 2]
    return {
        "": "",
        "prose": f"\n\n{PROSE}\n",
        "instruction": f"\n\n### Instruction:\nWrite it again.\n\n### Response:\n{wrong}",
        "chat turn": f"\n<|user|>\nCan it be shorter?\n<|assistant|>\n{wrong}",
        "speaker": f"\n\nUser: Can it be shorter?\n\nAssistant: Yes:\n{wrong}",
        "end of text": f"<|endoftext|>{wrong}",
        "fence": f"\n```\n\n{PROSE}\n",
        "fence and demo": f"\n```\n\n{PROSE}\n{_fenced(_demo(function), function.tag)}\n\n```{function.tag}\n",
        "fence and open fence": f"\n```\n```\n\n{PROSE}\n```{function.tag}\n",
        "other": f"\n\n{function.other}",
        "demo": f"\n\n{_demo(function)}",
        "other and demo": f"\n\n{function.other}\n\n{_demo(function)}",
        "again, cut": f"\n\n{function.prompt}{half}",
    }


def shapes(function: Function, wrong: str) -> dict[str, str]:
    """Return every response that holds the function, by the names of its head and tail."""
    responses = {}
    for head_name, head in heads(function).items():
        for tail_name, tail in tails(function, wrong).items():
            if head_name in ("body", "prompt and body") or tail_name in ("", *_AFTER_FENCE):
                responses[f"{head_name} | {tail_name}".rstrip(" |")] = head.rstrip("\n") + tail
    # What is not closed ends the response, and nothing calls a query.
    impossible = "body without end |" if function.entry else ("body without end |", "body | fence and demo")
    return {name: text for name, text in responses.items() if not name.startswith(impossible)}


def _demo(function: Function) -> str:
    return function.demo.replace("ENTRY", function.entry)
