"""What this platform offers, found out by trying: never derived from a version string."""

from toolkit.features.feature import Feature
from toolkit.features.probes import PROBES, probe, probe_all

__all__ = ["PROBES", "Feature", "probe", "probe_all"]
