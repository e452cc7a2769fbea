"""Use cases over protocols: one async core, and a blocking handle over it."""

from sparknb.host.approval import FlagApprover
from sparknb.host.handle import Spark
from sparknb.host.host import Host

__all__ = ["FlagApprover", "Host", "Spark"]
