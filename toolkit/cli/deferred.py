"""Modules that typer imports at once and uses for what we do not do: imported when somebody first uses them.

They are a tenth of what importing typer costs. `importlib.util.LazyLoader` does not help: in CPython up to 3.11 the
import statement itself looks at `__spec__`, which makes it load.
"""

import importlib
import sys
from types import ModuleType


class _Deferred(ModuleType):
    """Stands for a module until one of its names is asked for; from then on it has them all."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # the import system asks for `__spec__` and `__path__`: no use yet
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        self.__dict__.update(vars(importlib.import_module(self.__name__)))
        return object.__getattribute__(self, name)


def import_typer() -> None:
    """Imports typer without what it uses to open a browser, to install completion, and for parameters of type UUID.

    Whoever imports those modules afterwards gets the real ones. No command here has a UUID for a parameter, and typer
    only compares a parameter's type with that class.
    """
    deferred = {name: _Deferred(name) for name in ("platform", "shellingham", "subprocess", "uuid")}
    # the real uuid also starts by asking `platform` for the system
    vars(deferred["uuid"])["UUID"] = type("UUID", (), {})
    before = {name: sys.modules[name] for name in deferred if name in sys.modules}
    sys.modules.update(deferred | before)
    try:
        importlib.import_module("typer")
    finally:
        for name, module in deferred.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
