import { silentLogger } from "@membus/protocol";
import { turn } from "../../host/test/fake-clock.js";
import { type ClusterBucket, type OwnershipOptions, ShardOwnership } from "../src/index.js";
import { TestClock } from "./test-clock.js";

const STEP_MS = 50;

/** A host and its events, such as `+0@1` for shard 0 acquired in epoch 1, `-` for lost, `>` for handed over. */
export interface TestHost {
  readonly ownership: ShardOwnership;
  readonly events: string[];
  /** Ends before a shard is handed over. */
  flush: Promise<void>;
  /** Requests of this host and their faults. */
  readonly link: TestLink;
}

/** The requests of one host to its bucket. */
export class TestLink {
  #inFlightCount = 0;
  /** Runs before a request is sent. It may wait or throw. */
  before: (method: string) => Promise<void> = () => Promise.resolve();
  /** Runs after a request was done. It may wait or throw. */
  after: (method: string) => Promise<void> = () => Promise.resolve();

  get isIdle(): boolean {
    return this.#inFlightCount === 0;
  }

  /** Returns the bucket with the faults of this link. */
  wrap(bucket: ClusterBucket): ClusterBucket {
    return new Proxy(bucket, {
      get: (target, name: "get" | "next" | "write" | "remove") => {
        const method = target[name].bind(target) as (...args: unknown[]) => Promise<unknown>;
        return (...args: unknown[]) => this.#run(name, () => method(...args));
      },
    });
  }

  async #run(name: string, send: () => Promise<unknown>): Promise<unknown> {
    await this.before(name);
    this.#inFlightCount += 1;
    try {
      return await send();
    } finally {
      this.#inFlightCount -= 1;
      await this.after(name);
    }
  }
}

/** Hosts on one clock and one bucket. Time advances only while no request is under way. */
export class TestHosts {
  readonly clock = new TestClock();
  readonly #bucket: ClusterBucket;
  readonly #hosts: TestHost[] = [];

  constructor(bucket: ClusterBucket) {
    this.#bucket = bucket;
  }

  /** Starts a host. @param clock of this host, if it differs from the common clock */
  start(
    options: Partial<OwnershipOptions> & { readonly host: string },
    clock = this.clock,
    logger = silentLogger,
  ): TestHost {
    const link = new TestLink();
    const events: string[] = [];
    const services = { bucket: link.wrap(this.#bucket), clock, logger };
    const ownership = new ShardOwnership({ shardCount: 4, ...options }, services, {
      onAcquired: (shard, epoch) => events.push(`+${shard}@${epoch}`),
      onLost: (shard, epoch) => events.push(`-${shard}@${epoch}`),
      handOver: (shard, epoch) => {
        events.push(`>${shard}@${epoch}`);
        return host.flush;
      },
    });
    const host: TestHost = { ownership, events, link, flush: Promise.resolve() };
    this.#hosts.push(host);
    return host;
  }

  /** Advances the clock in small steps. Requests that the steps cause end in between. */
  async advance(ms: number, clock = this.clock): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await clock.advance(STEP_MS);
      await this.settle();
    }
  }

  /** Waits until no host has a request under way. */
  async settle(): Promise<void> {
    do await turn();
    while (this.#hosts.some(({ link }) => !link.isIdle));
  }

  /** Ends `work` while time goes on. */
  async during(work: Promise<void>): Promise<void> {
    let isDone = false;
    const end = () => {
      isDone = true;
    };
    work.then(end, end);
    while (!isDone) await this.advance(STEP_MS);
    await work;
  }

  /** Returns the owners of each shard. */
  owners(shardCount = 4): number[][] {
    return Array.from({ length: shardCount }, (_, shard) =>
      this.#hosts.flatMap(({ ownership }, index) => (ownership.epochOf(shard) === undefined ? [] : [index])),
    );
  }
}
