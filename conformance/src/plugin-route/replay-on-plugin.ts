import { ShiftingClock } from "../fixtures/shifting-clock.js";
import type { EntryInput, MemoryAgent } from "../memory-agent.js";
import type { TracedStep } from "../run/traced-step.js";
import { Trace } from "../trace.js";
import { fittingTier } from "./fitting-tier.js";
import { PluginAgent } from "./plugin-agent.js";
import { makeSurroundings, openPlugin, removeSurroundings } from "./plugin-instance.js";
import type { PluginUnderTest } from "./plugin-under-test.js";
import { embedderOf } from "./plugin-world.js";

/** Sends requests to a new instance of a plugin one after another and prints each reply as a line of JSON. */
export async function replayOnPlugin(
  implementation: PluginUnderTest,
  steps: readonly TracedStep[],
): Promise<void> {
  const tier = await fittingTier(implementation);
  const clock = new ShiftingClock();
  const surroundings = await makeSurroundings(tier, clock, embedderOf(implementation));
  const plugin = await openPlugin(implementation, surroundings.services);
  const parts = { tier, clock, trace: new Trace(), plugin: () => plugin };
  try {
    for (const { tenant, agent, message } of steps) {
      const { session_id, namespace } = message as { session_id?: string; namespace: string };
      const sender = new PluginAgent({ tenant, agent, session: session_id ?? "" }, namespace, parts);
      process.stdout.write(`${JSON.stringify(message)}\n`);
      process.stdout.write(`  ${JSON.stringify(await replyTo(sender, message).catch(shownError))}\n`);
    }
  } finally {
    await plugin.close?.();
    await removeSurroundings(surroundings);
  }
}

function replyTo(agent: MemoryAgent, { type, ...fields }: TracedStep["message"]): Promise<unknown> {
  const { entries, ...others } = fields as { entries: readonly EntryInput[] };
  if (type === "memory/store/req") return agent.store(entries, others);
  if (type === "memory/forget/req") return agent.forget(others);
  if (type !== "memory/status/req") return agent.retrieve(others);
  const { request_id, kind } = fields;
  return kind === "forget" ? agent.erasure(String(request_id)) : agent.status(String(request_id));
}

function shownError(error: unknown): object {
  return error instanceof Error ? { ...error, error: error.message } : { error: String(error) };
}
