"""Read tables of published numbers: our own form, and a collection of tables from five published benchmarks.

Our form is a JSON object (or a list of them) with the fields of `PrintedTable`; ``name``, ``columns`` and ``rows``
are required. The collection has one object per benchmark (domaineval, evocodebench, coco, realistic, infi), each with
its own field names; it is converted to our form.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from annotator.base.errors import BadInputError
from annotator.base.open_files import refuse_project

_SIZE_LIMIT = 64 * 1024 * 1024
_MAX_LISTED_PROBLEMS = 20


class PrintedTable(BaseModel):
    """A table as printed, one row per model, with the meaning of its columns.

    ``groups`` are the columns of domains or tasks; ``sizes`` the problems behind a column of shares. ``mean_of`` and
    ``std_of``: column -> columns it averages, or whose sample deviation it is; ``weighted``: column -> weight of each
    column it sums; ``total_of`` and ``rising`` as in `annotator.metrics.comparison.published_audit`. ``average`` names
    the row that averages the others. ``dsi`` and ``spearman`` are printed beside the table. ``score`` is the column to
    rank by, ``other`` another benchmark's scores by name, to compare with ``other_column`` (default: ``score``).
    ``model_sizes`` and ``kinds`` describe the models; ``seeds``, ``wanted`` and ``quotas`` say how the questions were
    divided.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, max_length=200)
    title: str = ""
    columns: tuple[str, ...]
    rows: dict[str, tuple[float | None, ...]]
    groups: tuple[str, ...] = ()
    sizes: dict[str, int] = {}
    mean_of: dict[str, tuple[str, ...]] = {}
    std_of: dict[str, tuple[str, ...]] = {}
    total_of: dict[str, tuple[str, ...]] = {}
    weighted: dict[str, dict[str, float]] = {}
    rising: tuple[tuple[str, ...], ...] = ()
    average: str = ""
    score: str = ""
    dsi: dict[str, tuple[float | None, ...]] = {}
    spearman: dict[str, float] = {}
    other: dict[str, dict[str, float]] = {}
    other_column: str = ""
    model_sizes: dict[str, str] = {}
    kinds: dict[str, str] = {}
    seeds: dict[str, dict[str, int]] = {}
    wanted: dict[str, float] = {}
    quotas: dict[str, int] = {}

    @model_validator(mode="after")
    def _require_consistency(self) -> PrintedTable:
        """Raise ValueError for repeated or unknown columns, and for rows of the wrong length."""
        if len(set(self.columns)) != len(self.columns):
            raise ValueError("two columns have the same name")
        for name, values in self.rows.items():
            if len(values) != len(self.columns):
                raise ValueError(f"row {name} has {len(values)} values for {len(self.columns)} columns")
        derived = (self.mean_of, self.std_of, self.total_of, self.weighted)
        used_columns = {*self.groups, *self.sizes, *(name for name in (self.score, self.other_column) if name)}
        used_columns |= {column for group in derived for pair in group.items() for column in (pair[0], *pair[1])}
        used_columns |= {column for group in self.rising for column in group}
        unknown = sorted(used_columns - set(self.columns))
        if unknown:
            raise ValueError(f"there is no column {', '.join(unknown)}")
        models = [name for name in self.rows if name != self.average]
        for group, values in self.dsi.items():
            if len(values) != len(models) or group not in self.columns:
                raise ValueError(f"the DSI of {group} does not fit the rows")
        if self.average and self.average not in self.rows:
            raise ValueError(f"there is no row {self.average}")
        return self

    def models(self) -> tuple[str, ...]:
        """Return the rows that are models."""
        return tuple(name for name in self.rows if name != self.average)

    def values(self, row: str) -> dict[str, float | None]:
        """Return a row by column."""
        return dict(zip(self.columns, self.rows[row], strict=True))

    def column(self, name: str) -> dict[str, float | None]:
        """Return a column by model."""
        index = self.columns.index(name)
        return {model: self.rows[model][index] for model in self.models()}


def read_published(path: Path) -> tuple[PrintedTable, ...]:
    """Read tables of published numbers. Raises `BadInputError` with the place and the reason."""
    refuse_project(path)
    try:
        if path.stat().st_size > _SIZE_LIMIT:
            raise BadInputError(f"{path.name} is larger than {_SIZE_LIMIT // 1024 // 1024} MB. Nothing was imported.")
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BadInputError(f"{path.name} could not be read ({error.strerror}). Nothing was imported.") from error
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"{path.name} is not JSON ({error}). Nothing was imported.") from error
    return parse_published(data, path.name)


def parse_published(data: Any, name: str) -> tuple[PrintedTable, ...]:
    """Return the tables in a JSON value; ``name`` is its name in errors."""
    if isinstance(data, Mapping) and not {"columns", "rows", "name"} <= set(data):
        readers = {key: reader for key, reader in _COLLECTION.items() if isinstance(data.get(key), Mapping)}
        try:
            tables = [table for key, reader in readers.items() for table in reader(data[key])]
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise BadInputError(
                f"{name} is not the collection of published tables it looks like ({error!r}). Nothing was imported."
            ) from error
    else:
        tables = list(data) if isinstance(data, Sequence) and not isinstance(data, str) else [data]
    if not tables:
        raise BadInputError(
            f"{name} contains no published table. A table is an object with name, columns and rows. Nothing was "
            "imported."
        )
    return tuple(_make_table(item, number, name) for number, item in enumerate(tables, start=1))


