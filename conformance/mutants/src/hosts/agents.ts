import { agentToken, type Message } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import { intercept, rewriteReplies } from "./intercept.js";
import { without } from "./rewrite-entries.js";

type Agent = Readonly<{ name: string; tiers: readonly string[] }>;
type Reply = Message & { agents: readonly Agent[]; cursor?: string };

/** Rewrites the replies with agents. `asked` is the original request. */
function giving(change: (reply: Reply, asked: Message) => Message): (bus: Bus) => Bus {
  return (bus) =>
    rewriteReplies(bus, (message, { asked = {} }) =>
      message.type === "memory/agents/resp" ? change(message as Reply, asked) : message,
    );
}

/** Moves requests to another subject before the host reads them. */
function onSubject(change: (subject: string) => string): (bus: Bus) => Bus {
  return (bus) =>
    intercept(bus, {
      receive: (message, deliver) => deliver({ ...message, subject: change(message.subject) }),
    });
}

export const agentsHostMutants: readonly Mutant[] = [
  hostMutant({
    id: "agents-for-every-agent",
    defect: "every agent may list the agents of its tenant",
    check: "agents/only-for-operators",
    names: /a list of agents on/,
    bus: onSubject((subject) =>
      subject.replace(/[^.]+\.memory\.agents\.req$/, "$$OPERATOR.memory.agents.req"),
    ),
  }),
  hostMutant({
    id: "agents-for-an-agent-of-that-name",
    defect: "an agent with the name $OPERATOR is taken for the operator",
    check: "agents/only-for-operators",
    names: /a list of agents on .*=JE9QRVJBVE9S/,
    bus: onSubject((subject) => subject.replace(agentToken("$OPERATOR"), "$$OPERATOR")),
  }),
  hostMutant({
    id: "agents-operator-as-an-agent",
    defect: "an operator may send the requests of an agent",
    check: "agents/only-for-operators",
    names: /a store on/,
    bus: onSubject((subject) =>
      subject.endsWith(".memory.agents.req") ? subject : subject.replace("$OPERATOR", "operator"),
    ),
  }),
  hostMutant({
    id: "agents-with-counts",
    defect: "the reply also has the number of entries of each agent",
    check: "agents/an-operator-lists-all",
    names: /fields of the listed agents/,
    bus: giving(({ agents, ...reply }) => ({
      ...reply,
      agents: agents.map((one) => ({ ...one, entries: 1 })),
    })),
  }),
  hostMutant({
    id: "agents-of-one-page",
    defect: "a page that is full has no cursor",
    check: "agents/an-operator-lists-all",
    names: /names on all pages of one agent/,
    bus: giving((reply, { limit }) => (limit === 1 ? (without(reply, "cursor") as Message) : reply)),
  }),
  hostMutant({
    id: "agents-once-for-each-tier",
    defect: "an agent with entries in two tiers is listed twice",
    check: "agents/tiers-are-merged",
    names: /agents on the first page of 3, of two tiers/,
    bus: giving(({ agents, ...reply }) => ({
      ...reply,
      agents: agents.flatMap(({ name, tiers }) => tiers.map((tier) => ({ name, tiers: [tier] }))),
    })),
  }),
  hostMutant({
    id: "agents-tiers-not-named",
    defect: "tiers that do not declare `agents` are omitted without a report",
    check: "agents/tiers-that-cannot-are-named",
    names: /of two tiers, with `agents` declared only by the episodic one/,
    bus: giving((reply) => without(reply, "degraded") as Message),
  }),
];
