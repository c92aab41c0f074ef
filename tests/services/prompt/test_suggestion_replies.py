"""A description is found in what chat models say around it, and kept as it is where they say nothing else."""

from __future__ import annotations

import pytest

from annotator.services.suggestion_replies import agrees, read_description

PLAIN = "Return the sum of `a` and `b`.\n\nRaises TypeError for texts."


@pytest.mark.parametrize(
    "said",
    [
        PLAIN,
        f"Sure, here is the instruction:\n\n**Instruction**\n\n{PLAIN}",
        f"### Instruction\n\n{PLAIN}",
        f"Instruction: {PLAIN}",
        f"**Description:** {PLAIN}",
        f"```markdown\n{PLAIN}\n```",
        f"Here's the description:\n```text\n{PLAIN}\n```\nLet me know if you'd like any changes!",
        f"I made the following changes: added the error.\n\nHere's the revised description:\n\n{PLAIN}",
        f"<think>\nIt adds.\n</think>\n\n{PLAIN}",
        f'"""{PLAIN}"""',
        f'"""\n    {PLAIN.replace(chr(10) * 2, chr(10) * 2 + "    ")}\n    """',
        f'```python\ndef add(a, b):\n    """{PLAIN.replace(chr(10) * 2, chr(10) * 2 + "    ")}\n    """\n```',
        f'def add(a):\n    """{PLAIN.replace(chr(10) * 2, chr(10) * 2 + "    ")}"""\n    return a + b',
        f"{PLAIN}\n\nI hope this helps!",
    ],
)
def test_what_is_said_around_a_description_goes(said: str) -> None:
    assert read_description(said) == PLAIN


@pytest.mark.parametrize(
    "said",
    [
        "Functionality: adds.\nArguments:\n:param a: int\n:return: int",
        "Make `x` sorted. Here is what counts: the order.\n\n- one\n- two",
        "Return a pair, as in:\n\n```python\nadd(1, 2)\n```\n\nand nothing else.",
        "返回两个数的和。",
        "The task is run once; of course it may fail.",
        "def add(a, b):\n    return a + b",
    ],
)
def test_a_description_stays_as_it_is(said: str) -> None:
    assert read_description(said) == said
    assert not agrees(said)


def test_who_declines_describes_nothing() -> None:
    assert read_description("I'm sorry, but I can't help with that.") == ""


@pytest.mark.parametrize(
    "said",
    [
        "The description is correct and complete. No changes are needed.",
        "No changes needed.",
        "Yes, the description is accurate.",
        "Everything is right.",
    ],
)
def test_a_check_may_only_agree(said: str) -> None:
    assert agrees(said)
