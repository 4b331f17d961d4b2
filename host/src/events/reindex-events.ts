import {
  type Bus,
  type Clock,
  CONTENT_TYPE_HEADER,
  CONTENT_TYPES,
  encodeMessage,
  type Logger,
  PROTOCOL_VERSION,
  type ReindexFigures,
  reindexFigures,
  reindexSubject,
} from "@membus/protocol";
import type { ResolvedHostOptions } from "../options.js";
import type { PluginRunner } from "../plugin-calls/index.js";
import { messageId } from "../replies/index.js";

const LOOK_INTERVAL_MS = 1_000;

const HEADERS = Object.freeze({ [CONTENT_TYPE_HEADER]: CONTENT_TYPES.json });

export interface ReindexEventsDependencies {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly hostId: string;
  readonly options: ResolvedHostOptions;
}

interface Told {
  readonly text: string;
  readonly isDone: boolean;
}

/** Publishes how far tiers have got that are indexed anew (clause EVENT-6): what has changed, once a second. */
export class ReindexEvents {
  readonly #dependencies: ReindexEventsDependencies;
  /** The last of each tier; of one that was done from the start, what would have been told. */
  readonly #told = new Map<PluginRunner, Told>();
  #cancel: () => void = () => {};

  constructor(dependencies: ReindexEventsDependencies) {
    this.#dependencies = dependencies;
  }

  start(runners: readonly PluginRunner[]): void {
    if (!this.#dependencies.options.events) return;
    for (const runner of runners) this.#look(runner);
    const again = () => this.start(runners);
    this.#cancel = this.#dependencies.clock.after(LOOK_INTERVAL_MS, again, { background: true });
  }

  stop(): void {
    this.#cancel();
  }

  #look(runner: PluginRunner): void {
    const figures = reindexFigures(runner.stats());
    if (figures === undefined) return;
    const last = this.#told.get(runner);
    const told = { text: JSON.stringify(figures), isDone: figures.state === "done" };
    const isNews = !told.isDone || last?.isDone === false;
    if (told.text === last?.text || (isNews && !this.#publish(runner, figures))) return;
    this.#told.set(runner, told);
  }

  /** False where it has to be tried again. */
  #publish({ tier }: PluginRunner, figures: ReindexFigures): boolean {
    const { bus, clock, logger, hostId, options } = this.#dependencies;
    if (bus.state !== "connected") return false;
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
