import type { AgentMemory, Watch } from "@membus/agent-client";
import type { Clock, MemoryEvent } from "@membus/protocol";
import { GRAPH_URI } from "./graph/graph-tools.js";
import { memoryUri } from "./memory-uri.js";

const GATHER_MS = 50;

/** Who tells a client of what has changed. */
export interface ChangeListener {
  resourceUpdated(uri: string): void;
  resourcesChanged(): void;
}

/** What happens to memories, by whomever, as notices of resources: what comes at once is gathered for a moment. */
export class ChangeNotices {
  readonly #listeners = new Set<ChangeListener>();
  readonly #clock: Clock;
  readonly #isGraph: boolean;
  #changed = new Set<string>();

  constructor(isGraph: boolean, clock: Clock) {
    this.#isGraph = isGraph;
    this.#clock = clock;
  }

  /** @returns what ends it. */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Watches the namespace of `memory`, at the longest until its client is closed. */
  watch(memory: AgentMemory): Promise<Watch> {
    return memory.watch({ namespace: memory.namespace }, (event) => this.#add(event));
  }

  #add(event: MemoryEvent): void {
    if (this.#isGraph && typeof event.key.graph !== "string") return;
    if (this.#changed.size === 0) this.#clock.after(GATHER_MS, () => this.#tell(), { background: true });
    this.#changed.add(this.#isGraph ? GRAPH_URI : memoryUri(event));
  }

  #tell(): void {
    const changed = this.#changed;
    this.#changed = new Set();
    for (const listener of this.#listeners) {
      for (const uri of changed) listener.resourceUpdated(uri);
      // The graph is always listed.
      if (!this.#isGraph) listener.resourcesChanged();
    }
  }
}
