"""Turns of the memory provider for Hermes Agent: each line on standard input is a message of the user, as JSON.

Prints what the model reads before the next turn. The argument is the command of the hook, as JSON."""

from __future__ import annotations

import json
import sys

from hermes_plugin import stand_in

stand_in()

from membus.hermes import MembusMemoryProvider


def main() -> None:
    provider = MembusMemoryProvider(json.loads(sys.argv[1]))
    provider.initialize("s-1", platform="cli")
    for line in sys.stdin:
        message = json.loads(line)
        provider.sync_turn(message, "Done.")
        print(json.dumps(provider.prefetch("Hello there")), flush=True)
    provider.shutdown()


if __name__ == "__main__":
    main()
