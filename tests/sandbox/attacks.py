"""What hostile code tries: each with the outcomes that are right for it."""

from __future__ import annotations

from dataclasses import dataclass, field

ADD = "assert add(1, 2) == 3"
HONEST = "def add(a, b):\n    return a + b\n"
WRONG = "def add(a, b):\n    return 0\n"


@dataclass(frozen=True)
class Attack:
    name: str
    code: str
    outcomes: tuple[str, ...]
    language: str = "python"
    test: str = ADD
    limits: dict[str, float] = field(default_factory=dict)
    fast: bool = True
    """Whether the fast mode withstands it as well."""


TWO_CASES = (
    "import unittest\nclass T(unittest.TestCase):\n"
    "    def test_a(self):\n        self.assertEqual(add(2, 2), 4)\n"
    "    def test_b(self):\n        self.assertEqual(add(1, 2), 3)\n"
)
TWO_TESTS = "import pytest\ndef test_a():\n    assert add(2, 2) == 4\ndef test_b():\n    assert add(1, 2) == 3\n"


def _in_function(body: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"import os, sys, signal, time, threading, ctypes, socket\ndef add(a, b):\n{lines}    return 0\n"


ATTACKS: tuple[Attack, ...] = (
    # -- leaving early
    Attack("exit at import", "import sys\nsys.exit(0)\n", ("fail",)),
    Attack("SystemExit in the function", _in_function("raise SystemExit(0)"), ("fail",)),
    Attack("os._exit in the function", _in_function("os._exit(0)"), ("fail",)),
    Attack("os._exit at import", "import os\nos._exit(0)\n", ("fail",)),
    Attack("exit by atexit", WRONG + "import atexit, os\natexit.register(os._exit, 0)\n", ("fail",)),
    Attack("kill oneself", _in_function("os.kill(os.getpid(), 9)"), ("crash", "fail")),
    # -- time
    Attack("endless loop that ignores SIGTERM",
           _in_function("signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass"), ("timeout",)),
    Attack("sleep", _in_function("time.sleep(60)"), ("timeout",)),
    Attack("stopped process", _in_function("os.kill(os.getpid(), signal.SIGSTOP)"), ("timeout",)),
    # -- output
    Attack("endless stdout", _in_function("while True: print('x' * 1000)"), ("output_limit",)),
    Attack("endless stderr by raw writes", _in_function("while True: os.write(2, b'x' * 65536)"), ("output_limit",)),
    Attack("huge value", _in_function("return 'x' * (1 << 26)"), ("fail", "memory")),
    Attack("deep value", _in_function("x = []\nfor _ in range(100000): x = [x]\nreturn x"), ("fail", "crash")),
    # -- memory
    Attack("memory", _in_function("x = bytearray(1 << 40)"), ("memory",)),
    Attack("memory bit by bit", _in_function("x = []\nwhile True: x.append(bytearray(1 << 20))"), ("memory",)),
    Attack("memory by many processes",
           _in_function("for _ in range(30):\n    if os.fork() == 0:\n        x = bytearray(200 << 20)\n        time.sleep(60)\n"
                        "time.sleep(60)"), ("memory", "timeout", "fail", "crash")),
    Attack("shared memory", _in_function("import mmap\nm = []\nwhile True:\n    p = mmap.mmap(-1, 64 << 20)\n"
                                         "    p.write(b'x' * (64 << 20))\n    m.append(p)"),
           ("memory", "crash", "fail", "timeout")),
    Attack("memory files", _in_function("fds = []\nwhile True:\n    fd = os.memfd_create('x')\n"
                                        "    os.write(fd, b'x' * (32 << 20))\n    fds.append(fd)"),
           ("memory", "crash", "fail", "timeout")),
    Attack("pipe buffers", _in_function("import fcntl\nfds = []\nwhile True:\n    r, w = os.pipe()\n    os.set_blocking(w, False)\n"
                                        "    fcntl.fcntl(w, 1031, 1 << 20)\n    os.write(w, b'x' * (1 << 20))\n    fds += [r, w]"),
           ("fail", "memory")),
    Attack("socket buffers", _in_function("s = []\nwhile True:\n    a, b = socket.socketpair()\n    a.setblocking(False)\n"
                                          "    try:\n        while True: a.send(b'x' * 65536)\n    except BlockingIOError: pass\n"
                                          "    s += [a, b]"), ("fail", "memory")),
    # -- processes
    Attack("fork bomb", _in_function("while True:\n    try: os.fork()\n    except OSError: pass"), ("timeout", "fail", "crash", "memory")),
    Attack("fork and exec race",
           _in_function("while True:\n    try:\n        if os.fork() == 0: os.execv('/bin/sleep', ['sleep', '100'])\n    except OSError: pass"),
           ("timeout", "fail", "crash", "memory")),
    Attack("threads", _in_function("while True: threading.Thread(target=time.sleep, args=(99,)).start()"), ("fail", "memory", "timeout")),
    Attack("daemon", _in_function("if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(100)\n    os._exit(0)"), ("fail",)),
    Attack("daemon that holds stdout", _in_function("if os.fork() == 0:\n    os.setsid()\n    time.sleep(100)"), ("fail",)),
    Attack("shell daemons that ignore signals",
           _in_function("import subprocess\nsubprocess.Popen(['bash', '-c', \"trap '' TERM INT HUP; while true; do sleep 1; done & disown\"])"),
           ("fail",)),
    # -- files
    Attack("fill the folder", _in_function("with open('big', 'wb') as f:\n    while True: f.write(b'x' * (1 << 20))"), ("fail", "crash", "memory")),
    Attack("fill /tmp with files", _in_function("for i in range(1000):\n    with open(f'/tmp/b{i}', 'wb') as f: f.write(b'x' * (16 << 20))"), ("fail", "memory", "crash")),
    Attack("fill /dev/shm", _in_function("for i in range(1000):\n    with open(f'/dev/shm/b{i}', 'wb') as f: f.write(b'x' * (1 << 20))"), ("fail", "memory", "crash")),
    Attack("many files", _in_function("for i in range(10**7): open(f'f{i}', 'w').close()"), ("fail", "timeout")),
    Attack("very deep folders", _in_function("for _ in range(4000):\n    os.mkdir('d')\n    os.chdir('d')"), ("fail",)),
    Attack("folder without rights", _in_function("os.makedirs('a/b/c')\nopen('a/b/c/f', 'w').close()\nfor p in ('a/b/c', 'a/b', 'a'): os.chmod(p, 0)"), ("fail",)),
    Attack("sticky folder", _in_function("os.mkdir('s')\nopen('s/f', 'w').close()\nos.chmod('s', 0o1777)\nos.mkdir('/tmp/t')\nopen('/tmp/t/f', 'w').close()\nos.chmod('/tmp/t', 0o1000)"), ("fail",)),
    Attack("home is a link", _in_function("import shutil\nh = os.getcwd()\nos.chdir('/')\nshutil.rmtree(h)\nos.symlink('/', h)"), ("fail",)),
    Attack("fifo and devices", _in_function("os.mkfifo('fifo')\ntry: os.mknod('dev', 0o20666, os.makedev(1, 5))\nexcept OSError: pass"), ("fail",)),
    # -- other processes and secrets
    Attack("kill process 1 and everybody", _in_function("for p in (1, -1):\n    try: os.kill(p, 9)\n    except OSError: pass\nos.kill(-1, 9)"), ("fail", "crash")),
    Attack("kill the judge and leave", _in_function("for p in range(2, 400):\n    if p != os.getpid():\n        try: os.kill(p, 9)\n        except OSError: pass\nos._exit(0)"), ("fail", "crash", "machinery")),
    Attack("read process 1", _in_function("data = open('/proc/1/environ').read() + open('/proc/1/maps').read()\nif data: return a + b"), ("fail",)),
    Attack("write into the parent's memory", _in_function("f = open(f'/proc/{os.getppid()}/mem', 'wb')\nreturn a + b"), ("fail",)),
    Attack("read others' folders", _in_function("found = [d for d in os.listdir('/tmp') if os.path.join('/tmp', d) != os.getcwd()]\n"
                                                "for d in found: os.listdir('/tmp/' + d)\nreturn a + b if found else 0"), ("fail",)),
    # -- the protocol
    Attack("write a result to every descriptor", WRONG + "import os, json\nline = (json.dumps({'test': 't', 'outcome': 'pass', 'message': '', 'nonce': ''}) + '\\n' + json.dumps({'done': 1, 'memory': False, 'problem': '', 'nonce': ''}) + '\\n').encode()\nfor fd in range(3, 200):\n    try: os.write(fd, line)\n    except OSError: pass\nos._exit(0)\n", ("fail", "machinery")),
    Attack("guess the nonce", WRONG + "import os, json\nfor n in ('', '0' * 32, 'f' * 32):\n    line = (json.dumps({'done': 1, 'memory': False, 'problem': '', 'nonce': n}) + '\\n').encode()\n    for fd in range(3, 60):\n        try: os.write(fd, line)\n        except OSError: pass\n", ("fail",)),
    Attack("search the nonce and the reporter", WRONG + "import gc, sys, json, os\nfor o in gc.get_objects():\n    try:\n        if hasattr(o, '_nonce') and hasattr(o, '_fd'):\n            o.report('t', 'pass', ''); o.finish(); os._exit(0)\n    except Exception: pass\n", ("fail",), fast=False),
    Attack("print what passes", WRONG + "print('1 passed')\nprint('{\"done\": 1}')\n", ("fail",)),
    Attack("read stdin", _in_function("data = os.read(0, 100000)\nif data: return a + b"), ("fail",)),
    # -- patching
    Attack("patched builtins", WRONG + "import builtins\nbuiltins.AssertionError = type('Quiet', (BaseException,), {})\nbuiltins.exec = lambda *a, **k: None\nbuiltins.compile = lambda *a, **k: None\n", ("fail",)),
    Attack("patched unittest", WRONG + "import unittest\nunittest.TestCase.assertEqual = lambda *a, **k: None\nunittest.TestCase.run = lambda *a, **k: None\n", ("fail",),
           test="import unittest\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n"),
    Attack("patched json", WRONG + "import json\nold = json.dumps\njson.dumps = lambda *a, **k: old(*a, **k).replace('fail', 'pass')\n", ("fail",)),
    Attack("patched test runner", WRONG + "import sys\nfor m in list(sys.modules.values()):\n    for n in ('run', '_one', '_collected'):\n        if getattr(m, '__name__', '') == 'testing' and hasattr(m, n):\n            setattr(m, n, lambda s, name, source, names, report, folder: report(name, 'pass', ''))\n", ("fail",)),
    Attack("patched by trace", WRONG + "import sys\ndef tracer(frame, event, arg):\n    if frame.f_code.co_name == 'check': frame.f_trace_lines = False\n    return tracer\nsys.settrace(tracer)\n", ("fail",)),
    Attack("patched by ctypes", WRONG + "import ctypes\ntry:\n    ctypes.pythonapi.PyErr_SetString.restype = None\n    x = 3\n    ctypes.memset(id(x) + 24, 0, 1)\nexcept Exception: pass\n", ("fail", "crash")),
    Attack("check function replaced", WRONG + "import sys\ndef check(candidate): pass\nsys.modules['__main__'].check = check\n", ("fail",),
           test="def check(candidate):\n    assert candidate(1, 2) == 3\ncheck(add)"),
    Attack("skip by unittest", "import unittest\ndef add(a, b):\n    if a == 1: raise unittest.SkipTest('no')\n    return a + b\n", ("fail",), test=TWO_CASES),
    Attack("skip by pytest", "import pytest\ndef add(a, b):\n    if a == 1: pytest.skip('no')\n    return a + b\n", ("fail",), test=TWO_TESTS),
    Attack("expected failure by pytest", "import pytest\ndef add(a, b):\n    if a == 1: pytest.xfail('no')\n    return a + b\n", ("fail",), test=TWO_TESTS),
    Attack("end of pytest", "import pytest\ndef add(a, b):\n    if a == 1: pytest.exit('no', 0)\n    return a + b\n", ("fail",), test=TWO_TESTS),
    Attack("object that equals all", "class Same:\n    def __eq__(self, other): return True\n    def __ne__(self, other): return False\n    def __hash__(self): return 3\ndef add(a, b): return Same()\n", ("fail",), fast=False),
    Attack("number that equals all", "class Same(int):\n    def __eq__(self, other): return True\n    def __ne__(self, other): return False\n    __hash__ = int.__hash__\ndef add(a, b): return Same(0)\n", ("fail",), fast=False),
    Attack("function that is a class", "class add:\n    def __init__(self, a, b): pass\n    def __eq__(self, other): return True\n", ("fail",), fast=False),
    # -- crashes
    Attack("recursion", _in_function("return add(a, b)"), ("fail", "crash")),
    Attack("recursion without limit", _in_function("sys.setrecursionlimit(10**9)\nreturn add(a, b)"), ("fail", "crash", "memory", "timeout")),
    Attack("segmentation fault", _in_function("ctypes.string_at(0)"), ("crash",)),
    Attack("abort", _in_function("os.abort()"), ("crash",)),
    # -- the kernel
    *(
        Attack(f"system call {name}", _in_function(
            f"libc = ctypes.CDLL(None, use_errno=True)\nr = libc.syscall({call})\nif r != -1 and r != 0xffffffffffffffff: return a + b"), ("fail",))
        for name, call in (
            ("setuid 0", "105, 0"), ("unshare user", "272, 0x10000000"), ("clone user", "56, 0x10000000 | 17, 0, 0, 0, 0"),
            ("mount", "165, b'none', b'/tmp', b'tmpfs', 0, 0"), ("chroot", "161, b'/tmp'"), ("ptrace", "101, 0, 0, 0, 0"),
            ("bpf", "321, 0, 0, 0"), ("keyctl", "250, 0, -3, 1"), ("userfaultfd", "323, 0"), ("io_uring", "425, 8, b'0' * 200"),
            ("shmget", "29, 7, 4096, 0o1666"), ("semget", "64, 7, 1, 0o1666"), ("msgget", "68, 7, 0o1666"),
            ("perf_event_open", "298, b'0' * 128, 0, -1, -1, 0"), ("pivot_root", "155, b'/', b'/tmp'"),
            ("read other memory", "310, 1, 0, 0, 0, 0, 0"),
        )
    ),
    Attack("network to outside", _in_function("s = socket.create_connection(('93.184.216.34', 80), 2)\nreturn a + b"), ("fail",)),
    Attack("name look-up", _in_function("socket.getaddrinfo('example.org', 80)\nreturn a + b"), ("fail",)),
    Attack("network to loopback", _in_function("s = socket.create_connection(('127.0.0.1', 2375), 2)\nreturn a + b"), ("fail",)),
    Attack("write to the image", _in_function("open('/opt/annotator/x', 'w')\nreturn a + b"), ("fail",)),
    # -- compilers
    Attack("include /dev/zero", '#include "/dev/zero"\nint add(int a, int b) { return 3; }', ("compile_error", "memory", "timeout", "output_limit"), "c++", "int main() { return add(1, 2) != 3; }", {"compile_s": 3}),
    Attack("include /dev/stdin", '#include "/dev/stdin"\nint add(int a, int b) { return 0; }', ("fail", "compile_error"), "c++", "int main() { return add(1, 2) != 3; }"),
    Attack("template bomb", "template<int N> struct F { static const long v = F<N-1>::v + F<N-2>::v + sizeof(F<N-1>); };\ntemplate<class A, class B> struct P {}; template<int N> struct G { typedef P<typename G<N-1>::t, typename G<N-1>::t> t; };\ntemplate<> struct G<0> { typedef int t; };\nG<25>::t x; int add(int a, int b) { return 0; }",
           ("compile_error", "memory", "timeout", "fail", "output_limit"), "c++", "int main() { return add(1, 2) != 3; }", {"compile_s": 5}),
    Attack("two gigabytes initialised", "int big[500000000] = {1}; int add(int a, int b) { return 0; }", ("compile_error", "memory", "timeout", "fail", "crash"), "c", "int main(void) { return add(1, 2) != 3; }", {"compile_s": 10}),
    Attack("errors without end", "#define A x x x x x x x x x x\n#define B A A A A A A A A A A\n#define C B B B B B B B B B B\n#define D C C C C C C C C C C\n#define E D D D D D D D D D D\nE\n", ("compile_error", "timeout", "output_limit", "memory"), "c", "int main(void) { return 0; }", {"compile_s": 5}),
    # -- other languages: loop, memory, processes, exit, output
    *(
        # What must end by another limit gets time for it: on a busy machine two seconds may pass first.
        Attack(
            f"{what} in {language}", code, outcomes, language, test,
            {"wall_s": 2 if "timeout" in outcomes else 20, "memory_mb": 256},
        )
        for language, test, rows in (
            ("java", "class Main { public static void main(String[] a) { if (S.add(1, 2) != 3) throw new AssertionError(); } }", (
                ("memory", "class S { static int add(int a, int b) { java.util.List<long[]> x = new java.util.ArrayList<>(); while (true) x.add(new long[1 << 20]); } }", ("memory",)),
                ("exit", "class S { static int add(int a, int b) { Runtime.getRuntime().halt(0); return 3; } }", ("fail",)),
                ("output", "class S { static int add(int a, int b) { String x = \"x\".repeat(1 << 20); while (true) System.out.println(x); } }", ("output_limit",)),
                ("threads", "class S { static int add(int a, int b) { while (true) new Thread(() -> { try { Thread.sleep(99999); } catch (Exception e) {} }).start(); } }", ("memory", "fail", "timeout", "crash")),
            )),
            ("javascript", "if (add(1, 2) !== 3) throw new Error('no')", (
                ("memory", "function add() { const x = []; for (;;) x.push(new Array(1e6).fill(1)); }", ("memory",)),
                ("exit", "function add() { process.reallyExit(0); }", ("fail",)),
                ("output", "function add() { const x = 'x'.repeat(1 << 20); for (;;) require('fs').writeSync(1, x); }", ("output_limit",)),
                ("processes", "function add() { for (;;) { try { require('child_process').spawn('sleep', ['99']); } catch (e) {} } }", ("timeout", "memory", "fail", "crash")),
            )),
            ("go", "func main() { if add(1, 2) != 3 { panic(1) } }", (
                ("memory", "func add(a, b int) int { var x [][]byte; for { y := make([]byte, 1<<24); for i := range y { y[i] = 1 }; x = append(x, y) } }", ("memory", "crash")),
                ("exit", "import \"syscall\"\nfunc add(a, b int) int { syscall.Exit(0); return 3 }", ("fail",)),
                ("output", "import \"os\"\nfunc add(a, b int) int { x := make([]byte, 1<<20); for { os.Stdout.Write(x) } }", ("output_limit",)),
            )),
            ("r", "stopifnot(add(1, 2) == 3)", (
                ("memory", "add <- function(a, b) { x <- list(); repeat x[[length(x) + 1]] <- numeric(1e7) + 1 }", ("memory", "crash", "timeout")),
                ("exit", "add <- function(a, b) q('no', 0)", ("fail",)),
                ("output", "add <- function(a, b) { x <- strrep('x', 1e6); repeat cat(x) }", ("output_limit",)),
            )),
            ("c#", "class P { static void Main() { if (S.Add(1, 2) != 3) throw new System.Exception(); } }", (
                ("memory", "class S { public static int Add(int a, int b) { var x = new System.Collections.Generic.List<byte[]>(); while (true) { var y = new byte[1 << 24]; for (int i = 0; i < y.Length; i += 4096) y[i] = 1; x.Add(y); } } }", ("memory", "crash", "fail")),
                ("exit", "class S { public static int Add(int a, int b) { System.Diagnostics.Process.GetCurrentProcess().Kill(); return 3; } }", ("fail", "crash")),
                ("output", "class S { public static int Add(int a, int b) { var x = new string('x', 1 << 20); while (true) System.Console.WriteLine(x); } }", ("output_limit",)),
            )),
            ("bash", "[ \"$(add 1 2)\" = 3 ] || exit 1", (
                ("fork bomb", ":(){ :|:& };:", ("fail", "timeout", "memory", "crash")),
                ("output", "while true; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done", ("output_limit", "timeout")),
                ("exit", "trap 'exit 0' EXIT; exit 0", ("fail",)),
            )),
        )
        for what, code, outcomes in rows
    ),
)  # fmt: skip
