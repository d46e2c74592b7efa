"""The run record, against what the machine says through other tools."""

import json
import os
import platform
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from toolkit.report import context
from toolkit.report.context import describe_run, find_container, read_sysctls
from toolkit.report.jsonl import to_line

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="compares with Linux tools")


def test_it_says_what_uname_getconf_and_sysctl_say() -> None:
    found = json.loads(to_line(describe_run(["evkit", "case"], seed=9)))
    assert found["argv"] == ["evkit", "case"]
    assert found["seed"] == 9
    seen = found["context"]
    uname = subprocess.run(["uname", "-srv"], capture_output=True, text=True, check=True).stdout.strip()
    assert seen["kernel"] == uname
    assert seen["arch"] == os.uname().machine
    assert seen["python"].endswith(platform.python_version())
    if Path("/usr/bin/ldd").exists() and seen["libc"].startswith("glibc"):
        version = subprocess.run(["ldd", "--version"], capture_output=True, text=True, check=True).stdout
        assert seen["libc"].split()[1] in version
    assert seen["sysctls"]["fs.nr_open"] == Path("/proc/sys/fs/nr_open").read_text().strip()
    assert "\t" not in seen["sysctls"]["net.ipv4.ip_local_port_range"]


def test_cpus_are_those_this_process_may_use() -> None:
    one = min(os.sched_getaffinity(0))
    code = "from toolkit.report.context import describe_context; print(describe_context().cpus)"
    only = ["taskset", "-c", str(one), sys.executable, "-c", code]
    assert subprocess.run(only, capture_output=True, text=True, check=True).stdout == "1\n"


def test_limits_are_this_process_s() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    code = "from toolkit.report.context import describe_context; print(describe_context().limits['nofile'])"
    lowered = ["sh", "-c", 'ulimit -Sn 64; exec "$0" -c "$1"', sys.executable, code]
    assert subprocess.run(lowered, capture_output=True, text=True, check=True).stdout == f"64:{hard}\n"
    assert soft != 64


def test_an_unreadable_sysctl_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "fs").mkdir()
    (tmp_path / "fs/nr_open").write_text("1\t2\n")
    assert dict(read_sysctls(["fs.nr_open", "fs.absent"], tmp_path)) == {"fs.nr_open": "1 2"}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (".dockerenv", "", "docker"),
        ("run/.containerenv", "", "podman"),
        ("run/systemd/container", "lxc\n", "lxc"),
        ("run/systemd/container", "", "container-other"),
        ("proc/version", "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016\n", "gvisor"),
        ("proc/version", "Linux version 5.15.90.1-microsoft-standard-WSL2 (x)\n", "wsl"),
        ("proc/1/cgroup", "0::/kubepods.slice/pod1\n", "kubepods"),
        ("proc/1/cgroup", "0::/init.scope\n", "none"),
    ],
)
def test_a_container_is_known_by_its_marks(tmp_path: Path, name: str, text: str, expected: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(text)
    assert find_container(tmp_path) == expected


def test_every_sysctl_named_is_one_the_kernel_documents_or_has() -> None:
    missing = [name for name in context.SYSCTLS if not (Path("/proc/sys") / name.replace(".", "/")).exists()]
    assert set(missing) <= {
        "kernel.yama.ptrace_scope",
        "kernel.io_uring_disabled",
        "net.ipv4.tcp_migrate_req",
    }
