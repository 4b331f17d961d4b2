import { encodeMessage, type Message } from "@membus/protocol";
import { type Check, hostCheck } from "../../catalogue/check.js";
import type { HostContext } from "../../context.js";
import { recordOf } from "../../fixtures/bare-messages.js";
import { findHost } from "../../fixtures/host-info.js";
import { newRequestId } from "../../fixtures/request-id.js";
import { answersTo, FLOOD_WAITS } from "../../host-route/answers-to.js";
import { parseJson } from "../../host-route/parse-json.js";

/** Hosts that divide a tenant by its agents would both get some. */
const AGENTS = Array.from({ length: 12 }, (_, at) => `agent-${at}`);

/** Sends a request of each agent of a tenant. Returns all replies to each of them. */
function repliesTo(
  t: HostContext,
  tenant: string,
  operation: string,
  fields: Readonly<Message>,
): Promise<readonly (readonly Readonly<Record<string, unknown>>[])[]> {
  const payload = encodeMessage(fields, "json");
  return Promise.all(
    AGENTS.map(async (agent) => {
      const replies = await answersTo(t.bus, t.subject(operation, { tenant, agent }), payload, FLOOD_WAITS);
      return replies.map((reply) => recordOf(parseJson(reply.payload)));
    }),
  );
}

/** Outside a cluster the one host of a tenant is the owner. */
export const discoveryOwnerChecks: readonly Check[] = [
  hostCheck({
    id: "discovery/one-host-answers-a-tenant",
    clauses: ["SUBJ-7"],
    turn: "alone",
    async run(t) {
      for (const tenant of t.tenants) {
        const { id } = await findHost(t, tenant);
        const [pongs, statuses] = await Promise.all([
          repliesTo(t, tenant, "ping", { type: "ping" }),
          repliesTo(t, tenant, "status", { type: "memory/status/req", request_id: newRequestId() }),
        ]);
        const agents = `${AGENTS.length} agents of the tenant ${tenant}`;
        for (const [operation, replies] of [
          ["ping", pongs],
          ["status", statuses],
        ] as const) {
          const counts = replies.map(({ length }) => length);
          t.expect.equal(
            counts,
            AGENTS.map(() => 1),
            `replies to a ${operation} of each of ${agents}`,
          );
        }
        const hosts = new Set(pongs.flat().map(({ host_id }) => host_id));
        t.expect.equal([...hosts], [id], `hosts that answer a ping of ${agents}, which only the owner does`);
      }
    },
  }),
];
