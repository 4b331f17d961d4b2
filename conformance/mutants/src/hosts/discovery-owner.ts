import { hostMutant, type Mutant } from "../mutant.js";
import { interceptReplies, rewriteReplies } from "./intercept.js";

const OWNER = "discovery/one-host-answers-a-tenant";

/** Returns whether the agent of a request is one of those that another host takes for its own. */
function isOfAnotherHost({ subject }: { readonly subject: string }): boolean {
  const [, , agent = ""] = subject.split(".");
  return agent.charCodeAt(agent.length - 1) % 2 === 1;
}

export const discoveryOwnerMutants: readonly Mutant[] = [
  hostMutant({
    id: "discovery-divides-agents",
    defect: "the hosts of a cluster divide the agents of a tenant, in place of the tenants",
    check: OWNER,
    names: /hosts that answer a ping of 12 agents of the tenant default/,
    bus: (bus) =>
      rewriteReplies(bus, (message, { request }) =>
        message.type === "pong" && isOfAnotherHost(request)
          ? { ...message, host_id: "another host" }
          : message,
      ),
  }),
  hostMutant({
    id: "discovery-former-owner-answers-too",
    defect: "the former owner of a tenant still answers some agents, beside the owner",
    check: OWNER,
    names: /replies to a status of each of 12 agents of the tenant default: expected \[1,1,.*got \[.*2/,
    bus: (bus) =>
      interceptReplies(bus, (reply, send) => {
        send(reply);
        if (reply.asked?.type === "memory/status/req" && isOfAnotherHost(reply.request)) send(reply);
      }),
  }),
];
