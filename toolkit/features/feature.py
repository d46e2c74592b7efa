"""The record of one probe."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Feature:
    """One thing a platform may offer.

    Attributes:
        name: as cases and users name it, such as `epoll_pwait2`.
        primitive: what it belongs to.
        available: whether the call worked just now.
        value: a limit or a setting, where there is one.
        reason: why it is missing, or what to know about it.
        about: what it is for, in a few words.
    """

    name: str
    primitive: str
    available: bool
    value: str | None = None
    reason: str | None = None
    about: str | None = None
    type: str = field(default="feature", init=False)
