"""The default prompt templates; a project may edit each, under a version of its own."""

from __future__ import annotations

from annotator.llm import Template

_PROGRAMMERS = "You help professional programmers. Questions and answers are written in Markdown."
_SHORT = f"{_PROGRAMMERS} You are in a chat with a programmer: keep the answer as short as you can."
_ONLY_CODE = "Answer with one fenced code block and nothing else."

TEMPLATES: tuple[Template, ...] = (
    Template(
        "plain",
        "1",
        user="{{prompt}}",
        completion="{{prompt}}",
    ),
    Template(
        "domaineval",
        "1",
        user=(
            "Below is an instruction for a function, and code in which that function is replaced by [MASK]. Write the "
            "whole function, with every import that it needs. "
            + _ONLY_CODE
            + "\n\n### Instruction\n{{instruction}}\n\n"
            "### Code\n```python\n{{code}}\n```"
        ),
        completion=(
            "# Task: write the function that replaces [MASK].\n{{instruction_comment}}\n\n{{code}}\n\n"
            "# What replaces [MASK]:\n"
        ),
    ),
    Template(
        "evocodebench-none",
        "1",
        user=(
            "Complete the function `{{name}}`. Write the whole function. " + _ONLY_CODE + "\n\n"
            "```{{language}}\n{{head}}```"
        ),
        completion="{{head}}",
    ),
    Template(
        "evocodebench-above",
        "1",
        user=(
            "Complete the function `{{name}}` at the end of a file. Write the whole function. " + _ONLY_CODE + "\n\n"
            "The file up to the function:\n```{{language}}\n{{above}}```\n\nThe function:\n```{{language}}\n{{head}}```"
        ),
        completion="{{above}}{{head}}",
    ),
    Template(
        "evocodebench-infilling",
        "1",
        user=(
            "Complete the function `{{name}}` in the middle of a file. Write the whole function. " + _ONLY_CODE + "\n\n"
            "The file above the function:\n```{{language}}\n{{above}}```\n\nThe file below the function:\n"
            "```{{language}}\n{{below}}```\n\nThe function:\n```{{language}}\n{{head}}```"
        ),
        completion="{{prefix_mark}}{{above}}{{head}}{{suffix_mark}}{{below}}{{middle_mark}}",
    ),
    Template(
        "evocodebench-similar",
        "1",
        user=(
            "Complete the function `{{name}}`. Functions of the same repository with similar names are shown first. "
            "Write the whole function. " + _ONLY_CODE + "\n\nFunctions with similar names:\n"
            "```{{language}}\n{{functions}}```\n\nThe function:\n```{{language}}\n{{head}}```"
        ),
        completion="{{functions}}\n{{head}}",
    ),
    Template(
        "realisticcodebench",
        "1",
        user=(
            "Write the {{language}} code that the following signature and description ask for, complete and ready to "
            "run, with its imports. " + _ONLY_CODE + "\n\n```{{language}}\n{{signature}}\n```"
        ),
        completion="{{signature}}\n",
    ),
    Template("question", "1", system=_PROGRAMMERS, user="{{prompt}}"),
    Template("question-short", "1", system=_SHORT, user="{{prompt}}"),
    Template(
        "coco-forward",
        "1",
        user=(
            "Work out what the following code returns for the given input.\n\nThe code:\n```{{language}}\n{{code}}\n```"
            "\n\nThe input:\n```\n{{input}}\n```\n\nAnswer with the output alone, without any other word."
        ),
    ),
    Template(
        "coco-reverse",
        "1",
        user=(
            "Work out an input for which the following code returns the given output.\n\nThe code:\n"
            "```{{language}}\n{{code}}\n```\n\nThe output:\n```\n{{output}}\n```\n\n"
            "Answer with the input alone, without any other word."
        ),
    ),
    Template(
        "coco-generation",
        "1",
        user=(
            "Fill in the incomplete code so that it does what the description says.\n\nThe description:\n"
            "{{description}}\n\nThe incomplete code:\n```{{language}}\n{{code}}\n```\n\n"
            "Answer with the completed code alone, without any other word."
        ),
    ),
    Template(
        "coco-modification",
        "1",
        user=(
            "Correct the code so that it does what the description says.\n\nThe description:\n{{description}}\n\n"
            "The code to correct:\n```{{language}}\n{{code}}\n```\n\n"
            "Answer with the corrected code alone, without any other word."
        ),
    ),
    Template(
        "coco-review",
        "1",
        user=(
            "Review the code: find what is wrong with it.\n\nThe description:\n{{description}}\n\nThe code:\n"
            "```{{language}}\n{{code}}\n```\n\nThere are four kinds of issue: performance_issues, security_issues, "
            "syntax_errors and logical_errors. Name the kinds that the code has, each with the corrected line, as one "
            "JSON object and nothing else, in this form (leave out the kinds that it does not have):\n"
            '{"performance_issues": "corrected line", "security_issues": "corrected line", '
            '"syntax_errors": "corrected line", "logical_errors": "corrected line"}'
        ),
    ),
)


def default_template(name: str) -> Template | None:
    """Return the template of that name as it comes with the application."""
    return next((template for template in TEMPLATES if template.name == name), None)
