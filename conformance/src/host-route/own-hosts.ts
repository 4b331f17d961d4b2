import { randomBytes } from "node:crypto";
import { systemClock, withTimeout } from "@membus/protocol";
import type { OwnHostParts } from "../context.js";
import { ShiftingClock } from "../fixtures/shifting-clock.js";
import type { HostUnderTest, StartedHost } from "./host-under-test.js";

/** Repeated clock steps that end all timeouts of a host. */
const IMPATIENCE = { seconds: 600, everyMs: 5, rounds: 200 } as const;

interface OwnStarted extends StartedHost {
  readonly prefix: string;
  readonly clock: ShiftingClock;
}

/** Hosts that one check started. */
export class OwnHosts {
  readonly #implementation: HostUnderTest;
  readonly #started: OwnStarted[] = [];

  constructor(implementation: HostUnderTest) {
    this.#implementation = implementation;
  }

  async start(parts: OwnHostParts): Promise<OwnStarted> {
    const prefix = `conformance-${randomBytes(5).toString("hex")}`;
    const clock = new ShiftingClock();
    const host = await this.#implementation.startHost!({ prefix, clock, ...parts });
    const started = { prefix: parts.prefix ?? prefix, clock, stop: () => host.stop() };
    this.#started.push(started);
    return started;
  }

  /** Stops all hosts, including those that wait for a plugin which a failed check still blocks. */
  async close(): Promise<void> {
    await Promise.all(this.#started.splice(0).map(stopImpatiently));
  }
}

async function stopImpatiently({ clock, stop }: OwnStarted): Promise<void> {
  const stopped = stop().then(
    () => true,
    () => true,
  );
  for (let round = 0; round < IMPATIENCE.rounds; round++) {
    if (await withTimeout(systemClock, IMPATIENCE.everyMs, stopped)) return;
    clock.advance(IMPATIENCE.seconds);
  }
}
