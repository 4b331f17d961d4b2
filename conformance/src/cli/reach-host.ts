import { connectNatsBus } from "@membus/bus";
import { type Bus, isMemoryError, silentLogger, systemClock } from "@membus/protocol";
import { ExpectationError } from "../expect.js";
import { askServices } from "../host-route/ask-services.js";
import { type Address, awaitHost } from "./host-answers.js";
import { type NatsFlags, natsBusOptions } from "./nats-flags.js";
import { UsageError } from "./usage-error.js";

const HOST_PATIENCE_MS = 5_000;
const DISCOVERY = "$SRV.INFO.membus";

/** @throws {UsageError} when the server is not there, or does not let us in. */
export async function connect(flags: NatsFlags): Promise<Bus> {
  const options = await natsBusOptions(flags);
  try {
    return await connectNatsBus(options, { logger: silentLogger, clock: systemClock });
  } catch (cause) {
    if (isMemoryError(cause) || cause instanceof TypeError) throw new UsageError(cause.message, { cause });
    throw cause;
  }
}

/** @throws {UsageError} when no host answers, or the server does not let us ask. */
export async function demandHost(bus: Bus, address: Address, servers: string): Promise<void> {
  const { prefix, tenant, agent } = address;
  const asked = `a ping, a retrieve (${prefix}.${tenant}.${agent}.…) and $SRV.INFO.membus`;
  const answered = await awaitHost(bus, address, HOST_PATIENCE_MS).catch((cause: unknown) => {
    if (!isMemoryError(cause)) throw cause;
    throw new UsageError(`${servers} does not let the suite ask: ${cause.message}`, { cause });
  });
  if (answered) return;
  throw new UsageError(
    `no host answers at ${servers}: ${asked} had no answer within ${HOST_PATIENCE_MS / 1_000} s. ` +
      "Start the host, or name its --prefix and --tenants",
  );
}

/**
 * Without discovery nothing says which tiers there are and what each can: every check of something that the host does not have
 * would be red.
 * @throws {ExpectationError} when no answer to `$SRV.INFO` comes (clauses DISC-1 and DISC-2).
 */
export async function demandDiscovery(bus: Bus): Promise<void> {
  const answers = await askServices(bus, DISCOVERY);
  if (answers.length > 0) return;
  const what = `an answer of the host to a request on ${DISCOVERY}`;
  const expected = "what it offers: its tiers, and of each the manifest (clauses DISC-1 and DISC-2)";
  throw new ExpectationError({ what, expected, got: "none" });
}
