"""Prompts are pure functions of item and protocol; protocols are data that survive editing."""

from __future__ import annotations

import ast
import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.errors import BadInputError
from annotator.evaluation.item_prompts import (
    INFILLING,
    TEMPLATES,
    NamedFunction,
    build_question,
    default_template,
    first_lines,
    last_lines,
    name_tokens,
    similar_functions,
    with_requirement,
)
from annotator.evaluation.planning import pending_requests, plan_requests
from annotator.evaluation.presets import (
    PRESETS,
    Pass,
    describe_protocol,
    find_protocol_preset,
    leakage_protocol,
    parse_protocol,
    sweep_protocol,
)
from annotator.llm.requests import Decoding, Endpoint
from annotator.llm.templates import Template, parse_template
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

DATA = Path(__file__).parents[3] / "shared" / "data"
ENDPOINT = Endpoint(base_url="http://localhost:8000/v1")


def test_the_published_settings() -> None:
    settings = {
        item.name: [(p.decoding.temperature, p.decoding.top_p, p.samples, p.decoding.max_tokens) for p in item.passes]
        for item in PRESETS
    }
    assert settings["domaineval-pass1"] == [(0.0, None, 1, None)]
    assert settings["domaineval-pass5"] == [(0.2, 0.95, 5, None)]
    for context in ("none", "above", "infilling", "similar"):
        assert settings[f"evocodebench-{context}-greedy"] == [(0.0, None, 1, 500)]
        assert settings[f"evocodebench-{context}-sampled"] == [(0.4, 0.95, 20, 500)]
        assert find_protocol_preset(f"evocodebench-{context}-sampled").ks == (3, 5, 10)
    assert settings["realisticcodebench-greedy"] == [(0.0, None, 1, 512)]
    assert settings["realisticcodebench-sampled"] == [(0.8, 0.95, 10, 512)]
    assert settings["infibench"] == [(0.2, 0.9, 30, None)]
    assert find_protocol_preset("infibench").batch == 10
    assert settings["cocobench"] == [(0.0, None, 1, None)]
    assert [settings[f"difficulty-{name}"][0][2] for name in ("weak", "strong", "hot", "many")] == [30, 30, 10, 100]
    assert settings["difficulty-hot"][0][0] == 1.0


def test_leakage_is_asked_as_the_base_protocol_asks() -> None:
    base = find_protocol_preset("evocodebench-above-sampled")
    leak = find_protocol_preset("cdd:evocodebench-above-sampled")
    assert leak == leakage_protocol(base)
    assert (leak.builder, leak.context, leak.samples) == (base.builder, base.context, 51)
    greedy, sampled = leak.passes
    assert (greedy.decoding.temperature, greedy.samples, greedy.decoding.max_tokens) == (0.0, 1, 100)
    assert (sampled.decoding.temperature, sampled.samples, sampled.decoding.max_tokens) == (0.8, 50, 100)
    assert (leak.pass_of(0).label, leak.pass_of(1).label, leak.pass_of(50).label) == ("greedy", "sampled", "sampled")
    with pytest.raises(ValueError, match="51"):
        leak.pass_of(51)
    with pytest.raises(BadInputError, match="infibench"):
        find_protocol_preset("nothing")


@pytest.mark.parametrize("protocol", [*PRESETS, find_protocol_preset("cdd")], ids=lambda item: item.name)
def test_every_preset_survives_json(protocol: Any) -> None:
    again = parse_protocol(json.loads(json.dumps(protocol.as_json())))
    assert again == protocol
    assert again.hash == protocol.hash
    assert dict(describe_protocol(protocol))["Protocol"] == protocol.title


@pytest.mark.parametrize("change", SAMPLES["edits_that_do_not_fit"])
def test_edits_that_do_not_fit_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadInputError):
        parse_protocol(find_protocol_preset("infibench").as_json() | change)
    for row in (None, [], "infibench"):
        with pytest.raises(BadInputError):
            parse_protocol(row)


