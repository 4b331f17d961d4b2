"""The memory of Hermes Agent over membus. Requires hermes-agent 0.19.0 and the command `membus`.

Hermes finds memory providers in `$HERMES_HOME/plugins`. A file `membus/__init__.py` there contains

    from membus.hermes import register  # register_memory_provider

and `memory.provider: membus` in its `config.yaml` selects it.
"""

from ._provider import MembusMemoryProvider, register

__all__ = ["MembusMemoryProvider", "register"]
