import { onTestFinished } from "vitest";
import { type CallOptions, MemoryClient } from "../../agent-client/src/index.js";

/** Connects an agent of a tenant. It repeats requests for two minutes by default. */
export async function connectAlice(
  servers: string | readonly string[],
  tenant: string,
  { timeoutMs = 5_000, retryTimeoutMs = 120_000 }: CallOptions = {},
): Promise<MemoryClient> {
  const timing = { timeoutMs, retryTimeoutMs };
  const own = { servers: [servers].flat() as string[], tenant, agent: "alice" };
  const alice = await MemoryClient.connect({ ...own, ...timing });
  onTestFinished(() => alice.close());
  return alice;
}