def test_every_field_can_be_edited() -> None:
    row = find_protocol_preset("infibench").as_json() | {
        "form": "completion", "batch": 2, "ks": [1, 2],
        "templates": [Template(name="question", version="2", user="Q: {{prompt}}").as_json()],
        "passes": [{"decoding": {"temperature": 1, "top_k": 5}, "samples": 4}],
    }  # fmt: skip
    edited = parse_protocol(row)
    assert build_question({"prompt": "why?"}, edited).prompt == "Q: why?"
    assert ("Template question", "edited, version 2") in describe_protocol(edited)


def test_templates_have_names_of_their_own() -> None:
    assert len({template.name for template in TEMPLATES}) == len(TEMPLATES)
    assert all(template.version == "1" for template in TEMPLATES)


def texts(question: Any) -> str:
    return "\n".join(message.content for message in question.messages) or question.prompt


def test_domaineval() -> None:
    item = {
        "key": "d",
        "prompt": "Functionality: add.\nInputs: x",
        "context": "import os\n[MASK]\n",
        "language": "python",
    }
    asked = texts(build_question(item, find_protocol_preset("domaineval-pass1")))
    assert "Functionality: add." in asked and "import os\n[MASK]" in asked
    base = build_question(item, replace(find_protocol_preset("domaineval-pass1"), form="completion"))
    assert "# Functionality: add.\n# Inputs: x" in base.prompt and not base.messages


FUNCTION = SAMPLES["function"]


def test_evocodebench_four_contexts() -> None:
    shown = {
        context: texts(build_question(FUNCTION, find_protocol_preset(f"evocodebench-{context}-greedy")))
        for context in ("none", "above", "infilling", "similar")
    }
    for asked in shown.values():
        assert 'def load_cache(path):\n    """\n    Load the cache.\n    Return it.\n    """\n' in asked
        assert "SECRET" not in asked, "the reference itself is never shown"
    assert "ROOT" not in shown["none"] and "ROOT" not in shown["similar"]
    assert "ROOT" in shown["above"] and "after" not in shown["above"]
    assert "ROOT" in shown["infilling"] and "def after" in shown["infilling"]
    assert shown["similar"].index("loadCacheFile") < shown["similar"].index("save_cache")
    assert "other" not in shown["similar"]
    with pytest.raises(BadInputError, match="no signature"):
        build_question({"key": "x", "prompt": "p"}, find_protocol_preset("evocodebench-none-greedy"))


def test_evocodebench_base_models() -> None:
    base = {
        context: replace(find_protocol_preset(f"evocodebench-{context}-greedy"), form="completion")
        for context in ("none", "above", "infilling")
    }
    head = with_requirement("def load_cache(path):\n", "Load the cache.\nReturn it.")
    assert build_question(FUNCTION, base["none"]).prompt == head
    assert build_question(FUNCTION, base["above"]).prompt == "import os\nROOT = 1\n" + head
    server = build_question(FUNCTION, base["infilling"])
    assert (server.prompt, server.suffix) == ("import os\nROOT = 1\n" + head, "def after():\n    pass\n")
    for name, marks in INFILLING.items():
        asked = build_question(FUNCTION, replace(base["infilling"], infilling=name))
        assert asked.suffix == ""
        assert (
            asked.prompt
            == f"{marks.prefix}import os\nROOT = 1\n{head}{marks.suffix}def after():\n    pass\n{marks.middle}"
        )


def test_a_method_is_asked_as_it_stands_in_its_file() -> None:
    item = {
        **FUNCTION,
        "prompt": "def load(path):\n\nLoad it.",
        "extra": {
            "signature": "def load(path):", "context_above": "class A:\n\t@staticmethod\n", "context_below": "",
            "decorators": "@staticmethod\n", "margin": "\t", "step": "\t", "functions": [],
        },
    }  # fmt: skip
    presets = {name: find_protocol_preset(f"evocodebench-{name}-greedy") for name in ("none", "above", "similar")}
    base = {name: build_question(item, replace(found, form="completion")).prompt for name, found in presets.items()}
    doc = '\t"""\n\tLoad it.\n\t"""\n'
    assert base["none"] == f"@staticmethod\ndef load(path):\n{doc}"
    assert base["above"] == "class A:\n\t@staticmethod\n\tdef load(path):\n" + doc.replace("\t", "\t\t")
    assert base["similar"] == base["none"], "no function has a similar name"
    assert "similar names" not in texts(build_question(item, presets["similar"]))
    assert "@staticmethod\ndef load(path):" in texts(build_question(item, presets["none"]))
    none = replace(presets["none"], form="completion")
    bare = {**item, "prompt": "def load(path):"}
    assert build_question(bare, none).prompt == "@staticmethod\ndef load(path):\n"
    for start in ("", "@staticmethod\n"):
        below = {**item, "entry_point": "A.load", "prompt": f"{start}def load(path):\n\nLoad it."}
        within = {**below, "prompt": f'{start}def load(path):\n    """Load it."""\n'}
        assert build_question(below, none).prompt == build_question(within, none).prompt == base["none"]


