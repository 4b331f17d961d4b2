import { onTestFinished } from "vitest";
import { MemoryClient } from "../../agent-client/src/index.js";

/** Connects an agent of a tenant. It repeats requests for two minutes. */
export async function connectAlice(
  servers: string | readonly string[],
  tenant: string,
): Promise<MemoryClient> {
  const timing = { timeoutMs: 5_000, retryTimeoutMs: 120_000 };
  const own = { servers: [servers].flat() as string[], tenant, agent: "alice" };
  const alice = await MemoryClient.connect({ ...own, ...timing });
  onTestFinished(() => alice.close());
  return alice;
}
