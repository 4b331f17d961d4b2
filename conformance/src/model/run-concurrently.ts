import type { Json } from "@membus/protocol";
import fc from "fast-check";
import type { MemoryContext } from "../context.js";
import type { MemoryAgent } from "../memory-agent.js";
import { type Answer, type Event, isLinearisable } from "./history.js";

type Step = "write" | "write-if-current" | "create" | "read" | "forget";

/** Operations of several concurrent agents on the same keys, in order for each agent. */
export type Plan = readonly (readonly { readonly step: Step; readonly key: number }[])[];

const step = fc.record({
  step: fc.constantFrom<Step[]>(
    "write",
    "write",
    "write-if-current",
    "write-if-current",
    "create",
    "read",
    "forget",
  ),
  key: fc.integer({ min: 1, max: 2 }),
});
const worker = fc.array(step, { minLength: 1, maxLength: 4 });

export const plans: fc.Arbitrary<Plan> = fc.array(worker, { minLength: 2, maxLength: 4 });

/** Runs the agents of a plan concurrently. The replies for each key must be linearisable. */
export async function runConcurrently(
  { expect, tier }: Pick<MemoryContext, "expect" | "tier">,
  agent: MemoryAgent,
  plan: Plan,
): Promise<void> {
  const histories = new Map<number, Event[]>([1, 2].map((key) => [key, []]));
  let moment = 0;
  const workers = plan.map(async (steps, worker) => {
    let known = 0;
    for (const [at, { step, key }] of steps.entries()) {
      const begin = ++moment;
      const content = `${worker}.${at}`;
      const event = await perform(agent, { step, key, tier, content, known });
      known = "revision" in event.answer ? event.answer.revision : 0;
      histories.get(key)!.push({ ...event, begin, end: ++moment });
    }
  });
  await Promise.all(workers);
  for (const [key, events] of histories) {
    const what = `replies to agents that used key ${key} concurrently`;
    expect.holds(isLinearisable(events), what, events, "replies that some order of the requests explains");
  }
}

interface Task {
  readonly step: Step;
  readonly key: number;
  readonly tier: MemoryContext["tier"];
  readonly content: string;
  /** Revision that this agent saw last. */
  readonly known: number;
}

async function perform(agent: MemoryAgent, task: Task): Promise<Omit<Event, "begin" | "end">> {
  const { step, content, known } = task;
  const keys = [{ shared: task.key }];
  if (step === "read") return { answer: await read(agent, keys) };
  if (step === "forget") return { answer: { kind: "forgot", count: (await agent.forget({ keys })).deleted } };
  if (step === "write") return { content, answer: await write(agent, task, undefined) };
  const ifRevision = step === "create" ? 0 : known;
  return { content, ifRevision, answer: await write(agent, task, ifRevision) };
}

async function read(agent: MemoryAgent, keys: { shared: number }[]): Promise<Answer> {
  const [entry] = (await agent.retrieve({ keys })).entries;
  if (entry === undefined) return { kind: "absent" };
  return { kind: "read", content: entry.content as Json, revision: entry.revision };
}

async function write(agent: MemoryAgent, task: Task, ifRevision: number | undefined): Promise<Answer> {
  const { key, tier, content } = task;
  const condition = ifRevision === undefined ? {} : { if_revision: ifRevision };
  const { receipts, errors } = await agent.store({ key: { shared: key }, content, tier, ...condition });
  const receipt = receipts[0];
  if (receipt === undefined) return { kind: "conflict", revision: Number(errors[0]?.detail.revision) };
  const { outcome, revision } = receipt;
  if (outcome === "superseded") return { kind: "superseded" };
  return { kind: "wrote", outcome: outcome as "created", revision };
}
