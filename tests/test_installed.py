"""Under tox it is the wheel that is tested: the checkout's toolkit/ must not stand in front of it."""

import hashlib
import importlib.metadata
import os
import sys
import zipfile
from pathlib import Path

import pytest

import toolkit

WHEEL = os.environ.get("TOX_PACKAGE")

pytestmark = pytest.mark.skipif(WHEEL is None, reason="not under tox: whatever is importable is tested")


def test_toolkit_comes_from_this_environment() -> None:
    location = Path(toolkit.__file__).resolve()
    assert location.is_relative_to(Path(sys.prefix).resolve())
    assert "site-packages" in location.parts


def test_nothing_of_the_checkout_is_on_the_path() -> None:
    checkout = Path(__file__).resolve().parent.parent
    assert checkout not in {Path(entry).resolve() for entry in sys.path}


@pytest.mark.skipif(sys.platform != "linux", reason="the compiled module is for Linux")
def test_the_one_abi3_wheel_is_what_was_installed() -> None:
    assert "-cp310-abi3-" in Path(str(WHEEL)).name
    [tags] = [file for file in importlib.metadata.files("evkit") or () if file.name == "WHEEL"]
    assert "Tag: cp310-abi3-linux_" in tags.read_text()
    from toolkit.ffi import _linux

    with zipfile.ZipFile(str(WHEEL)) as wheel:
        built = wheel.read("toolkit/ffi/_linux.abi3.so")
    assert hashlib.sha256(Path(_linux.__file__).read_bytes()).digest() == hashlib.sha256(built).digest()