def test_a_context_budget_keeps_what_is_nearest() -> None:
    item = {
        **FUNCTION,
        "extra": {**FUNCTION["extra"], "context_above": "".join(f"line_{n:03} = 0\n" for n in range(400))},
    }
    asked = texts(build_question(item, replace(find_protocol_preset("evocodebench-above-greedy"), context_tokens=100)))
    assert "line_399" in asked and "line_300" not in asked
    assert last_lines("a\nbb\nccc\n", 1) == "" and last_lines("a\nb\nc\n", None) == "a\nb\nc\n"


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=20), st.integers(0, 30))
def test_a_budget_is_kept_in_whole_lines(lines: list[str], tokens: int) -> None:
    text = "".join(line.replace("\n", " ") + "\n" for line in lines)
    for cut, at_end in ((last_lines(text, tokens), True), (first_lines(text, tokens), False)):
        assert len(cut) <= max(tokens * 4, 0) or cut == text
        assert text.endswith(cut) if at_end else text.startswith(cut)
        assert not cut or cut.endswith("\n")


@pytest.mark.parametrize(("name", "tokens"), SAMPLES["names"])
def test_names_are_split_at_underscores_and_camel_case(name: str, tokens: list[str]) -> None:
    assert name_tokens(name) == tuple(tokens)


def test_similar_functions_rank_by_shared_tokens() -> None:
    names = SAMPLES["similar_names"]
    functions = [NamedFunction(name, f"def f{number}(): pass") for number, name in enumerate(names)]
    found = [item.name for item in similar_functions("a.get_user_name", functions, 5)]
    assert found == ["b.get_user_name", "a.get_user_name_list", "a.get_name", "a.get_user", "a.user_get"]
    assert len(similar_functions("a.get_user_name", functions, 2)) == 2
    own = [NamedFunction("copy.get_user_name", "  def get_user_name(x):\n    pass")]
    assert similar_functions("a.get_user_name", own, 5, "def get_user_name(x):") == ()


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=80))
def test_a_requirement_cannot_break_out_of_its_docstring(requirement: str) -> None:
    code = with_requirement("def f():", requirement) + "    pass\n"
    tree = ast.parse(code)
    assert len(tree.body) == 1 and isinstance(tree.body[0], ast.FunctionDef)


def test_requirements_in_methods_and_other_languages() -> None:
    made = with_requirement("    def f(self):\n", "Do.\nIt.")
    assert made == '    def f(self):\n        """\n        Do.\n        It.\n        """\n'
    assert with_requirement("int f()", "Do.", "c++") == "// Do.\nint f()\n"
    assert with_requirement("def f():", " ") == "def f():\n"


CRITERION = "grading:\n  similarity:\n    - metric: rouge1\n      references: hello\n"


def test_short_answers_where_similarity_is_scored() -> None:
    short, plain = default_template("question-short"), default_template("question")
    assert short is not None and plain is not None and short.system != plain.system
    always = replace(find_protocol_preset("infibench"), short_answers="always")
    assert build_question({"prompt": "q"}, always).messages[0].content == short.system
    assert (
        build_question({"prompt": "q", "criterion": ""}, find_protocol_preset("infibench")).messages[0].content
        == plain.system
    )
    base = build_question({"prompt": "q"}, replace(find_protocol_preset("infibench"), form="completion"))
    assert base.prompt == f"{plain.system}\nq"