def _make_table(table: Any, number: int, name: str) -> PrintedTable:
    try:
        return PrintedTable.model_validate(table)
    except ValidationError as error:
        details = tuple(
            f"{'.'.join(str(part) for part in problem['loc']) or 'table'}: {problem['msg']}"
            for problem in error.errors()[:_MAX_LISTED_PROBLEMS]
        )
        raise BadInputError(f"Table {number} of {name} is not valid. Nothing was imported.", details=details) from error


# The collection -------------------------------------------------------------------------------------------------------


def _domaineval_tables(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    columns = data["columns"]
    groups = columns[:6]
    return [
        {
            "name": f"domaineval-{protocol}",
            "title": f"DomainEval, {protocol.replace('pass', 'pass@')}",
            "columns": columns,
            "rows": data[protocol],
            "groups": groups,
            "sizes": dict(zip(groups, data["domain_sizes_derived"], strict=True)),
            "mean_of": {"Mean": groups},
            "std_of": {"Std": groups},
            "average": "Average" if "Average" in data[protocol] else "",
            "score": "Mean",
        }
        for protocol in ("pass1", "pass5")
    ]


def _evocodebench_tables(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    groups = list(data["table6_pass1"])
    rows = {
        model: [*(data["table6_pass1"][group][number] for group in groups), data["table6_all"][number]]
        for number, model in enumerate(data["models"])
    }
    return [
        {
            "name": "evocodebench",
            "title": "EvoCodeBench, pass@1 by domain",
            "columns": [*groups, "All"],
            "rows": rows,
            "groups": groups,
            "sizes": {**data["n_by_domain"], "All": sum(data["all_domain_counts"].values())},
            "score": "All",
            "dsi": data["table7_dsi_as_printed"],
        }
    ]


def _coco_tables(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    tasks = data["columns"][:5]
    human = dict(zip(data["model_order"], data["humaneval13"]["HE"], strict=False))
    return [
        {
            "name": "coco",
            "title": "CoCo-Bench",
            "columns": data["columns"],
            "rows": {model: data["table2"][model] for model in data["model_order"]},
            "groups": tasks,
            "weighted": {"CoCo-Score": _inverse_weights({task: data["mu"][task] for task in tasks})},
            "score": "CoCo-Score",
            "spearman": data["spearman"],
            "other": {"HumanEval": human},
            "other_column": "CG",
        }
    ]


def _inverse_weights(means: Mapping[str, float]) -> dict[str, float]:
    """Return weights proportional to 1/mean: an easy task weighs less."""
    total = sum(1 / mean for mean in means.values())
    return {task: 1 / mean / total for task, mean in means.items()}


def _realistic_tables(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    languages = data["columns"][:5]
    tables = [
        {
            "name": f"realistic-{protocol}",
            "title": f"RealisticCodeBench, {protocol.replace('pass', 'pass@')}",
            "columns": data["columns"],
            "rows": data[protocol],
            "groups": languages,
            "mean_of": {"Average": languages},
            "score": "Average",
        }
        for protocol in ("pass1", "pass3", "pass5")
    ]
    # The two tables name some models differently.
    names = {"DSC": "DSC", "SC2": "SC2", "CG2.5": "CG2.5", "Llama 3.1": "Llama", "Phi-3": "Phi3"}
    joined_rows = {
        name: [*pass3_row, *data["pass5"][names.get(name, name)]]
        for name, pass3_row in data["pass3"].items()
        if names.get(name, name) in data["pass5"]
    }
    columns = [f"{column} pass@{k}" for k in (3, 5) for column in data["columns"]]
    rising = [[f"{column} pass@3", f"{column} pass@5"] for column in data["columns"]]
    tables.append(
        {
            "name": "realistic-pass3-pass5",
            "title": "RealisticCodeBench, pass@3 beside pass@5",
            "columns": columns,
            "rows": joined_rows,
            "rising": rising,
        }
    )
    return tables


def _infi_tables(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    columns = data["columns"]
    levels = columns[1:6]
    types = columns[6:10]
    rows = list(data["rows"].values())
    rows_by_model = {row["model"]: row for row in rows}
    shared = {
        "columns": columns,
        "rows": {row["model"]: row["row"] for row in rows},
        "score": "Overall",
        "model_sizes": {name: row["size"] for name, row in rows_by_model.items()},
        "kinds": {name: row["kind"][0] for name, row in rows_by_model.items()},
        "other": {"HumanEval": {row["model"]: row["humaneval"] for row in rows if row["humaneval"] is not None}},
    }
    return [
        {
            **shared,
            "name": "infi",
            "title": "InfiCoder, by difficulty level",
            "groups": levels,
            "weighted": {"Overall": _problem_shares(levels, data["level_counts"])},
            "seeds": data["seed"],
            "wanted": dict(zip(data["seed"], _INFI_AREAS, strict=True)),
            "quotas": data["table2_tentative"],
        },
        {
            **shared,
            "name": "infi-types",
            "title": "InfiCoder, by type of question",
            "groups": types,
            "weighted": {"Overall": _problem_shares(types, data["type_counts_derived"])},
        },
    ]


def _problem_shares(names: Sequence[str], counts: Sequence[int]) -> dict[str, float]:
    return {name: count / sum(counts) for name, count in zip(names, counts, strict=True)}


# The planned number of questions of each area, in the collection's order.
_INFI_AREAS = (50.0, 50.0, 50.0, 30.0, 20.0)

_COLLECTION: Mapping[str, Callable[[Mapping[str, Any]], list[dict[str, Any]]]] = {
    "domaineval": _domaineval_tables,
    "evocodebench": _evocodebench_tables,
    "coco": _coco_tables,
    "realistic": _realistic_tables,
    "infi": _infi_tables,
}
