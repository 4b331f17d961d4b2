import { encodeMessage, isMemoryError, requestSubject } from "@membus/protocol";
import type { Bus, BusMessage } from "@membus/protocol/plugin";
import { ExpectationError } from "../expect.js";
import { PATIENCE_MS } from "../fixtures/patience.js";
import { NoReplyError } from "../no-reply-error.js";
import type { Pace } from "./pace.js";

/** Timeout of further probes after one got no reply. */
const PROBE_AGAIN_MS = 1_000;

export interface PulseParts {
  readonly bus: Bus;
  /** Sends the requests of checks. Default: the bus. */
  readonly sender?: Pick<Bus, "request"> | undefined;
  readonly caller: { readonly tenant: string; readonly agent: string };
  readonly prefix: string;
  readonly pace: Pace;
}

/** Tracks whether a host still answers, so that the remaining checks do not wait for a dead host. */
export class Pulse {
  readonly #bus: Bus;
  readonly #sender: Pick<Bus, "request">;
  readonly #pace: Pace;
  readonly #probes: readonly string[];
  #isDoubtful = false;
  #isGone = false;

  constructor({ bus, sender = bus, caller, prefix, pace }: PulseParts) {
    this.#bus = bus;
    this.#sender = sender;
    this.#pace = pace;
    this.#probes = (["ping", "memory/retrieve/req"] as const).map((type) =>
      requestSubject({ ...caller, type }, prefix),
    );
  }

  /**
   * Sends a request.
   * @throws {NoReplyError} if no reply arrives or the bus cannot send the request.
   */
  readonly request: Bus["request"] = async (subject, payload, options): Promise<BusMessage> => {
    try {
      return await this.#sender.request(subject, payload, options);
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      this.#isDoubtful ||= error.code === "timeout" || error.code === "unavailable";
      throw new NoReplyError(subject, error);
    }
  };

  /**
   * Probes the host if an earlier request got no reply.
   * @throws {ExpectationError} if the host does not answer.
   */
  async feel(): Promise<void> {
    if (!this.#isDoubtful) return;
    const timeoutMs = (this.#isGone ? PROBE_AGAIN_MS : PATIENCE_MS) + this.#pace.replyMs;
    const asked = this.#probes.map((subject) => {
      const type = subject.endsWith(".ping") ? "ping" : "memory/retrieve/req";
      return this.#bus.request(subject, encodeMessage({ type, limit: 0 }, "json"), { timeoutMs });
    });
    const answered = await Promise.any(asked).catch(() => undefined);
    this.#isGone = answered === undefined;
    this.#isDoubtful = this.#isGone;
    if (answered !== undefined) return;
    const what =
      "the host, probed by a ping and a retrieve before this check, because an earlier request got no reply";
    throw new ExpectationError({ what, expected: `a reply to either within ${timeoutMs} ms`, got: "none" });
  }
}
