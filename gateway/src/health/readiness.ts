import type { AgentMemory } from "@membus/agent-client";
import { type Bus, type Clock, isMemoryError } from "@membus/protocol";

/** An orchestrator gives up after a second, mostly. */
const TIMEOUT_MS = 900;
/** Anybody may ask: the host is asked no more often. */
const KNOWN_FOR_S = 1;

export interface ReadinessDependencies {
  readonly bus: Pick<Bus, "state">;
  readonly clock: Clock;
  /** Of an agent whose host is asked whether it answers. */
  memory(): Promise<AgentMemory>;
  isStopping(): boolean;
}

/** Whether what is asked of the gateway can be answered. */
export class Readiness {
  readonly #dependencies: ReadinessDependencies;
  #asked: { readonly at: number; readonly problem: Promise<string | undefined> } | undefined;

  constructor(dependencies: ReadinessDependencies) {
    this.#dependencies = dependencies;
  }

  /** Why not, if it cannot. */
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
      // One that has much to do is there.
      if (isMemoryError(error) && error.code === "overloaded") return undefined;
      return `no host answers: ${isMemoryError(error) ? error.code : "runtime_error"}`;
    }
  }
}
