import { connectNatsBus } from "@membus/bus";
import { isMemoryError, silentLogger, systemClock } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { ExpectationError } from "../expect.js";
import { askServices } from "../host-route/ask-services.js";
import { type Address, awaitHost } from "./host-answers.js";
import { type NatsFlags, natsBusOptions } from "./nats-flags.js";
import { UsageError } from "./usage-error.js";

const HOST_PATIENCE_MS = 5_000;
const DISCOVERY = "$SRV.INFO.membus";

/**
 * Connects to the NATS server.
 * @throws {UsageError} if the server is unreachable or refuses the connection.
 */
export async function connect(flags: NatsFlags): Promise<Bus> {
  const options = await natsBusOptions(flags);
  try {
    return await connectNatsBus(options, { logger: silentLogger, clock: systemClock });
  } catch (cause) {
    if (isMemoryError(cause) || cause instanceof TypeError) throw new UsageError(cause.message, { cause });
    throw cause;
  }
}

/**
 * Waits for a host.
 * @throws {UsageError} if no host answers, or if the server does not permit the requests.
 */
export async function demandHost(bus: Bus, address: Address, servers: string): Promise<void> {
  const { prefix, tenant, agent } = address;
  const asked = `a ping, a retrieve (${prefix}.${tenant}.${agent}.…) and $SRV.INFO.membus`;
  const answered = await awaitHost(bus, address, HOST_PATIENCE_MS).catch((cause: unknown) => {
    if (!isMemoryError(cause)) throw cause;
    throw new UsageError(`${servers} does not permit the requests of the suite: ${cause.message}`, { cause });
  });
  if (answered) return;
  throw new UsageError(
    `no host answers at ${servers}: ${asked} got no reply within ${HOST_PATIENCE_MS / 1_000} s. ` +
      "Start the host, or set its --prefix and --tenants",
  );
}

/**
 * Waits for the host's discovery. The tiers and features are unknown without it, so checks of absent features
 * would fail.
 * @throws {ExpectationError} if no answer to `$SRV.INFO` arrives (clauses DISC-1 and DISC-2).
 */
export async function demandDiscovery(bus: Bus): Promise<void> {
  const answers = await askServices(bus, DISCOVERY);
  if (answers.length > 0) return;
  const what = `answer of the host to a request on ${DISCOVERY}`;
  const expected = "the tiers of the host and the manifest of each (clauses DISC-1 and DISC-2)";
  throw new ExpectationError({ what, expected, got: "none" });
}
