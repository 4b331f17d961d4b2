import { DEFAULT_PREFIX, isMemoryError, type MemoryTier } from "@membus/protocol";
import { ExpectationError } from "../expect.js";
import { Trace } from "../trace.js";
import { HostAgent } from "./host-agent.js";
import { type HostUnderTest, namesOf } from "./host-under-test.js";

const TIMEOUT_MS = 1_000;

/**
 * Returns whether entries of one namespace are invisible in another. Otherwise concurrent checks would find
 * each other's entries and fail with misleading results.
 */
export async function keepsNamespacesApart(
  implementation: HostUnderTest,
  tier: MemoryTier,
  run: string,
): Promise<boolean> {
  const { bus, prefix = DEFAULT_PREFIX } = implementation;
  const { agents, tenants } = namesOf(implementation);
  const caller = { tenant: tenants.first, agent: agents.first, session: "" };
  const request = bus.request.bind(bus);
  const parts = { request, timeoutMs: TIMEOUT_MS, prefix, tier, trace: new Trace() };
  const [here, elsewhere] = ["here", "elsewhere"].map(
    (name) => new HostAgent(caller, `${run}/${name}`, parts),
  ) as [HostAgent, HostAgent];
  const key = { [run]: "here" };
  try {
    await here.store({ key, content: "here", tier });
    const { entries } = await elsewhere.retrieve({ keys: [key] });
    await here.forget({ keys: [key] });
    return entries.length === 0;
  } catch (error) {
    if (isMemoryError(error) || error instanceof ExpectationError) return true;
    throw error;
  }
}
