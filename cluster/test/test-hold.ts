import { MemoryError } from "@membus/protocol";
import type { ShardHold } from "../src/index.js";

/** Hold on a shard that the test can end. */
export class TestHold implements ShardHold {
  readonly epoch: number;
  readonly lostBecause: string[] = [];
  /** Ends when the lease is renewed. */
  renewed: Promise<void> = Promise.resolve();

  constructor(epoch: number) {
    this.epoch = epoch;
  }

  get isOwned(): boolean {
    return !this.isLost;
  }

  get isLost(): boolean {
    return this.lostBecause.length > 0;
  }

  mustOwn(): void {
    if (!this.isOwned) throw new MemoryError("unavailable", "the shard is lost");
  }

  async untilOwned(): Promise<void> {
    await this.renewed;
    this.mustOwn();
  }

  lose(reason: string): void {
    this.lostBecause.push(reason);
  }
}
