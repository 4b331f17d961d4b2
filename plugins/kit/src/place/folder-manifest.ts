import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { type LogKeeper, type LogPart, replaceFile } from "@membus/disk";
import { MemoryError, type MemoryTier } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import pLimit from "p-limit";
import type { StoragePart } from "../storage.js";
import type { ErasedMark } from "./erasure-tracker.js";
import { readMarkerFile } from "./marker-file.js";

/**
 * Flush progress and the newest time on disk. It may lag behind the actual state, but is never ahead of it.
 */
export interface FlushMarker {
  readonly flushedSeq: number;
  /** Unix seconds. */
  readonly newestAt: number;
  /** Ids of a few recently written scopes, the latest last. */
  readonly scopes: readonly string[];
}

/** Expected contents of a tier's folder. */
export interface FolderFacts extends FlushMarker {
  /** A UUID. */
  readonly id: string;
  readonly tier: MemoryTier;
  readonly log: readonly LogPart[];
  readonly parts: readonly RecordedPart[];
  readonly erased: ErasedMark;
  /** Owners with an erasure that has started. The next open completes it. */
  readonly erasing: readonly Owner[];
}

/** An agent of a tenant, or without `agent` the whole tenant. */
export interface Owner {
  readonly tenant: string;
  readonly agent?: string;
}

/** Last durable state of a part of the storage. */
export type RecordedPart = Omit<StoragePart, "owner" | "keptContentId">;

const FILE_NAME = "folder.json";

/** The file's contents. */
interface WrittenFacts extends FolderFacts {
  /** CRC-32 of the JSON of the other fields, because a changed id or number would hide intact entries. */
  readonly checksum: number;
}

/**
 * The file that lists the expected contents of a tier's folder, so that missing parts are noticed. It is
 * written when the log starts a segment and when a flush has ended, before other steps rely on it.
 */
export class FolderManifest {
  readonly #path: string;
  readonly #writes = pLimit(1);
  #facts: FolderFacts;
  #partsByName: ReadonlyMap<string, RecordedPart> = new Map();
  /** The list that `partsByName` was built from. */
  #namedParts: readonly RecordedPart[] = [];
  /** Whether a used folder has lost the file. */
  #isLost: boolean;

  private constructor(path: string, facts: FolderFacts, isLost: boolean) {
    this.#path = path;
    this.#facts = facts;
    this.#isLost = isLost;
  }

  /** Reads the manifest. @throws {MemoryError} `runtime_error` for the folder of another tier. */
  static async read(
    directory: string,
    { tier, logger }: { readonly tier: MemoryTier; readonly logger: Logger },
  ): Promise<FolderManifest> {
    const path = join(directory, FILE_NAME);
    const found = await readMarkerFile<WrittenFacts>(path, logger, isValid);
    if (found !== undefined && found.tier !== tier) {
      const message = `${directory} belongs to the ${found.tier} tier: configure a folder of the ${tier} tier`;
      throw new MemoryError("runtime_error", message, { reason: "folder_foreign", path, tier: found.tier });
    }
    if (found === undefined) return new FolderManifest(path, newFacts(tier), true);
    const { checksum: _, ...facts } = found;
    return new FolderManifest(path, facts, false);
  }

  get facts(): FolderFacts {
    return this.#facts;
  }

  /** Whether the file is missing or unreadable, because the folder is new or has lost it. */
  get isLost(): boolean {
    return this.#isLost;
  }

  part(name: string): RecordedPart | undefined {
    const { parts } = this.#facts;
    if (this.#namedParts !== parts) this.#partsByName = new Map(parts.map((part) => [part.name, part]));
    this.#namedParts = parts;
    return this.#partsByName.get(name);
  }

  /** Sets the id that a folder had before it lost the file. */
  adopt(id: string): void {
    this.#facts = { ...this.#facts, id };
  }

  /** Updates the file. Resolves once the change is durable. */
  update(change: Partial<FolderFacts>): Promise<void> {
    return this.#writes(async () => {
      const facts = { ...this.#facts, ...change };
      await replaceFile(this.#path, textOf(facts));
      this.#facts = facts;
      this.#isLost = false;
    });
  }

  /** Writes the manifest of a snapshot into `directory`, with these log parts. */
  async writeTo(directory: string, log: readonly LogPart[]): Promise<void> {
    await replaceFile(join(directory, FILE_NAME), textOf({ ...this.#facts, log }));
  }

  /** The log's section of the manifest. */
  get keeper(): LogKeeper {
    return {
      kept: this.#isLost ? undefined : this.#facts.log,
      keep: (log) => this.update({ log }),
    };
  }
}

function textOf(facts: FolderFacts): string {
  return `${JSON.stringify({ ...facts, checksum: checksumOf(facts) } satisfies WrittenFacts)}\n`;
}

function checksumOf(facts: Partial<FolderFacts>): number {
  return crc32(JSON.stringify(facts));
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

function isValid({ checksum, ...facts }: Partial<WrittenFacts>): boolean {
  if (checksum !== checksumOf(facts)) return false;
  const { id, tier, flushedSeq, newestAt, erased, erasing, scopes, log, parts } = facts;
  const hasMark = Number.isSafeInteger(erased?.seq) && Number.isFinite(erased?.at);
  const hasNumbers = Number.isSafeInteger(flushedSeq) && Number.isFinite(newestAt) && hasMark;
  const hasLists = [scopes, log, parts, erasing].every(Array.isArray);
  return typeof id === "string" && typeof tier === "string" && hasNumbers && hasLists;
}
