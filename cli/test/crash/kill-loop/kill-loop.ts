import { randomUUID } from "node:crypto";
import type { AgentMemory, MemoryClient } from "@membus/agent-client";
import type { MemoryTier } from "@membus/protocol";
import type { ChaosStage } from "../chaos-stage.js";
import type { Chance } from "./chance.js";
import type { Findings } from "./findings.js";
import { Load } from "./load.js";
import { type Partition, requireRelevanceAsIfNew, verifyPartition } from "./partition.js";
import { Writer } from "./writer.js";

/** Long enough for a host restart on a loaded machine. */
const RETRY_TIMEOUT_MS = 120_000;
const LANES_PER_AGENT = 4;

/** A host that agents write to, and that can be killed. */
export interface KilledHost extends Pick<ChaosStage, "client" | "killHost"> {
  /**
   * Starts the host after it was killed, and may kill it while it starts.
   * @param killsMax largest number of further kills.
   * @returns number of further kills.
   */
  recover(chance: Chance, killsMax: number): Promise<number>;
}

export interface LoopSettings {
  readonly chance: Chance;
  readonly findings: Findings;
  /**
   * Number of rounds per relevance check, because comparing the relevance of all entries takes as long as the
   * rest of a round.
   */
  readonly roundsPerRelevance: number;
}

interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called after each round. */
  readonly onRound?: () => void;
}

/** Three agents write to a host that is killed repeatedly. Its memory is verified after each kill. */
export class KillLoop {
  readonly partitions: readonly Partition[];
  readonly #host: KilledHost;
  readonly #settings: LoopSettings;
  #rounds = 0;

  private constructor(host: KilledHost, client: MemoryClient, settings: LoopSettings) {
    this.#host = host;
    this.#settings = settings;
    // In a folder used by earlier runs, only the entries of this run are verified.
    const namespace = `crash/${randomUUID()}`;
    const [alice, bob, carol] = ["alice", "bob", "carol"].map((agent) =>
      client.forAgent(agent).inNamespace(namespace),
    ) as [AgentMemory, AgentMemory, AgentMemory];
    this.partitions = [
      { memory: alice, tier: "episodic", writers: this.#writers(alice, "episodic") },
      { memory: carol, tier: "episodic", writers: this.#writers(carol, "episodic") },
      {
        memory: carol,
        tier: "semantic",
        writers: [...this.#writers(alice, "semantic"), ...this.#writers(bob, "semantic")],
      },
    ];
  }

  /** Starts with a running host. */
  static async open(host: KilledHost, settings: LoopSettings): Promise<KillLoop> {
    const client = await host.client({ agent: "alice", retryTimeoutMs: RETRY_TIMEOUT_MS });
    return new KillLoop(host, client, settings);
  }

  /**
   * Runs until `kills` kills in all, until `signal` is aborted, or until the first broken guarantee. The last
   * round is completed.
   */
  async run(kills: number, { signal, onRound = () => {} }: RunOptions = {}): Promise<void> {
    const { findings } = this.#settings;
    while (findings.kills < kills && findings.isClean && signal?.aborted !== true) {
      await this.#round(kills - findings.kills);
      onRound();
    }
  }

  /**
   * Kills the host after a random number of acknowledged requests, with one request of every writer in flight.
   */
  async killUnderLoad(): Promise<void> {
    const { chance, findings } = this.#settings;
    const load = new Load(this.#allWriters);
    await load.acknowledged(chance.int(400, 20));
    await this.#host.killHost();
    findings.acknowledged += await load.stop();
    findings.kills++;
  }

  /** Verifies the entries before and after the unanswered requests are sent again. */
  async verify({ isRelevanceDue = true } = {}): Promise<void> {
    const verifyAll = () =>
      Promise.all(this.partitions.map((partition) => verifyPartition(partition, this.#settings.findings)));
    await verifyAll();
    await Promise.all(this.#allWriters.map((writer) => writer.settle()));
    await Promise.all(this.#allWriters.map((writer) => writer.repeatAnswered(3)));
    await verifyAll();
    if (isRelevanceDue) await Promise.all(this.partitions.map(requireRelevanceAsIfNew));
  }

  async #round(killsLeft: number): Promise<void> {
    const round = this.#rounds++;
    const { chance, findings, roundsPerRelevance } = this.#settings;
    await this.killUnderLoad();
    findings.kills += await this.#host.recover(chance, killsLeft - 1);
    await this.verify({ isRelevanceDue: round % roundsPerRelevance === 0 });
  }

  get #allWriters(): Writer[] {
    return this.partitions.flatMap(({ writers }) => writers);
  }

  #writers(memory: AgentMemory, tier: MemoryTier): Writer[] {
    const { chance, findings } = this.#settings;
    const names = Array.from({ length: LANES_PER_AGENT }, (_, n) => `${memory.agent}-${tier}-${n}`);
    return names.map((writer) => new Writer({ memory, tier, writer }, chance.branch(), findings));
  }
}
