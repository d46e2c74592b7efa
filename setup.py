"""What pyproject.toml cannot say: which compiled module a platform gets, and the wheel's tag.

Linux gets one abi3 extension built from cdefs/. Windows needs no compiler: its bindings are a generated
Python module, but the wheel still carries a platform tag so that nobody installs it where it has no bindings.
``EVKIT_TARGET=win_amd64`` builds the Windows wheel from any system.
"""

import os
import sys
import sysconfig
from typing import Any

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel


class PlatformWheel(bdist_wheel):
    """A wheel without compiled code that is nevertheless for one platform only."""

    def get_tag(self) -> tuple[str, str, str]:
        target = os.environ.get("EVKIT_TARGET")
        if target is None and sys.platform == "linux":
            return super().get_tag()
        return "py3", "none", target or sysconfig.get_platform().replace("-", "_").replace(".", "_")


options: dict[str, Any] = {}
if sys.platform == "linux" and "EVKIT_TARGET" not in os.environ:
    options["cffi_modules"] = ["cdefs/build_ffi.py:linux"]
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):  # the limited API does not exist there
        options["options"] = {"bdist_wheel": {"py_limited_api": "cp310"}}

setup(cmdclass={"bdist_wheel": PlatformWheel}, **options)
