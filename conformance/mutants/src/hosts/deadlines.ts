import { delay, type Message, systemClock } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import { interceptReplies, rewriteRequests } from "./intercept.js";

const CHECK = "envelope/no-result-after-the-deadline";
const LONGEST_MS = 600_000;
/** Longer than a result may be late, with a margin for pings of 300 ms. */
const WORK_MS = 1_000;

/** Delays every operation. */
class LeisurelyPlugin extends ReferencePlugin {
  override async onStore(...args: Parameters<ReferencePlugin["onStore"]>) {
    await delay(systemClock, WORK_MS);
    return super.onStore(...args);
  }

  override async onRetrieve(...args: Parameters<ReferencePlugin["onRetrieve"]>) {
    await delay(systemClock, WORK_MS);
    return super.onRetrieve(...args);
  }
}

const plugins = { working: () => new LeisurelyPlugin() };

/** Rewrites the deadlines of requests. */
function reading(deadlineMs: (given: number, type: unknown) => number): (bus: Bus) => Bus {
  return (bus) =>
    rewriteRequests(bus, (fields) => {
      const { deadline_ms: given, type } = fields;
      if (!Number.isInteger(given) || Number(given) < 1 || Number(given) > LONGEST_MS) return fields;
      return { ...fields, deadline_ms: Math.min(LONGEST_MS, deadlineMs(Number(given), type)) } as Message;
    });
}

export const deadlineMutants: readonly Mutant[] = [
  hostMutant({
    id: "envelope-deadline-of-no-read",
    defect: "reads ignore their deadline",
    check: CHECK,
    plugins,
    names: /the reply to a retrieve of much work with deadline_ms 1/,
    bus: reading((given, type) => (type === "memory/retrieve/req" ? LONGEST_MS : given)),
  }),
  hostMutant({
    id: "envelope-deadline-of-reads-alone",
    defect: "a deadline only applies to reads, and started writes are awaited",
    check: CHECK,
    plugins,
    names: /the reply to a store of much work with deadline_ms 1/,
    bus: reading((given, type) => (type === "memory/store/req" ? LONGEST_MS : given)),
  }),
  hostMutant({
    id: "envelope-deadline-is-the-servers-own",
    defect: "the host has a fixed timeout of 5 s and ignores shorter deadlines",
    check: CHECK,
    plugins,
    names: /the reply to a \w+ of much work with deadline_ms 1/,
    bus: reading((given) => Math.max(given, 5_000)),
  }),
  hostMutant({
    id: "envelope-late-page-follows-its-timeout",
    defect: "the page of a retrieve that was answered with `timeout` is sent when it is ready",
    check: "envelope/late-result-is-no-second-reply",
    names: /replies to a retrieve of much work with deadline_ms 1.*expected 1, got 2/,
    bus: (bus) =>
      interceptReplies(bus, (reply, send) => {
        send(reply);
        const { req_id, ...head } = reply.message;
        if (head.code !== "timeout" || reply.asked?.type !== "memory/retrieve/req") return;
        const page = {
          type: "memory/retrieve/resp",
          entries: [],
          total: 0,
          total_relation: "eq",
          took_ms: {},
        };
        const { id, version, ts } = head;
        const late = { ...page, id: `${id}-late`, version, ts, req_id };
        void delay(systemClock, 200).then(() => send({ ...reply, message: late as Message }));
      }),
  }),
];
