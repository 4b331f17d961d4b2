import type {
  KeyHashReference,
  MemoryForgetResponse,
  MemoryKey,
  MemoryStatusResponse,
  Pong,
} from "@membus/protocol";

export interface ForgetResult extends Pick<MemoryForgetResponse, "deleted" | "receipt"> {
  /** Id of the request, for `forgetStatus`. */
  readonly requestId: string;
}
export type StatusResult = Pick<MemoryStatusResponse, "done" | "receipts" | "errors">;

/** Erasure state of the bytes that a forget deleted. */
export interface ForgetStatus {
  /** Whether the bytes are erased from disk. */
  readonly purge: "done" | "scheduled";
  /** Time of the erasure in Unix seconds. Only with `done`. */
  readonly purged_at?: number;
  /** Latest time of the erasure in Unix seconds. Only with `scheduled`, absent if unknown. */
  readonly purge_by?: number;
  /** Obstacle that delays the erasure, such as `replica_down`. Only with `scheduled`, absent without one. */
  readonly purge_reason?: string;
}

export type PingResult = Pick<Pong, "host_id" | "tiers">;

/** Reference to a key in criteria. */
export type KeyReference = MemoryKey | string | KeyHashReference;
