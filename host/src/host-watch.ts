import type { Bus, BusMessage, BusSubscription, Clock, MemoryError } from "@membus/protocol";
import { alreadyServed, HOSTS_SUBJECT, readFoundHost } from "./found-host.js";
import type { ResolvedHostOptions } from "./options.js";

const ASK_INTERVAL_MS = 10_000;

export interface HostWatchDependencies {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly hostId: string;
  readonly options: ResolvedHostOptions;
  servingMs(): number;
  /** Called with a `conflict` that names the other host, perhaps more than once. */
  onOlderHost(error: MemoryError): void;
}

/**
 * Goes on looking for other hosts while this one serves (clause DISC-5): at its start the answer of a host on a loaded
 * machine may have been too late, or the network in two parts. An answer counts whenever it comes. The host that has
 * served longer stays: its age is of the time of its answer, ours of the time when it arrives, so that delays only
 * make us seem older, and never do both stop.
 */
export class HostWatch {
  readonly #dependencies: HostWatchDependencies;
  readonly #inbox: string;
  #subscription: BusSubscription | undefined;
  #cancel: () => void = () => {};
  #askedCount = 0;

  constructor(dependencies: HostWatchDependencies) {
    this.#dependencies = dependencies;
    this.#inbox = `${dependencies.bus.inboxPrefix}.${dependencies.hostId}`;
  }

  /** Asks at once, then every ten seconds. */
  start(): void {
    this.#subscription = this.#dependencies.bus.subscribe(`${this.#inbox}.*`, (answer) => this.#read(answer));
    this.#ask();
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#subscription?.drain();
  }

  #ask(): void {
    const { bus, clock } = this.#dependencies;
    // Each question has a reply subject of its own: a server may allow no more than one answer to each.
    const reply = `${this.#inbox}.${++this.#askedCount}`;
    if (bus.state === "connected") bus.publish(HOSTS_SUBJECT, new Uint8Array(), { reply });
    this.#cancel = clock.after(ASK_INTERVAL_MS, () => this.#ask(), { background: true });
  }

  #read(answer: BusMessage): void {
    const { hostId, options, servingMs, onOlderHost } = this.#dependencies;
    const found = readFoundHost(answer, options);
    if (found === undefined || found.id === hostId || found.state !== "serving") return;
    const aheadMs = found.servingMs - servingMs();
    if (aheadMs > 0 || (aheadMs === 0 && found.id < hostId)) onOlderHost(alreadyServed(found.id, options));
  }
}
