import { randomUUID } from "node:crypto";
import type { LogKeeper } from "@membus/disk";
import type { MemoryTier } from "@membus/protocol";
import pLimit from "p-limit";
import type { FolderFacts, RecordedPart } from "./folder-facts.js";
import type { ManifestStore } from "./tier-place.js";

/**
 * The expected contents of a tier's folder, so that missing parts are noticed. They are written when the log
 * starts a segment and when a flush has ended, before other steps rely on them.
 */
export class FolderManifest {
  readonly #store: ManifestStore;
  readonly #writes = pLimit(1);
  #facts: FolderFacts;
  #partsByName: ReadonlyMap<string, RecordedPart> = new Map();
  /** The list that `partsByName` was built from. */
  #namedParts: readonly RecordedPart[] = [];
  /** Whether a used folder has lost the facts. */
  #isLost: boolean;

  private constructor(store: ManifestStore, facts: FolderFacts, isLost: boolean) {
    this.#store = store;
    this.#facts = facts;
    this.#isLost = isLost;
  }

  /** Claims the facts of a tier. Errors as in the store's `claim`. */
  static async open(store: ManifestStore, tier: MemoryTier): Promise<FolderManifest> {
    let isLost = false;
    const facts = await store.claim(() => {
      isLost = true;
      return newFacts(tier);
    });
    return new FolderManifest(store, facts, isLost);
  }

  get facts(): FolderFacts {
    return this.#facts;
  }

  /** Whether the facts are missing or unreadable, because the folder is new or has lost them. */
  get isLost(): boolean {
    return this.#isLost;
  }

  part(name: string): RecordedPart | undefined {
    const { parts } = this.#facts;
    if (this.#namedParts !== parts) this.#partsByName = new Map(parts.map((part) => [part.name, part]));
    this.#namedParts = parts;
    return this.#partsByName.get(name);
  }

  /** Sets the id that a folder had before it lost its facts. */
  adopt(id: string): void {
    this.#facts = { ...this.#facts, id };
  }

  /** Resolves once the change is durable. */
  update(change: Partial<FolderFacts>): Promise<void> {
    return this.#writes(async () => {
      const facts = { ...this.#facts, ...change };
      await this.#store.write(facts);
      this.#facts = facts;
      this.#isLost = false;
    });
  }

  /** The log's section of the manifest. */
  get keeper(): LogKeeper {
    return {
      kept: this.#isLost ? undefined : this.#facts.log,
      keep: (log) => this.update({ log }),
    };
  }
}

function newFacts(tier: MemoryTier): FolderFacts {
  return {
    id: randomUUID(),
    tier,
    flushedSeq: 0,
    newestAt: 0,
    scopes: [],
    log: [],
    parts: [],
    erased: { seq: 0, at: 0 },
    erasing: [],
  };
}
