import { FaultyLink } from "../../../cluster/test/faulty-link.js";
import { HoldingProxy, type HoldMessage } from "../../../cluster/test/holding-proxy.js";

/** Links of one host to all nats-servers and to the object store. The host knows no other way to them. */
export class HostLinks {
  readonly nats: readonly FaultyLink[];
  readonly store: FaultyLink;
  readonly #proxies: readonly HoldingProxy[];

  private constructor(nats: readonly FaultyLink[], store: FaultyLink, proxies: readonly HoldingProxy[]) {
    this.nats = nats;
    this.store = store;
    this.#proxies = proxies;
  }

  static async open(natsUrls: readonly string[], storeUrl: string): Promise<HostLinks> {
    const proxies = await Promise.all(natsUrls.map((url) => HoldingProxy.open(url)));
    const nats = await Promise.all(proxies.map(({ url }) => FaultyLink.open(url)));
    return new HostLinks(nats, await FaultyLink.open(storeUrl), proxies);
  }

  get all(): readonly FaultyLink[] {
    return [...this.nats, this.store];
  }

  /** Holds messages of the host to nats-servers from now on. */
  holdMessages(hold: HoldMessage): void {
    for (const proxy of this.#proxies) proxy.hold = hold;
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((link) => link.close()));
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
  }
}