@pytest.mark.skipif(not (DATA / "infibench-dev").is_dir(), reason="the published data is not beside the project")
def test_short_answers_on_the_published_cases() -> None:
    short = 0
    with gzip.open(DATA / "infibench-dev" / "cases.jsonl.gz", "rt", encoding="utf-8") as stream:
        cases = [json.loads(line) for line in stream]
    for case in cases:
        criterion = next(text for name, text in case["files"].items() if name.startswith("eval_"))
        prompt = next(text for name, text in case["files"].items() if name.startswith("prompt_"))
        item = {"id": case["case"], "prompt": prompt, "criterion": criterion, "extra": {"files": case["files"]}}
        question = build_question(item, find_protocol_preset("infibench"))
        assert question.messages[1].content == prompt
        short += question.template.startswith("question-short")
        scored = any(
            line.strip().startswith("similarity:")
            for line in criterion.splitlines()
            if not line.strip().startswith("#")
        )
        assert question.template.startswith("question-short") == scored, case["case"]
    assert 0 < short < len(cases)


@pytest.mark.parametrize(("item", "shown"), SAMPLES["coco_families"])
def test_coco_families(item: dict[str, Any], shown: list[str]) -> None:
    question = build_question(item, find_protocol_preset("cocobench"))
    assert question.template.startswith(shown[0] + " ")
    assert shown[1] in texts(question)


def test_coco_never_shows_the_answer() -> None:
    item = {
        "task": "understanding",
        "context": "c",
        "tests": [{"inputs": {"arguments": ["in-put"]}, "expected": "out-put"}],
    }
    assert "out-put" not in texts(build_question(item, find_protocol_preset("cocobench")))
    assert "in-put" not in texts(build_question(item, find_protocol_preset("cocobench-reverse")))


CALL = SAMPLES["call"]


def test_examples_come_before_the_question_in_its_own_words() -> None:
    plain, shown = (
        build_question(CALL, find_protocol_preset("cocobench")),
        build_question(CALL, find_protocol_preset("cocobench-few-shot")),
    )
    assert [message.role for message in shown.messages] == ["user", "assistant"] * 3 + ["user"]
    assert shown.messages[-1:] == plain.messages
    opening = plain.messages[0].content.splitlines()[0]
    assert all(message.content.startswith(opening) for message in shown.messages if message.role == "user")
    assert shown.template == f"{plain.template}, 3 examples"
    base = replace(find_protocol_preset("cocobench-few-shot"), form="completion")
    assert (
        build_question(CALL, base).prompt
        == "".join(
            f"{message.content}\n" if message.role == "user" else f"{message.content}\n\n"
            for message in shown.messages[:-1]
        )
        + plain.messages[0].content
    )


def test_more_examples_than_a_template_has_are_refused() -> None:
    with pytest.raises(BadInputError, match="shows 4 examples, and the template coco-forward has 3"):
        build_question(CALL, replace(find_protocol_preset("cocobench"), shots=4))
    with pytest.raises(BadInputError, match="shows 1 examples, and the template plain has 0"):
        build_question({"key": "k", "prompt": "p"}, replace(find_protocol_preset("plain"), shots=1))
    for wrong in (-1, True, 101, "3"):
        with pytest.raises(BadInputError, match="shots must be a whole number from 0 to 100"):
            parse_protocol({**find_protocol_preset("plain").as_json(), "shots": wrong})


def test_examples_of_ones_own_are_kept_and_checked() -> None:
    row = {"name": "plain", "version": "2", "user": "Q: {{prompt}}", "examples": [{"prompt": "1 + 1", "answer": "2"}]}
    template = parse_template(row)
    assert parse_template(template.as_json()) == template
    protocol = parse_protocol({**find_protocol_preset("plain").as_json(), "shots": 1, "templates": [row]})
    assert texts(build_question({"key": "k", "prompt": "2 + 2"}, protocol)) == "Q: 1 + 1\n2\nQ: 2 + 2"
    for wrong, why in (
        ("x", "must be a list"),
        ([{"prompt": "p"}], "Example 1 of the template must have an answer"),
        ([{"prompt": 1, "answer": "a"}], "Example 1 of the template must have"),
        ([{"answer": "a"}], "Example 1 of the template has no prompt"),
    ):
        with pytest.raises(BadInputError, match=why):
            parse_template({**row, "examples": wrong})


