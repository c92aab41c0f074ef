"""Compare programs by their time on growing inputs and by their compiled code (inside the sandbox)."""

import dis
import hashlib
import itertools
import types

from annotator_common import CLOCK, DUMPS, Alarm, OverError, compiled, drawn, loaded, named

FEWEST_RUNS = 3
"""One slow run may be the machine's; so many of them are the program's."""


def measure(task):
    """Time programs on growing inputs: the least of several runs each, fresh input each, runs interleaved."""
    from annotator_values import UnsupportedError, encode

    maker = types.ModuleType("workload")
    exec(compiled(task["workload"], "workload.py"), maker.__dict__)
    programs = [compiled(text) for text in task["codes"]]
    times, equal = [[] for _ in programs], []
    for size in task["sizes"]:
        best = [float("inf")] * len(programs)
        outputs = [None] * len(programs)
        for number in range(task["repeats"]):
            # The order turns, so that neither program always runs after the other.
            for index, program in list(enumerate(programs))[:: -1 if number % 2 else 1]:
                # A fresh module, so that a cache of one run does not serve the next.
                function = getattr(loaded(program), task["entry"])
                arguments = maker.workload(size)
                try:
                    with Alarm(task["limit_s"]):
                        started = CLOCK()
                        value = drawn(function(*arguments))
                        took = CLOCK() - started
                except OverError:
                    took, value = task["limit_s"], None
                    outputs[index] = "over"
                except (Exception, SystemExit) as error:
                    return {"load": named(error)}
                best[index] = min(best[index], took)
                if outputs[index] is None:
                    try:
                        outputs[index] = DUMPS(encode(value), sort_keys=True)
                    except UnsupportedError as error:
                        return {"load": f"UnsupportedError: {error}"}
            if number + 1 >= FEWEST_RUNS and max(best) > task["limit_s"] / 4:
                break
        for index in range(len(programs)):
            times[index].append(best[index])
        done = [text for text in outputs if text != "over"]
        equal.append(len(set(done)) <= 1)
    return {"load": "", "times": times, "equal": equal}


def fingerprints(task):
    """Return a hash of each program's compiled code, or null where it does not compile."""
    return {"load": "", "marks": [_fingerprint(text) for text in task["codes"]]}


def _fingerprint(text):
    try:
        program = compiled(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    digest = hashlib.sha256()
    _feed(program, digest)
    return digest.hexdigest()


def _feed(code, digest):
    instructions = [item for item in dis.get_instructions(code) if item.opname not in ("NOP", "CACHE", "EXTENDED_ARG")]
    places = {item.offset: number for number, item in enumerate(instructions)}
    jumps = set(dis.hasjrel) | set(dis.hasjabs)
    following = {id(item): after.argval for item, after in itertools.pairwise(instructions)}
    for item in instructions:
        value = item.argval
        if isinstance(value, types.CodeType):
            digest.update(f"{item.opname} code\0".encode())
            _feed(value, digest)
        elif item.opcode in jumps:
            target = next((places[at] for at in range(value, value + 400, 2) if at in places), -1)
            digest.update(f"{item.opname} {target}\0".encode())
        elif item.opcode in dis.hasconst:
            documents = following.get(id(item)) == "__doc__"
            shown = "docstring" if documents else f"{type(value).__name__} {value!r}"
            digest.update(f"{item.opname} {shown}\0".encode())
        else:
            digest.update(f"{item.opname} {value!r}\0".encode("utf-8", "replace"))
    handlers = [
        (places.get(item.start), places.get(item.target), item.depth, item.lasti)
        for item in getattr(dis.Bytecode(code), "exception_entries", ())
    ]
    names = (code.co_name, code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], code.co_flags, handlers)
    digest.update(repr(names).encode("utf-8", "replace"))


# -- queries -----------------------------------------------------------------------------------------------------

_ROWS = 200


def run_queries(task):
    """Run a query on each of several sets of tables; the rows of its last statement, or of the view it makes."""
    return {"load": "", "results": [_rows(setup, task["code"], task["limit_s"]) for setup in task["setups"]]}


def _rows(setup, code, limit_s):
    import sqlite3

    base = sqlite3.connect(":memory:", isolation_level=None)
    denied = (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH)
    base.set_authorizer(lambda action, *_: sqlite3.SQLITE_DENY if action in denied else sqlite3.SQLITE_OK)
    end = CLOCK() + limit_s
    base.set_progress_handler(lambda: CLOCK() > end, 1000)
    try:
        base.executescript(setup)
        rows, kinds = [], None
        for statement in code:
            cursor = base.execute(statement["text"])
            kinds = cursor.description
            rows = cursor.fetchmany(_ROWS + 1) if kinds else []
            if statement["view"]:
                cursor = base.execute(f'SELECT * FROM "{statement["view"]}"')
                kinds, rows = cursor.description, cursor.fetchmany(_ROWS + 1)
    except sqlite3.Error as error:
        return {"timeout": True} if "interrupted" in str(error) else {"raises": type(error).__name__}
    finally:
        base.close()
    plain = all(isinstance(value, (int, float, str, type(None))) for row in rows for value in row)
    if not kinds or not plain or len(rows) > _ROWS:
        return {"unsupported": "the query gives no rows of plain values"}
    return {"output": [[{"$f": repr(value)} if isinstance(value, float) else value for value in row] for row in rows]}
