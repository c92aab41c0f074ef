"""What a job may not do: system calls refused for good, limits, a user of its own."""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import struct
from typing import Any

_PR_SET_DUMPABLE, _PR_SET_SECCOMP = 4, 22
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38
_ALLOW, _EPERM, _ENOSYS, _EAFNOSUPPORT = 0x7FFF0000, 0x00050001, 0x00050026, 0x00050061
_LOAD, _EQUAL, _AT_LEAST, _TEST_BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NEW_NAMESPACES = 0x7E020000
_X32 = 0x40000000
_FAMILIES = (1, 2, 10, 16)
"""Sockets are of AF_UNIX, AF_INET, AF_INET6 or AF_NETLINK: a network namespace does not confine all others."""

# Numbers of the system calls by machine: (audit architecture, clone, clone3, (socket, socketpair), refused).
# Refused: System V IPC and POSIX queues (they outlive a job), io_uring, ptrace and reading other memory, bpf, keys,
# perf, userfaultfd, namespaces, mounts, chroot, handles, kernel modules, clocks.
_MACHINES: dict[str, tuple[int, int, int, tuple[int, int], tuple[int, ...]]] = {
    "x86_64": (
        0xC000003E,
        56,
        435,
        (41, 53),
        (
            29, 30, 31, 64, 65, 66, 67, 68, 69, 70, 71, 101, 135, 153, 155, 159, 161, 163, 164, 165, 166, 167, 168, 169,
            170, 171, 172, 173, 174, 175, 176, 180, 212, 220, 227, 240, 241, 242, 243, 244, 245, 246, 248, 249, 250,
            272, 298, 300, 301, 303, 304, 305, 308, 310, 311, 312, 313, 320, 321, 323, 425, 426, 427, 428, 429, 430,
            431, 432, 433, 438, 442,
        ),
    ),
    "aarch64": (
        0xC00000B7,
        220,
        435,
        (198, 199),
        (
            18, 39, 40, 41, 51, 58, 60, 89, 92, 97, 104, 105, 106, 112, 117, 142, 161, 162, 170, 171, 180, 181, 182,
            183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 217, 218, 219, 224, 225, 241,
            262, 263, 264, 265, 266, 268, 270, 271, 272, 273, 280, 282, 294, 425, 426, 427, 428, 429, 430, 431, 432,
            433, 438, 442,
        ),
    ),
}  # fmt: skip

_libc = ctypes.CDLL(None, use_errno=True)
_libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4


def _prctl(option: int, a: int = 0, b: int = 0) -> None:
    if _libc.prctl(option, a, b, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}")


def _instruction(code: int, yes: int, no: int, value: int) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)


def _filter() -> bytes:
    """Return the program: what is refused gets "not permitted", clone3 "not there" (the C library then uses clone)."""
    architecture, clone, clone3, (socket, socketpair), refused = _MACHINES[platform.machine()]
    steps = [
        _instruction(_LOAD, 0, 0, 4),
        _instruction(_EQUAL, 1, 0, architecture),
        _instruction(_RETURN, 0, 0, _EPERM),
        _instruction(_LOAD, 0, 0, 0),
    ]
    if architecture == 0xC000003E:
        steps += [_instruction(_AT_LEAST, 0, 1, _X32), _instruction(_RETURN, 0, 0, _EPERM)]
    steps += [_instruction(_EQUAL, 0, 1, clone3), _instruction(_RETURN, 0, 0, _ENOSYS)]
    for number in refused:
        steps += [_instruction(_EQUAL, 0, 1, number), _instruction(_RETURN, 0, 0, _EPERM)]
    steps += [
        _instruction(_EQUAL, 1, 0, socket),
        _instruction(_EQUAL, 0, len(_FAMILIES) + 3, socketpair),
        _instruction(_LOAD, 0, 0, 16),
        *(_instruction(_EQUAL, jump, 0, family) for jump, family in zip((4, 3, 2, 1), _FAMILIES, strict=True)),
        _instruction(_RETURN, 0, 0, _EAFNOSUPPORT),
        _instruction(_RETURN, 0, 0, _ALLOW),
        _instruction(_EQUAL, 0, 3, clone),
        _instruction(_LOAD, 0, 0, 16),
        _instruction(_TEST_BITS, 0, 1, _NEW_NAMESPACES),
        _instruction(_RETURN, 0, 0, _EPERM),
        _instruction(_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(steps)


def refuse_system_calls() -> str:
    """Refuse dangerous system calls in this process and all it will start; returns why not, or nothing."""
    if platform.machine() not in _MACHINES:
        return f"no system call filter for {platform.machine()}"
    program = _filter()
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(buffer))
    holder = ctypes.create_string_buffer(header, len(header))
    try:
        _prctl(_PR_SET_NO_NEW_PRIVS, 1)
        _prctl(_PR_SET_SECCOMP, 2, ctypes.addressof(holder))
    except OSError as error:
        return f"the system call filter could not be set ({error})"
    return ""


def give_back_memory() -> None:
    """Give memory that is free to the kernel: every page that is there is copied by every fork."""
    trim = getattr(_libc, "malloc_trim", None)
    if trim is not None:
        trim(0)


def become_reaper() -> None:
    """Take over the orphans of this process's descendants, as process 1 does without asking."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def hide() -> None:
    """Forbid others of the same user to look into this process."""
    _prctl(_PR_SET_DUMPABLE, 0)


def _lower(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (limit, limit))


def limit(limits: dict[str, Any], *, data: bool) -> None:
    """Set this process's limits; ``data`` limits memory by process too (not for runtimes that reserve much)."""
    mega = 1024 * 1024
    seconds = max(1, int(limits["cpu_s"] + 0.999))
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    top = seconds + 1 if hard == resource.RLIM_INFINITY else min(seconds + 1, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (min(seconds, top), top))
    _lower(resource.RLIMIT_NPROC, limits["processes"])
    _lower(resource.RLIMIT_FSIZE, limits["file_mb"] * mega)
    _lower(resource.RLIMIT_NOFILE, 512)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_STACK, 16 * mega)
    if data:
        _lower(resource.RLIMIT_DATA, limits["memory_mb"] * mega)


def become(uid: int | None) -> None:
    """Be the first to go when memory runs out, and another user from here on (None: nobody else to be)."""
    try:
        fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(fd, b"1000")
        os.close(fd)
    except OSError:
        pass
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
