import type { DiskReserve, Log, LogRecovery } from "@membus/disk";
import type { Storage } from "../storage.js";
import type { FolderFacts } from "./folder-facts.js";

/** Stores the facts of a tier. */
export interface ManifestStore {
  /** Returns the facts of the last `write`, or the facts of `make` if none are readable. A place keeps others out. */
  claim(make: () => FolderFacts): Promise<FolderFacts>;
  /** Replaces the facts. Resolves once they are durable. */
  write(facts: FolderFacts): Promise<void>;
}

/** Name of the marker that belongs to the rows: their analyzer and embedder. */
export const GENERATION_MARKER = "generation.json";

/** Small named values of a tier, each replaced as a whole. */
export interface Markers {
  /** Returns the value of the last `write`. Undefined if there is none, or with a warning if it is not valid. */
  read<T extends object>(name: string, isValid: (found: Partial<T>) => boolean): Promise<T | undefined>;
  /** Replaces a value. Resolves once it is durable. */
  write(name: string, value: object): Promise<void>;
}

/** Space that is set aside for the steps that free space. */
export type SpaceReserve = Pick<DiskReserve, "isReleased" | "stats" | "release" | "releaseAll" | "restore">;

/** Facts of a tier that its storage needs when it is created. */
export interface StorageFacts {
  /** Id of the tier's facts. New facts have another one. */
  readonly id: string;
  /** See `StorageContext`. */
  keptContentId(part: string): string | undefined;
}

/** Where a durable tier keeps its rows, its log and the facts beside them. Only this process uses it. */
export interface TierPlace {
  readonly manifest: ManifestStore;
  readonly markers: Markers;
  readonly reserve: SpaceReserve;
  /** Called once the facts are claimed. */
  createStorage(facts: StorageFacts): Storage;
  openLog(recovery: LogRecovery): Promise<Log>;
  /** Gives the place to the next process. Called after the log and the storage are closed. */
  release(): Promise<void>;
}

/** Where a tier in memory keeps values beyond the life of its process. */
export type MarkerPlace = Pick<TierPlace, "markers" | "release">;
