import { MemoryError, type MonotonicClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { StreamInfo } from "@nats-io/jetstream";
import { isAbsent } from "./absent-replica.js";

/** Time without an answer after which a write is reported. Servers elect a leader within 9 s. */
const REPORTED_AFTER_MS = 15_000;
const RETRY_AFTER_MS = 1_000;

export interface WriteStallParts {
  readonly clock: MonotonicClock;
  readonly logger: Logger;
}

/**
 * Notices that no write to a log or to the bucket is answered. After two of three servers were killed under load, they may drop all
 * writes to a stream and report it as healthy (nats-server issue 8519). Only an operator can help.
 */
export class WriteStall {
  readonly #parts: WriteStallParts;
  /** Moment of the first attempt that failed since the last answer. */
  #startedMs: number | undefined;
  #problem: MemoryError | undefined;

  constructor(parts: WriteStallParts) {
    this.#parts = parts;
  }

  /** Error with the remedy, from 15 seconds after the first failed attempt until an answer. */
  get problem(): MemoryError | undefined {
    return this.#problem;
  }

  /**
   * Notes a failed attempt. The first one after 15 seconds logs what to do.
   * @param info what the servers say about the stream, or "missing" if they do not have it. Undefined if they do not answer.
   * @returns the problem.
   */
  failed(stream: string, cause: Error, info: StreamInfo | "missing" | undefined): MemoryError | undefined {
    const { clock, logger } = this.#parts;
    this.#startedMs ??= clock.elapsedMs();
    if (this.#problem !== undefined || clock.elapsedMs() - this.#startedMs < REPORTED_AFTER_MS)
      return this.#problem;
    const message = `stream ${stream} stores nothing (${cause.message}): ${remedyFor(info)}`;
    const detail = { reason: "jetstream", retry_after_ms: RETRY_AFTER_MS };
    this.#problem = new MemoryError("unavailable", message, detail, { cause });
    logger.error({ stream, servers: typeof info === "object" ? info.cluster : undefined }, message);
    return this.#problem;
  }

  /** Notes an answer of a stream. */
  end(stream: string): void {
    this.#startedMs = undefined;
    if (this.#problem === undefined) return;
    this.#problem = undefined;
    this.#parts.logger.info({ stream }, `stream ${stream} stores messages again`);
  }
}

function remedyFor(info: StreamInfo | "missing" | undefined): string {
  if (info === "missing") return "it does not exist any more. Restore a backup into a new cluster";
  if (info === undefined) return "see whether all nats-servers run and reach each other and this host";
  const { leader, replicas = [] } = info.cluster ?? {};
  const absent = replicas.filter(isAbsent).map(({ name }) => name);
  if (absent.length > 0) return `start the nats-servers that are down or late: ${absent.join(", ")}`;
  if (!leader) return "it has no leader. See whether all nats-servers run and reach each other";
  return `its nats-servers report it as healthy. Restart the one that leads it: ${leader}`;
}
