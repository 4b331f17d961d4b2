import type { EmbedKind } from "@membus/protocol/plugin";
import { ScriptedEmbedder } from "./scripted-embedder.js";

/** An embedder that delays document batches until `step`. Queries do not wait. */
export class SteppingEmbedder extends ScriptedEmbedder {
  readonly #waiting: (() => void)[] = [];
  #isFree = false;

  override async embed(texts: readonly string[], kind?: EmbedKind): Promise<(Float32Array | null)[]> {
    if (kind === "document" && !this.#isFree) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return super.embed(texts);
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Completes the oldest batch. */
  step(): void {
    this.#waiting.shift()?.();
  }

  /** Completes all batches from now on. */
  free(): void {
    this.#isFree = true;
    for (const go of this.#waiting.splice(0)) go();
  }
}
