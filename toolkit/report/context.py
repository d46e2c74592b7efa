"""The `run` record: on what, by what and with which seed something ran, so that two runs can be compared."""

import os
import platform
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from toolkit.ffi.wine import wine_version
from toolkit.records import SCHEMA_VERSION
from toolkit.version import VERSION

# What bounds or bends the primitives' behaviour: epoll(7) "/proc interfaces", proc_sys_fs(5), signal(7) queue limits,
# listen(2), ptrace(2) (kcmp and foreign fdinfo need it).
SYSCTLS = (
    "fs.epoll.max_user_watches",
    "fs.file-max",
    "fs.nr_open",
    "kernel.io_uring_disabled",
    "kernel.threads-max",
    "kernel.yama.ptrace_scope",
    "net.core.somaxconn",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_migrate_req",
)
LIMITS = ("NOFILE", "NPROC", "SIGPENDING")


@dataclass(frozen=True)
class Context:
    """The environment. `sysctls` and `limits` hold text as the system shows it (values go beyond 2^53)."""

    kernel: str
    arch: str
    python: str
    cpus: int
    container: str | None = None
    libc: str | None = None
    sysctls: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """The first record of every run."""

    argv: tuple[str, ...]
    context: Context
    seed: int | None = None
    schema_version: int = SCHEMA_VERSION
    tool: str = "evkit"
    version: str = VERSION
    type: str = field(default="run", init=False)


def describe_run(argv: Sequence[str], seed: int | None = None) -> Run:
    """The record for a run of this process, as started with `argv`."""
    return Run(argv=tuple(argv), seed=seed, context=describe_context())


def describe_context() -> Context:
    """Looks at this machine. Reads files only: nothing is started."""
    libc, libc_version = platform.libc_ver() if sys.platform == "linux" else ("", "")
    return Context(
        kernel=f"{platform.system()} {platform.release()} {platform.version()}" + _below(),
        arch=platform.machine(),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        cpus=usable_cpus(),
        container=find_container(),
        libc=f"{libc} {libc_version}" if libc else None,
        sysctls=dict(read_sysctls(SYSCTLS)) if sys.platform == "linux" else {},
        limits=dict(read_limits(LIMITS)),
    )


def _below() -> str:
    """` (Wine 8.0)` where that is what Windows runs on."""
    wine = wine_version()
    return f" (Wine {wine})" if wine else ""


def usable_cpus() -> int:
    """The CPUs this process may run on, which in a container or under taskset(1) are fewer than the machine has."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def read_sysctls(names: Iterable[str], root: Path = Path("/proc/sys")) -> Iterable[tuple[str, str]]:
    """Name and value of each sysctl that exists and may be read; white space between values made single."""
    for name in names:
        words = _read(root / name.replace(".", "/")).split()
        if words:
            yield name, " ".join(words)


def read_limits(names: Iterable[str]) -> Iterable[tuple[str, str]]:
    """`soft:hard` of each resource limit this platform has (getrlimit(2))."""
    if sys.platform == "win32":
        return
    import resource

    for name in names:
        number = getattr(resource, f"RLIMIT_{name}", None)
        if number is not None:
            shown = (
                "unlimited" if n == resource.RLIM_INFINITY else str(n) for n in resource.getrlimit(number)
            )
            yield name.lower(), ":".join(shown)


def find_container(root: Path = Path("/")) -> str | None:
    """What contains this system, by its own marks, with systemd-detect-virt(1)'s names where it has one.

    `none` where there is no mark; None where the question has no meaning (not Linux).
    """
    if sys.platform != "linux":
        return None
    # gVisor shows a made-up kernel, whose version string never changes (gvisor: pkg/sentry/syscalls/linux/linux64.go).
    kernel = _read(root / "proc/version").lower()
    if "gvisor" in kernel or "sun jan 10 15:06:54 pst 2016" in kernel:
        return "gvisor"
    if "microsoft" in kernel:
        return "wsl"
    if (root / "run/systemd/container").exists():
        return _read(root / "run/systemd/container").strip() or "container-other"
    marks = {".dockerenv": "docker", "run/.containerenv": "podman"}
    named = next((manager for mark, manager in marks.items() if (root / mark).exists()), None)
    cgroups = _read(root / "proc/1/cgroup")
    return named or next(
        (name for name in ("kubepods", "docker", "lxc", "libpod") if name in cgroups), "none"
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