def test_the_examples_that_are_shipped_are_right() -> None:
    scope: dict[str, Any] = {}
    forward, reverse = default_template("coco-forward"), default_template("coco-reverse")
    assert forward is not None and reverse is not None
    for template in (forward, reverse):
        values = next(dict(item.values) | {"answer": item.answer} for item in template.examples)
        given, result = values.get("input", values["answer"]), values.get("output", values["answer"])
        exec(values["code"], scope)  # the project's own text
        name = values["code"].split("(")[0].removeprefix("def ")
        assert scope[name](*json.loads(given)) == ast.literal_eval(result)
    review = default_template("coco-review")
    assert review is not None and all(json.loads(item.answer) for item in review.examples)


@pytest.mark.parametrize(("name", "item"), SAMPLES["cannot_be_asked"])
def test_an_item_that_cannot_be_asked_is_named(name: str, item: dict[str, Any]) -> None:
    with pytest.raises(BadInputError, match="thing:1"):
        build_question({"key": "thing:1", **item}, find_protocol_preset(name))


ITEMS = [{"id": f"i{number}", "key": f"k:{number}", "prompt": f"question {number}"} for number in range(4)]


def test_a_plan_is_the_same_every_time_and_lazy() -> None:
    protocol = find_protocol_preset("infibench")
    first, second = (
        list(plan_requests(ITEMS, protocol, "m", ENDPOINT)),
        list(plan_requests(ITEMS, protocol, "m", ENDPOINT)),
    )
    assert [item.hash for item in first] == [item.hash for item in second]
    assert len({item.hash for item in first}) == len(first) == 4 * 30
    assert [item.sample for item in first[:31]] == [*range(30), 0]

    def endless() -> Any:
        yield ITEMS[0]
        raise AssertionError("more than was needed was read")

    assert next(plan_requests(endless(), protocol, "m", ENDPOINT)).item_id == "i0"
    assert next(plan_requests(ITEMS, protocol, "m", ENDPOINT, again=1)).hash != first[0].hash


def test_pending_is_the_plan_without_what_is_stored() -> None:
    protocol = replace(find_protocol_preset("plain"), passes=(Pass(Decoding(temperature=0.5), 3),))
    everything = list(plan_requests(ITEMS, protocol, "m", ENDPOINT))
    stored = {(item.item_id, item.sample, item.hash) for item in everything[::2]}
    assert [item.id for item in pending_requests(everything, stored)] == [item.id for item in everything[1::2]]
    hotter = replace(protocol, passes=(Pass(Decoding(temperature=0.6), 3),))
    assert len(list(pending_requests(plan_requests(ITEMS, hotter, "m", ENDPOINT), stored))) == 12


def test_sweeps() -> None:
    base = find_protocol_preset("cocobench")
    made = sweep_protocol(base, {"temperature": [0, 0.5], "max_tokens": [100, 200], "top_k": [10]})
    assert [item.name for item in made] == [
        "cocobench [temperature 0]", "cocobench [temperature 0.5]", "cocobench [max_tokens 100]",
        "cocobench [max_tokens 200]", "cocobench [top_k 10]",
    ]  # fmt: skip
    assert made[2].passes[0].decoding == Decoding(temperature=0.0, max_tokens=100)
    grid = sweep_protocol(base, {"temperature": [0, 1], "top_p": [0.9, 1.0]}, grid=True)
    assert [(item.passes[0].decoding.temperature, item.passes[0].decoding.top_p) for item in grid] == [
        (0, 0.9),
        (0, 1.0),
        (1, 0.9),
        (1, 1.0),
    ]
    assert len(sweep_protocol(base, {"temperature": [0, 0.0]})) == 1
    for bad in ({}, {"temperature": []}, {"heat": [1]}, {"top_p": [2]}):
        with pytest.raises(BadInputError):
            sweep_protocol(base, bad)
