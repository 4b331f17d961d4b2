import { type Embedder, type EmbedKind, MemoryError } from "@membus/protocol";
import { Gate } from "./gate.js";
import { wordEmbedder } from "./word-embedder.js";

/** The suite's embedder, which can be made not to answer. */
export class StallingEmbedder implements Embedder {
  readonly id = wordEmbedder.id;
  readonly dimensions = wordEmbedder.dimensions;
  #gate: Gate | undefined;
  #fails = false;

  /** From now on nothing is answered. */
  stall(): void {
    this.#gate = new Gate();
  }

  /** From now on everything is refused with `unavailable`. */
  fail(): void {
    this.#fails = true;
  }

  /** What waits is answered, and what comes. */
  resume(): void {
    this.#gate?.open();
    this.#gate = undefined;
    this.#fails = false;
  }

  async embed(texts: readonly string[], kind: EmbedKind): Promise<(Float32Array | null)[]> {
    if (this.#fails) throw new MemoryError("unavailable", "the embedder is away");
    await this.#gate?.pass();
    return wordEmbedder.embed(texts, kind);
  }
}
