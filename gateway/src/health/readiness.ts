import type { AgentMemory } from "@membus/agent-client";
import { type Clock, isMemoryError } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";

/** Time limit in milliseconds. Most orchestrators give up after a second. */
const TIMEOUT_MS = 900;
/** Seconds for which a result is cached, so that callers cannot flood the host. */
const KNOWN_FOR_S = 1;

export interface ReadinessDependencies {
  readonly bus: Pick<Bus, "state">;
  readonly clock: Clock;
  /** Returns the memory of an agent, to ping its host. */
  memory(): Promise<AgentMemory>;
  isStopping(): boolean;
}

/** Tests whether the gateway can serve requests. */
export class Readiness {
  readonly #dependencies: ReadinessDependencies;
  #asked: { readonly at: number; readonly problem: Promise<string | undefined> } | undefined;

  constructor(dependencies: ReadinessDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns why the gateway cannot serve requests, undefined if it can. */
  async problem(): Promise<string | undefined> {
    const { bus, clock, isStopping } = this.#dependencies;
    if (isStopping()) return "stopping";
    if (bus.state !== "connected") return "not connected to NATS";
    const now = clock.now();
    if (this.#asked === undefined || now - this.#asked.at >= KNOWN_FOR_S) {
      this.#asked = { at: now, problem: this.#askHost() };
    }
    return this.#asked.problem;
  }

  async #askHost(): Promise<string | undefined> {
    try {
      await (await this.#dependencies.memory()).ping({ timeoutMs: TIMEOUT_MS });
      return undefined;
    } catch (error) {
      // An overloaded host is running.
      if (isMemoryError(error) && error.code === "overloaded") return undefined;
      return `no host answers: ${isMemoryError(error) ? error.code : "runtime_error"}`;
    }
  }
}
