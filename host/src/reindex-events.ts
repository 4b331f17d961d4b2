import {
  type Bus,
  type Clock,
  CONTENT_TYPE_HEADER,
  CONTENT_TYPES,
  encodeMessage,
  type Logger,
  PROTOCOL_VERSION,
  reindexFigures,
  reindexSubject,
} from "@membus/protocol";
import { messageId } from "./message-id.js";
import type { ResolvedHostOptions } from "./options.js";
import type { PluginRunner } from "./plugin-runner.js";

const LOOK_INTERVAL_MS = 1_000;

const HEADERS = Object.freeze({ [CONTENT_TYPE_HEADER]: CONTENT_TYPES.json });

export interface ReindexEventsDependencies {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly hostId: string;
  readonly options: ResolvedHostOptions;
}

/** Publishes how far tiers have got that are indexed anew when the host starts (clause EVENT-6): what has changed, once a second. */
export class ReindexEvents {
  readonly #dependencies: ReindexEventsDependencies;
  /** What was said last of each tier that is not done. */
  readonly #said = new Map<PluginRunner, string>();
  #cancel: () => void = () => {};

  constructor(dependencies: ReindexEventsDependencies) {
    this.#dependencies = dependencies;
  }

  start(runners: readonly PluginRunner[]): void {
    if (!this.#dependencies.options.events) return;
    for (const runner of runners) {
      const state = reindexFigures(runner.stats())?.state;
      if (state !== undefined && state !== "done") this.#said.set(runner, "");
    }
    this.#look();
  }

  stop(): void {
    this.#cancel();
  }

  #look(): void {
    for (const [runner, said] of this.#said) this.#tell(runner, said);
    if (this.#said.size === 0) return;
    this.#cancel = this.#dependencies.clock.after(LOOK_INTERVAL_MS, () => this.#look(), { background: true });
  }

  #tell(runner: PluginRunner, said: string): void {
    const figures = reindexFigures(runner.stats());
    const text = JSON.stringify(figures);
    if (figures === undefined || text === said) return;
    if (!this.#publish(runner, figures)) return;
    if (figures.state === "done") this.#said.delete(runner);
    else this.#said.set(runner, text);
  }

  /** False where it has to be tried again. */
  #publish({ tier }: PluginRunner, figures: object): boolean {
    const { bus, clock, logger, hostId, options } = this.#dependencies;
    const head = { type: "memory/reindex", id: messageId(), version: PROTOCOL_VERSION, ts: clock.now() };
    const message = encodeMessage({ ...head, host_id: hostId, tier, ...figures }, "json");
    try {
      bus.publish(reindexSubject(hostId, tier, options.prefix), message, { headers: HEADERS });
      return true;
    } catch (error) {
      logger.warn({ err: error, tier }, "how far indexing has got could not be published; it is tried again");
      return false;
    }
  }
}
