import { createHash } from "node:crypto";
import { MemoryError } from "@membus/protocol";
import type { Embedder } from "@membus/protocol/plugin";

export type EmbedderState = "answers" | "fails" | "hangs";

/**
 * A scripted embedder. Texts with common words have similar vectors. A text that starts with "blank" has
 * none, and one that starts with "refused" is `too_large`. One with "unfit" is a `schema_violation`, and one
 * with "stuck" fails while `isStuck`.
 */
export class ScriptedEmbedder implements Embedder {
  state: EmbedderState = "answers";
  isStuck = true;
  /** Rejects every text. */
  refusesAll = false;
  readonly calls: string[][] = [];
  #release: (() => void)[] = [];

  constructor(
    readonly id = "scripted/8",
    readonly dimensions = 8,
  ) {}

  async embed(texts: readonly string[]): Promise<(Float32Array | null)[]> {
    this.calls.push([...texts]);
    if (this.state === "fails") throw new MemoryError("unavailable", "the embedder is down");
    if (this.state === "hangs") await new Promise<void>((resolve) => this.#release.push(resolve));
    if (this.isStuck && texts.some((text) => text.startsWith("stuck")))
      throw new MemoryError("unavailable", "status 500");
    if (texts.some((text) => text.startsWith("refused"))) throw new MemoryError("too_large", "unacceptable");
    if (this.refusesAll || texts.some((text) => text.startsWith("unfit")))
      throw new MemoryError("schema_violation", "unfit");
    return texts.map((text) => vectorOf(text, this.dimensions));
  }

  /** Completes the hanging calls. */
  release(): void {
    this.state = "answers";
    for (const release of this.#release.splice(0)) release();
  }
}

/** Returns a unit vector, or null for a text without words. */
export function vectorOf(text: string, dimensions: number): Float32Array | null {
  const words = text.toLowerCase().match(/\w+/g) ?? [];
  if (words.length === 0 || words[0] === "blank") return null;
  const sum = new Float32Array(dimensions);
  for (const word of words) {
    const bytes = createHash("sha256").update(word).digest();
    for (let i = 0; i < dimensions; i++) sum[i]! += bytes[i]! / 128 - 1;
  }
  const length = Math.hypot(...sum);
  return length === 0 ? null : sum.map((component) => component / length);
}
