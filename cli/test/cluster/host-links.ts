import { FaultyLink } from "../../../cluster/test/faulty-link.js";
import { type HoldMessage, SlowMessages } from "../../../cluster/test/slow-messages.js";

/** Links of one host to all nats-servers and to the object store. The host knows no other way to them. */
export class HostLinks {
  readonly nats: readonly FaultyLink[];
  readonly store: FaultyLink;
  readonly #slow: readonly SlowMessages[];

  private constructor(nats: readonly FaultyLink[], store: FaultyLink, slow: readonly SlowMessages[]) {
    this.nats = nats;
    this.store = store;
    this.#slow = slow;
  }

  static async open(natsUrls: readonly string[], storeUrl: string): Promise<HostLinks> {
    const slow = await Promise.all(natsUrls.map((url) => SlowMessages.open(url)));
    const nats = await Promise.all(slow.map(({ url }) => FaultyLink.open(url)));
    return new HostLinks(nats, await FaultyLink.open(storeUrl), slow);
  }

  get all(): readonly FaultyLink[] {
    return [...this.nats, this.store];
  }

  /** Holds messages of the host to nats-servers from now on. */
  holdMessages(hold: HoldMessage): void {
    for (const slow of this.#slow) slow.hold = hold;
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((link) => link.close()));
    await Promise.all(this.#slow.map((slow) => slow.close()));
  }
}
