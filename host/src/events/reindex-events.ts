import {
  type Clock,
  CONTENT_TYPE_HEADER,
  CONTENT_TYPES,
  encodeMessage,
  PROTOCOL_VERSION,
  parseReindexStatus,
  type ReindexStatus,
  reindexSubject,
} from "@membus/protocol";
import type { Bus, Logger } from "@membus/protocol/plugin";
import type { ResolvedHostOptions } from "../options.js";
import type { PluginRunner } from "../plugin-calls/index.js";
import { messageId } from "../replies/index.js";

const CHECK_INTERVAL_MS = 1_000;

const HEADERS = Object.freeze({ [CONTENT_TYPE_HEADER]: CONTENT_TYPES.json });

export interface ReindexEventsDependencies {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly hostId: string;
  readonly options: ResolvedHostOptions;
}

interface PublishedProgress {
  readonly text: string;
  readonly isDone: boolean;
}

/**
 * Publishes the progress of tiers that are being reindexed (clause EVENT-6): changes only, at most once a
 * second.
 */
export class ReindexEvents {
  readonly #dependencies: ReindexEventsDependencies;
  /**
   * Last published progress of each tier. For a tier that was done from the start, the progress is recorded
   * but not published.
   */
  readonly #published = new Map<PluginRunner, PublishedProgress>();
  #cancel: () => void = () => {};

  constructor(dependencies: ReindexEventsDependencies) {
    this.#dependencies = dependencies;
  }

  start(runners: readonly PluginRunner[]): void {
    if (!this.#dependencies.options.events) return;
    for (const runner of runners) this.#publishChange(runner);
    const again = () => this.start(runners);
    this.#cancel = this.#dependencies.clock.after(CHECK_INTERVAL_MS, again, { background: true });
  }

  stop(): void {
    this.#cancel();
  }

  #publishChange(runner: PluginRunner): void {
    const figures = parseReindexStatus(runner.stats());
    if (figures === undefined) return;
    const last = this.#published.get(runner);
    const progress = { text: JSON.stringify(figures), isDone: figures.state === "done" };
    const isChange = !progress.isDone || last?.isDone === false;
    if (progress.text === last?.text || (isChange && !this.#publish(runner, figures))) return;
    this.#published.set(runner, progress);
  }

  /** Returns false if publishing must be retried. */
  #publish({ tier }: PluginRunner, figures: ReindexStatus): boolean {
    const { bus, clock, logger, hostId, options } = this.#dependencies;
    if (bus.state !== "connected") return false;
    const head = { type: "memory/reindex", id: messageId(), version: PROTOCOL_VERSION, ts: clock.now() };
    const message = encodeMessage({ ...head, host_id: hostId, tier, ...figures }, "json");
    try {
      bus.publish(reindexSubject(hostId, tier, options.prefix), message, { headers: HEADERS });
      return true;
    } catch (error) {
      logger.warn({ err: error, tier }, "could not publish reindex progress, retrying");
      return false;
    }
  }
}
