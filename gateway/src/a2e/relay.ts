import { randomUUID } from "node:crypto";
import type { Bus, BusMessage, BusSubscription } from "@membus/protocol/plugin";
import type { Lines } from "./message.js";

const TIMEOUT_MS = 5_000;
const PART_BYTES = 512 * 1024;
/** Maximum number of incomplete replies at a time. The oldest are dropped. */
const PARTIAL_MAX = 64;

interface Part {
  readonly of: string;
  readonly index: number;
  readonly count: number;
}

/** Takes a reply of another gateway. Returns false if the stream is closed. */
export type TakeReply = (lines: Lines) => boolean;

/**
 * Passes replies from the gateway that made them to the gateway that has the stream of the session. A load
 * balancer may send the requests of one client to different gateways. A large reply is split into messages of
 * the bus.
 */
export class Relay {
  readonly #bus: Bus;
  readonly #prefix: string;
  readonly #partial = new Map<string, Buffer[]>();

  constructor(bus: Bus, prefix: string) {
    this.#bus = bus;
    this.#prefix = prefix;
  }

  /** Calls `opened` with each session that opens its stream at any gateway. */
  onOpened(opened: (digest: string) => void): BusSubscription {
    return this.#bus.subscribe(`${this.#prefix}.opened.*`, ({ subject }) =>
      opened(subject.split(".").at(-1)!),
    );
  }

  announceOpened(digest: string): void {
    this.#bus.publish(`${this.#prefix}.opened.${digest}`, new Uint8Array());
  }

  /** Sends replies of the session to `take`. */
  hold(digest: string, take: TakeReply): BusSubscription {
    return this.#bus.subscribe(`${this.#prefix}.reply.${digest}`, (message) => this.#receive(message, take));
  }

  /** Returns true if a gateway has written the reply to the stream. */
  async send(digest: string, lines: Lines): Promise<boolean> {
    const bytes = Buffer.from(JSON.stringify(lines));
    const count = Math.ceil(bytes.length / PART_BYTES);
    const of = randomUUID();
    try {
      let taken = false;
      for (let index = 0; index < count; index++) {
        const payload = bytes.subarray(index * PART_BYTES, (index + 1) * PART_BYTES);
        const headers = { part: JSON.stringify({ of, index, count }) };
        const answer = await this.#bus.request(`${this.#prefix}.reply.${digest}`, payload, {
          timeoutMs: TIMEOUT_MS,
          headers,
        });
        taken = answer.payload[0] === 1;
      }
      return taken;
    } catch {
      // No gateway has the stream, or it failed. The reply is kept until the stream opens again.
      return false;
    }
  }

  #receive({ payload, headers, reply }: BusMessage, take: TakeReply): void {
    const part = JSON.parse(headers.part ?? "{}") as Part;
    const parts = this.#partial.get(part.of) ?? [];
    parts[part.index] = Buffer.from(payload);
    let taken = false;
    if (parts.filter(Boolean).length === part.count) {
      this.#partial.delete(part.of);
      taken = take(JSON.parse(Buffer.concat(parts).toString()) as Lines);
    } else this.#keep(part.of, parts);
    if (reply !== undefined) this.#bus.publish(reply, Uint8Array.of(taken ? 1 : 0));
  }

  #keep(of: string, parts: Buffer[]): void {
    this.#partial.set(of, parts);
    if (this.#partial.size <= PARTIAL_MAX) return;
    const [oldest] = this.#partial.keys();
    this.#partial.delete(oldest!);
  }
}
