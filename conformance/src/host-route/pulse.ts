import { type Bus, type BusMessage, encodeMessage, isMemoryError, requestSubject } from "@membus/protocol";
import { ExpectationError } from "../expect.js";
import { NoReplyError } from "../no-reply-error.js";
import type { Pace } from "./pace.js";

const PROBE_MS = 3_000;
/** Once a probe was in vain. */
const PROBE_AGAIN_MS = 1_000;

export interface PulseParts {
  readonly bus: Bus;
  readonly caller: { readonly tenant: string; readonly agent: string };
  readonly prefix: string;
  readonly pace: Pace;
}

/** Whether a host still answers: one that stopped to is not waited for in every check that is left. */
export class Pulse {
  readonly #bus: Bus;
  readonly #pace: Pace;
  readonly #probes: readonly string[];
  #isDoubtful = false;
  #isGone = false;

  constructor({ bus, caller, prefix, pace }: PulseParts) {
    this.#bus = bus;
    this.#pace = pace;
    this.#probes = (["ping", "memory/retrieve/req"] as const).map((type) =>
      requestSubject({ ...caller, type }, prefix),
    );
  }

  /** @throws {NoReplyError} when nobody answers, or the bus does not send it. */
  readonly request: Bus["request"] = async (subject, payload, options): Promise<BusMessage> => {
    try {
      return await this.#bus.request(subject, payload, options);
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      this.#isDoubtful ||= error.code === "timeout" || error.code === "unavailable";
      throw new NoReplyError(subject, error);
    }
  };

  /**
   * Asks whether the host is there at all, where a request before was not answered.
   * @throws {ExpectationError} when it is not.
   */
  async feel(): Promise<void> {
    if (!this.#isDoubtful) return;
    const timeoutMs = (this.#isGone ? PROBE_AGAIN_MS : PROBE_MS) + this.#pace.replyMs;
    const asked = this.#probes.map((subject) => {
      const type = subject.endsWith(".ping") ? "ping" : "memory/retrieve/req";
      return this.#bus.request(subject, encodeMessage({ type, limit: 0 }, "json"), { timeoutMs });
    });
    const answered = await Promise.any(asked).catch(() => undefined);
    this.#isGone = answered === undefined;
    this.#isDoubtful = this.#isGone;
    if (answered !== undefined) return;
    const what =
      "the host, asked by a ping and a retrieve before this check, for a request before it got no reply";
    throw new ExpectationError({ what, expected: `a reply to either within ${timeoutMs} ms`, got: "none" });
  }
}
