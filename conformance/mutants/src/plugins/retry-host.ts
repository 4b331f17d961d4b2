import { delay, type Message, systemClock } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { interceptReplies, rewriteReplies, rewriteRequests } from "../hosts/intercept.js";
import { hostMutant, type Mutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";

/** Defines a host with a slow working tier. It caches the errors that it sent. */
function rememberingErrors(bus: Bus): Bus {
  const errors = new Map<unknown, Message>();
  return rewriteReplies(bus, (reply, { asked }) => {
    if (asked?.type !== "memory/store/req") return reply;
    const { code, message, detail, retryable } = reply;
    if (reply.type === "error") errors.set(asked.id, { type: "error", code, message, detail, retryable });
    const { id, version, ts, req_id } = reply;
    return errors.has(asked.id) ? ({ id, version, ts, req_id, ...errors.get(asked.id) } as Message) : reply;
  });
}

const SLOW_STORE_MS = 60;

class SlowPlugin extends ReferencePlugin {
  protected override async storeAll(...[scope, request]: Parameters<ReferencePlugin["storeAll"]>) {
    await delay(systemClock, SLOW_STORE_MS);
    return super.storeAll(scope, request);
  }
}

/** Defines a host that treats a repeated request as a new one while the first is pending. */
function carryingOutAtOnce(bus: Bus): Bus {
  const inWork = new Map<unknown, number>();
  let copies = 0;
  const renamed = rewriteRequests(bus, (fields) => {
    if (fields.type !== "memory/store/req" && fields.type !== "memory/forget/req") return fields;
    const count = (inWork.get(fields.id) ?? 0) + 1;
    inWork.set(fields.id, count);
    return count === 1 ? fields : { ...fields, id: `${fields.id}#${++copies}` };
  });
  return interceptReplies(renamed, (reply, send) => {
    const id = String(reply.message.req_id).split("#")[0];
    inWork.delete(id);
    send({ ...reply, message: { ...reply.message, req_id: id! } });
  });
}

export const retryHostMutants: readonly Mutant[] = [
  hostMutant({
    id: "retry-digest-of-the-whole-message",
    defect: "a request with another `ts` is treated as a new one",
    check: "retry/digest-is-of-the-body-alone",
    names: /a store repeated with another ts/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) =>
        fields.type === "memory/store/req" && fields.ts != null ? { ...fields, ack: "stored" } : fields,
      ),
  }),
  hostMutant({
    id: "retry-digest-of-the-bytes",
    defect: "a request in the other encoding is treated as a new one",
    check: "retry/digest-is-of-the-body-alone",
    names: /a store repeated with the other encoding/,
    bus: (bus) =>
      rewriteRequests(bus, (fields, { headers }) =>
        fields.type === "memory/store/req" && headers["Content-Type"] === "application/msgpack"
          ? { ...fields, ack: "stored" }
          : fields,
      ),
  }),
  hostMutant({
    id: "retry-at-once-is-carried-out",
    defect: "a request that is repeated while the first is pending is executed concurrently",
    check: "retry/at-once-is-one-effect",
    names: /in the repl(y|ies) to a store that is sent 5 times at once/,
    bus: carryingOutAtOnce,
  }),
  hostMutant({
    id: "retry-timeout-is-remembered",
    defect: "a store that was answered with `timeout` gets the same error again after it is done",
    check: "retry/timeout-is-not-remembered",
    names: /the reply to a store of 200 entries that is repeated with time enough.*"timeout"/,
    bus: rememberingErrors,
    plugins: { working: () => new SlowPlugin() },
  }),
];
