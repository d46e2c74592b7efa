"""Runs a model from options to its final record."""

from collections.abc import Callable
from importlib import import_module
from typing import Protocol

from toolkit.servers.control import Control
from toolkit.servers.figures import ServerFigures
from toolkit.servers.options import ServeOptions
from toolkit.servers.requests import load_parser


class Server(Protocol):
    """What a model is: made with a Control, it listens; `run` serves until the exit has been obeyed."""

    def run(self) -> None: ...


_MODELS = {
    "half-sync": ("half_sync", "HalfSyncServer"),
    "half-reactor": ("half_reactor", "HalfReactorServer"),
    "reactor": ("reactor", "ReactorServer"),
    "leader-follower": ("leader_follower", "LeaderFollowerServer"),
    "reuseport": ("reuseport", "ReuseportServer"),
    "exclusive": ("exclusive", "ExclusiveServer"),
    "pool": ("pool", "PoolServer"),
}


def model_named(name: str) -> Callable[[Control], Server]:
    """The class of a model; only that one is imported."""
    module, class_name = _MODELS[name]
    found: Callable[[Control], Server] = getattr(import_module(f"toolkit.servers.{module}"), class_name)
    return found


def serve(
    options: ServeOptions,
    when_listening: Callable[[ServerFigures], None] = lambda _figures: None,
    when_due: Callable[[ServerFigures], None] = lambda _figures: None,
) -> ServerFigures:
    """Serves in the calling thread, which must be the main one, until SIGINT or SIGTERM; the final record.

    Raises:
        CannotListen: the address cannot be had.
        ParserMissingError: httptools is not installed.
        WorkersKeepDyingError: processes die as soon as they are born.
        TimeoutError: a worker did not end.
    """
    if options.model != "pool":
        load_parser()  # before anything listens, and before there are processes to say it one by one
    with Control(options, when_listening, when_due) as control:
        server = model_named(options.model)(control)
        server.run()
        return control.figures.record(final=True)
