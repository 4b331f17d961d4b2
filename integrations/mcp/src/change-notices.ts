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

/** Names of resources by event. Watches of one connection receive the same event. */
const uris = new WeakMap<MemoryEvent, string>();

/**
 * Reports changes of memories by any writer as notifications about resources. Changes within a short time are
 * combined.
 */
export class ChangeNotices {
  /** Listeners with the resources that they want, undefined for all. */
  readonly #listeners = new Map<ChangeListener, ReadonlySet<string> | undefined>();
  readonly #clock: Clock;
  readonly #isGraph: boolean;
  #changed = new Set<string>();
  #isWaiting = false;

  constructor(isGraph: boolean, clock: Clock) {
    this.#isGraph = isGraph;
    this.#clock = clock;
  }

  /**
   * Returns a function that stops the notifications.
   * @param wanted resources to report. By default all.
   */
  listen(listener: ChangeListener, wanted?: ReadonlySet<string>): () => void {
    this.#listeners.set(listener, wanted);
    return () => this.#listeners.delete(listener);
  }

  /** Watches the namespace of `memory` until its client is closed. */
  watch(memory: AgentMemory): Promise<Watch> {
    return memory.watch({ namespace: memory.namespace }, (event) => this.#add(event));
  }

  #add(event: MemoryEvent): void {
    if (this.#isGraph && !isGraphKey(event.key)) return;
    if (!this.#isWaiting) this.#clock.after(GATHER_MS, () => this.#notify(), { background: true });
    this.#isWaiting = true;
    const uri = this.#isGraph ? GRAPH_URI : uriOf(event);
    for (const wanted of this.#listeners.values()) {
      if (wanted !== undefined && !wanted.has(uri)) continue;
      this.#changed.add(uri);
      return;
    }
  }

  #notify(): void {
    const changed = this.#changed;
    this.#changed = new Set();
    this.#isWaiting = false;
    for (const [listener, wanted] of this.#listeners) {
      for (const uri of changed) if (wanted?.has(uri) ?? true) listener.resourceUpdated(uri);
      // In graph mode the list of resources never changes.
      if (!this.#isGraph) listener.resourcesChanged();
    }
  }
}

function uriOf(event: MemoryEvent): string {
  const uri = uris.get(event) ?? memoryUri(event);
  uris.set(event, uri);
  return uri;
}
