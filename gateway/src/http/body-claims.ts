import type { IncomingMessage } from "node:http";

/** What the bodies of requests under way may take together. */
export class BodyClaims {
  readonly #eachMax: number;
  readonly #bytesMax: number;
  #bytes = 0;

  /** @param eachMax of one body, @param bytesMax of all, in bytes. A single one may take more than all. */
  constructor(eachMax: number, bytesMax: number) {
    this.#eachMax = eachMax;
    this.#bytesMax = bytesMax;
  }

  /** What those under way take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @returns what ends the claim; undefined where the request does not fit beside the others. */
  take(request: IncomingMessage): (() => void) | undefined {
    const bytes = this.#claimOf(request);
    if (this.#bytes + bytes > this.#bytesMax && this.#bytes > 0) return undefined;
    this.#bytes += bytes;
    return () => {
      this.#bytes -= bytes;
    };
  }

  /** One that does not say its length may be as long as any. */
  #claimOf({ method, headers }: IncomingMessage): number {
    if (method === "GET" || method === "DELETE") return 0;
    return Math.min(Number(headers["content-length"] ?? this.#eachMax), this.#eachMax);
  }
}
