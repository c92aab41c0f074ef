"""Follow and make calls in Java, JavaScript, TypeScript and C++ (specification, task construction, 3.1): the call is
wrapped, and what it was given and gave is printed as JSON.

The programs serve the making of items and calls with values only, on code that has no reason to deceive.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from annotator.base.errors import MissingEnvironmentError
from annotator.base.resources import resource
from annotator.construction.canonical import Form
from annotator.construction.edits import Edit, apply
from annotator.construction.foreign_signature import SCRIPTS, Signature
from annotator.construction.foreign_values import expression, read_form
from annotator.construction.material import Material

if TYPE_CHECKING:
    from concurrent.futures import Future

    from annotator.sandbox import JobResult, Runner

_HARNESS = {"javascript": "follow.js", "typescript": "follow.js", "java": "Follow.java", "c++": "follow.hpp"}
_OWN = "annotator_own_"
_WALL_S = 20.0
_COMPILE_S = 60.0


def start_following(material: Material, signature: Signature, runner: Runner) -> Callable[[], list[dict[str, Any]]]:
    """Run every test on the program whose calls are followed; call what is returned for what they said.

    A row holds ``arguments`` and ``output`` (canonical), ``raises``, ``steps``, ``places`` and ``mutated``.
    """
    nonce = secrets.token_hex(12)
    followed = _followed(material, signature)
    texts = [_joined(material.language, nonce, f"{followed}\n{test.code}") for test in material.tests]
    waiting = [_submit(material, text, _WALL_S, runner) for text in texts]

    def read() -> list[dict[str, Any]]:
        rows = [row for future in waiting for row in _rows(future.result(), nonce)]
        for row in rows:
            row["arguments"] = [read_form(item) for item in row["arguments"]]
            row["output"] = read_form(row["output"])
        return rows

    return read


def start_calls(
    material: Material, signature: Signature, calls: Sequence[Sequence[Form]], limit_s: float, runner: Runner
) -> Callable[[], list[dict[str, Any]]]:
    """Start calls with values by position. The answers are ``{"output": form}``, or ``raises``, ``timeout`` or
    ``unsupported``; an empty list says that the program did not run."""
    nonce = secrets.token_hex(12)
    written = [_arguments(call, signature, material.language) for call in calls]
    fitting = [(number, given) for number, given in enumerate(written) if given is not None]
    unfit = {"raises": "TypeError"}
    if not fitting:
        return lambda: [dict(unfit) for _ in calls]
    text = _joined(material.language, nonce, _calling(material, signature, [given for _, given in fitting], limit_s))
    future = _submit(material, text, min(600.0, _WALL_S + limit_s * len(fitting)), runner)

    def read() -> list[dict[str, Any]]:
        rows = {int(row.pop("number")): row for row in _rows(future.result(), nonce)}
        if not rows:
            return []
        for row in rows.values():
            if "output" in row:
                row["output"] = read_form(row["output"])
        found = [dict(unfit) for _ in calls]
        for place, (number, _) in enumerate(fitting):
            found[number] = rows.get(place, {"raises": "no answer"})
        return found

    return read


def _arguments(call: Sequence[Form], signature: Signature, language: str) -> list[str] | None:
    """Return the arguments as expressions; None where they do not fit the parameters."""
    if len(call) != len(signature.parameters):
        return None
    found = [expression(form, item.kind, language) for form, item in zip(call, signature.parameters, strict=True)]
    kept = [text for text in found if text is not None]
    return kept if len(kept) == len(found) else None


def _submit(material: Material, text: str, wall_s: float, runner: Runner) -> Future[JobResult]:
    from annotator.sandbox import Job, Limits

    limits = Limits(wall_s=wall_s, cpu_s=wall_s, compile_s=_COMPILE_S, kept_kb=8192, output_kb=16384)
    return runner.submit(Job(material.key, material.language, text, limits=limits))


def _rows(done: JobResult, nonce: str) -> list[dict[str, Any]]:
    if done.outcome == "machinery":
        raise MissingEnvironmentError(f"The sandbox failed: {done.message} Nothing was made; try again.")
    lines = [line.removeprefix(nonce) for line in done.stdout.splitlines() if line.startswith(nonce)]
    return [json.loads(line) for line in lines]


def _joined(language: str, nonce: str, program: str) -> str:
    harness = (resource("construction") / _HARNESS[language]).read_text(encoding="utf-8").replace("NONCE", nonce)
    # A class of the harness must not be the last before main, which is what is run in Java.
    return f"{harness}\n{program}"


# -- follow ------------------------------------------------------------------------------------------------------


def _followed(material: Material, signature: Signature) -> str:
    """Return the program with its entry point under another name, and in its place one that tells of each call."""
    language, code = material.language, material.code
    data = code.encode("utf-8", "surrogatepass")
    start, end = signature.name
    name = data[start:end].decode("utf-8", "surrogatepass")
    own = f"{_OWN}{name.rpartition('::')[2]}"
    at = {"java": "AnnotatorFollow.at", "c++": "annotator_follow::at"}.get(language, "annotatorFollow.at")
    edits = [Edit(start, end, own)]
    edits += [Edit(place, place, f" {at}({number});") for number, place in enumerate(signature.blocks)]
    if language in SCRIPTS:
        return f"{apply(code, edits)}\nfunction {name}(...given) {{ return annotatorFollow.follow({own}, given); }}\n"
    wrapper = (_java_wrapper if language == "java" else _cpp_wrapper)(signature, own)
    edits.append(Edit(signature.last, signature.last, f"\n{signature.head}{wrapper}\n"))
    if language == "c++" and not signature.in_class:
        edits.append(Edit(signature.start, signature.start, f"{signature.head};\n"))
    return apply(code, sorted(edits))


def _java_wrapper(signature: Signature, own: str) -> str:
    given = ", ".join(signature.names)
    return (
        f"{{\n if (AnnotatorFollow.depth > 0) return {own}({given});\n Object[] annotatorGiven = {{{given}}};\n"
        f" AnnotatorFollow.begin(annotatorGiven);\n {signature.result} annotatorOut;\n"
        f" try {{ annotatorOut = {own}({given}); }}\n"
        " catch (Throwable error) { AnnotatorFollow.end(null, annotatorGiven, error); throw error; }\n"
        " AnnotatorFollow.end(annotatorOut, annotatorGiven, null);\n return annotatorOut;\n}"
    )


def _cpp_wrapper(signature: Signature, own: str) -> str:
    given = ", ".join(signature.names)
    first = f"annotator_call({given})" if given else "annotator_call{}"
    ended = f"annotator_out, {given}" if given else "annotator_out"
    return (
        f"{{\n annotator_follow::Call {first};\n auto annotator_out = {own}({given});\n"
        f" annotator_call.end({ended});\n return annotator_out;\n}}"
    )


# -- calls -------------------------------------------------------------------------------------------------------


def _calling(material: Material, signature: Signature, calls: Sequence[Sequence[str]], limit_s: float) -> str:
    milliseconds = max(1, round(limit_s * 1000))
    if material.language in SCRIPTS:
        listed = ", ".join(f"[{', '.join(given)}]" for given in calls)
        return f"{material.code}\n;\nannotatorFollow.make({signature.call}, [{listed}], {milliseconds});\n"
    if material.language == "java":
        # A method may hold 64 kB of code only, so each call has its own.
        works = "\n".join(
            f" static Object call{number}() throws Throwable {{ return {signature.call}({', '.join(given)}); }}"
            for number, given in enumerate(calls)
        )
        listed = ", ".join(f"Main::call{number}" for number in range(len(calls)))
        return (
            f"{material.code}\nclass Main {{\n{works}\n"
            " public static void main(String[] arguments) throws Exception {\n"
            f"  AnnotatorFollow.make(new AnnotatorFollow.Work[] {{{listed}}}, {milliseconds});\n }}\n}}\n"
        )
    works = "\n".join(
        f" annotator_follow::make({number}, {limit_s}, [] {{ {_cpp_call(signature, given)} }});"
        for number, given in enumerate(calls)
    )
    return f"{material.code}\nint main() {{\n{works}\n return 0;\n}}\n"


def _cpp_call(signature: Signature, given: Sequence[str]) -> str:
    # Parameters may be references that are written to, so arguments are variables.
    variables = " ".join(f"auto annotator_{number} = {text};" for number, text in enumerate(given))
    named = ", ".join(f"annotator_{number}" for number in range(len(given)))
    return f"{variables} return annotator_follow::result({signature.call}({named}));"
