import type { AgentMemory, Watch } from "@membus/agent-client";
import { isGraphKey } from "@membus/agentic/graph";
import type { Clock, MemoryEvent } from "@membus/protocol";
import { GRAPH_URI } from "./graph/graph-tools.js";
import { memoryUri } from "./memory-uri.js";

/** Time during which changes are combined. */
const GATHER_MS = 50;

/** Receives changes of memories. */
export interface ChangeListener {
  resourceUpdated(uri: string): void;
  resourcesChanged(): void;
}

/**
 * Reports changes of memories by any writer as notifications about resources. Changes within a short time are
 * combined.
 */
export class ChangeNotices {
  readonly #listeners = new Set<ChangeListener>();
  readonly #clock: Clock;
  readonly #isGraph: boolean;
  #changed = new Set<string>();

  constructor(isGraph: boolean, clock: Clock) {
    this.#isGraph = isGraph;
    this.#clock = clock;
  }

  /** Returns a function that stops the notifications. */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Watches the namespace of `memory` until its client is closed. */
  watch(memory: AgentMemory): Promise<Watch> {
    return memory.watch({ namespace: memory.namespace }, (event) => this.#add(event));
  }

  #add(event: MemoryEvent): void {
    if (this.#isGraph && !isGraphKey(event.key)) return;
    if (this.#changed.size === 0) this.#clock.after(GATHER_MS, () => this.#notify(), { background: true });
    this.#changed.add(this.#isGraph ? GRAPH_URI : memoryUri(event));
  }

  #notify(): void {
    const changed = this.#changed;
    this.#changed = new Set();
    for (const listener of this.#listeners) {
      for (const uri of changed) listener.resourceUpdated(uri);
      // In graph mode the list of resources never changes.
      if (!this.#isGraph) listener.resourcesChanged();
    }
  }
}
