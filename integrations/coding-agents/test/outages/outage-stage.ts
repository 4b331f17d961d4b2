import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryClient, type Watch } from "@membus/agent-client";
import { RunningHost } from "../../../../cli/test/running-host.js";
import { chance } from "./chance.js";
import { FailingLink } from "./failing-link.js";

export interface StageOptions {
  readonly agent: string;
  /** Namespace of the entries, or a subtree `a/**`. */
  readonly namespace: string;
  readonly seed: number;
  /** Every outage of this number is the end of the host with SIGKILL. The others break the connection. */
  readonly killEvery: number;
  /** Bytes that pass at most before an outage begins. */
  readonly bytesMax: number;
}

/** A host behind a link that fails, with a count of the revisions that the host has stored. */
export class OutageStage {
  readonly folder = mkdtempSync(join(tmpdir(), "membus-outages-"));
  readonly host = new RunningHost();
  readonly random: (below: number) => number;
  readonly #options: StageOptions;
  /** Revisions of each entry, by key hash. */
  readonly #revisions = new Map<string, Set<number>>();
  #link: FailingLink | undefined;
  #client: MemoryClient | undefined;
  #watch: Watch | undefined;
  #outages = 0;

  private constructor(options: StageOptions) {
    this.#options = options;
    this.random = chance(options.seed);
  }

  static async open(options: StageOptions): Promise<OutageStage> {
    const stage = new OutageStage(options);
    await stage.host.start();
    stage.#link = await FailingLink.open(stage.host.url);
    stage.#client = await MemoryClient.connect({ servers: stage.host.url, agent: options.agent });
    // The watch does not use the link. Only the end of the host can lose an event.
    stage.#watch = await stage.#client.watch({ action: "stored" }, (event) => {
      stage.#add(event.key_hash, event.revision);
    });
    return stage;
  }

  /** Address of the server behind the link. */
  get url(): string {
    return this.#link!.url;
  }

  /** Runs `work`. During it the connection breaks or the host is killed, and both work again afterwards. */
  async outage(work: () => Promise<void>): Promise<void> {
    const isKill = ++this.#outages % this.#options.killEvery === 0;
    const broken = this.#link!.breakAfter(this.random(this.#options.bytesMax));
    const working = work();
    if (isKill) {
      await Promise.race([broken, working]);
      await this.host.kill();
    }
    await working;
    if (isKill) await this.host.restart();
    this.#link!.repair();
  }

  /** Returns the texts of the stored entries, sorted. */
  async texts(): Promise<string[]> {
    const texts: string[] = [];
    const { namespace } = this.#options;
    for await (const { content, key_hash, revision } of this.#client!.entries({ namespace })) {
      texts.push((content as { readonly text: string }).text);
      this.#add(key_hash, revision);
    }
    return texts.sort();
  }

  /** Number of revisions that entries have in addition to their first. */
  get doubled(): number {
    return [...this.#revisions.values()].reduce((sum, { size }) => sum + size - 1, 0);
  }

  async close(): Promise<void> {
    await this.#watch?.stop();
    await this.#client?.close();
    await this.#link?.close();
    await this.host.stop();
    rmSync(this.folder, { recursive: true });
  }

  #add(keyHash: string, revision: number): void {
    const known = this.#revisions.get(keyHash) ?? new Set();
    this.#revisions.set(keyHash, known.add(revision));
  }
}
