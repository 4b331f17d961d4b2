import { FaultyLink } from "../../../cluster/test/faulty-link.js";

/** Links of one host to all nats-servers and to the object store. The host knows no other way to them. */
export class HostLinks {
  readonly nats: readonly FaultyLink[];
  readonly store: FaultyLink;

  private constructor(nats: readonly FaultyLink[], store: FaultyLink) {
    this.nats = nats;
    this.store = store;
  }

  static async open(natsUrls: readonly string[], storeUrl: string): Promise<HostLinks> {
    const nats = await Promise.all(natsUrls.map((url) => FaultyLink.open(url)));
    return new HostLinks(nats, await FaultyLink.open(storeUrl));
  }

  get all(): readonly FaultyLink[] {
    return [...this.nats, this.store];
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((link) => link.close()));
  }
}
