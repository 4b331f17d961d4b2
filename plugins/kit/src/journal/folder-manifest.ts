import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type LogKeeper, type LogPart, replaceFile, SerialQueue } from "@membus/disk";
import { type Logger, MemoryError, type MemoryTier } from "@membus/protocol";
import type { StoragePart } from "../storage.js";
import type { ErasedMark } from "./erasure.js";
import { readMarkerFile } from "./marker-file.js";

/** How far storage has got, and the newest time on disk. May lag behind the truth, never run ahead of it. */
export interface FlushMarker {
  readonly flushedSeq: number;
  /** Unix seconds. */
  readonly newestAt: number;
  /** Ids of the scopes written last, the latest at the end; a few. */
  readonly scopes: readonly string[];
}

/** What the folder of a tier must hold. */
export interface FolderFacts extends FlushMarker {
  /** A UUID. */
  readonly id: string;
  readonly tier: MemoryTier;
  readonly log: readonly LogPart[];
  readonly parts: readonly KeptPart[];
  readonly erased: ErasedMark;
  /** Those whose erasure has begun: the next opening ends it. */
  readonly erasing: readonly Owner[];
}

/** An agent of a tenant, or without `agent` the whole tenant. */
export interface Owner {
  readonly tenant: string;
  readonly agent?: string;
}

/** A part of storage as it was when it was last on disk for good. */
export type KeptPart = Omit<StoragePart, "owner" | "keptContentId">;

const FILE_NAME = "folder.json";

/**
 * The file that says what a tier's folder must hold, so that what goes missing is missed. It is written when the log
 * begins a segment and when a flush has ended, before anything relies on what it says.
 */
export class FolderManifest {
  readonly #path: string;
  readonly #writes = new SerialQueue();
  #facts: FolderFacts;
  #partsByName: ReadonlyMap<string, KeptPart> = new Map();
  /** What `partsByName` was made of. */
  #namedParts: readonly KeptPart[] = [];
  /** Nothing is known of a folder that has been in use: the file is lost. */
  #isLost: boolean;

  private constructor(path: string, facts: FolderFacts, isLost: boolean) {
    this.#path = path;
    this.#facts = facts;
    this.#isLost = isLost;
  }

  /** @throws {MemoryError} `runtime_error` for the folder of another tier. */
  static async read(
    directory: string,
    { tier, logger }: { readonly tier: MemoryTier; readonly logger: Logger },
  ): Promise<FolderManifest> {
    const path = join(directory, FILE_NAME);
    const found = await readMarkerFile<FolderFacts>(path, logger, isWhole);
    if (found !== undefined && found.tier !== tier) {
      const message = `${directory} is of the ${found.tier} tier, not of the ${tier} tier: put its own folder there`;
      throw new MemoryError("runtime_error", message, { reason: "folder_foreign", path, tier: found.tier });
    }
    const facts = found ?? newFacts(tier);
    return new FolderManifest(path, facts, found === undefined);
  }

  get facts(): FolderFacts {
    return this.#facts;
  }

  /** There is no such file, or none that says anything: the folder is new, or has lost it. */
  get isLost(): boolean {
    return this.#isLost;
  }

  part(name: string): KeptPart | undefined {
    const { parts } = this.#facts;
    if (this.#namedParts !== parts) this.#partsByName = new Map(parts.map((part) => [part.name, part]));
    this.#namedParts = parts;
    return this.#partsByName.get(name);
  }

  /** Takes on the id that a folder without the file had before. */
  adopt(id: string): void {
    this.#facts = { ...this.#facts, id };
  }

  /** Resolves when it survives power loss. */
  update(change: Partial<FolderFacts>): Promise<void> {
    return this.#writes.run(async () => {
      const facts = { ...this.#facts, ...change };
      await replaceFile(this.#path, textOf(facts));
      this.#facts = facts;
      this.#isLost = false;
    });
  }

  /** The manifest of a snapshot in `directory`, whose log has these parts. */
  async writeTo(directory: string, log: readonly LogPart[]): Promise<void> {
    await replaceFile(join(directory, FILE_NAME), textOf({ ...this.#facts, log }));
  }

  /** The part of the log. */
  get keeper(): LogKeeper {
    return {
      kept: this.#isLost ? undefined : this.#facts.log,
      keep: (log) => this.update({ log }),
    };
  }
}

function textOf(facts: FolderFacts): string {
  return `${JSON.stringify(facts)}\n`;
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

function isWhole(facts: Partial<FolderFacts>): boolean {
  const { id, tier, flushedSeq, newestAt, erased, erasing, scopes, log, parts } = facts;
  const hasMark = Number.isSafeInteger(erased?.seq) && Number.isFinite(erased?.at);
  const hasNumbers = Number.isSafeInteger(flushedSeq) && Number.isFinite(newestAt) && hasMark;
  const hasLists = [scopes, log, parts, erasing].every(Array.isArray);
  return typeof id === "string" && typeof tier === "string" && hasNumbers && hasLists;
}
