import type { MonotonicClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { ClusterInfo } from "@nats-io/jetstream";
import { isAbsent } from "../bucket/index.js";

/** Time without an answer after which a write is reported. Servers elect a leader within 9 s. */
const REPORTED_AFTER_MS = 15_000;

export interface WriteStallParts {
  readonly clock: MonotonicClock;
  readonly logger: Logger;
}

/**
 * Notices that no write of a log is answered. After two of three servers were killed under load, they may drop all
 * writes to a stream and report it as healthy (nats-server issue 8519). Only an operator can help.
 */
export class WriteStall {
  readonly #parts: WriteStallParts;
  /** Moment of the first attempt that failed since the last answer. */
  #startedMs: number | undefined;
  #isReported = false;

  constructor(parts: WriteStallParts) {
    this.#parts = parts;
  }

  /** Whether it was logged and has not ended. */
  get isReported(): boolean {
    return this.#isReported;
  }

  /**
   * Notes a failed attempt. After 15 seconds the first one logs what to do.
   * @param servers what the servers say about the stream. Undefined if they do not answer.
   */
  failed(stream: string, servers: ClusterInfo | undefined): void {
    const { clock, logger } = this.#parts;
    this.#startedMs ??= clock.elapsedMs();
    if (this.#isReported || clock.elapsedMs() - this.#startedMs < REPORTED_AFTER_MS) return;
    this.#isReported = true;
    logger.error({ stream, servers }, `stream ${stream} stores nothing: ${remedyFor(servers)}`);
  }

  /** Notes an answer. */
  end(): void {
    this.#startedMs = undefined;
    if (!this.#isReported) return;
    this.#isReported = false;
    this.#parts.logger.info({}, "the log stores records again");
  }
}

function remedyFor({ leader, replicas = [] }: Partial<ClusterInfo> = {}): string {
  const absent = replicas.filter(isAbsent).map(({ name }) => name);
  if (absent.length > 0) return `start the nats-servers that are down or late: ${absent.join(", ")}`;
  if (!leader) return "it has no leader. See whether all nats-servers run and reach each other";
  return `its nats-servers report it as healthy. Restart the one that leads it: ${leader}`;
}
