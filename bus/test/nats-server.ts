import { findNatsServer } from "@membus/nats-server";

/**
 * Servers that every NATS test runs with: MEMBUS_TEST_NATS_SERVERS, else MEMBUS_NATS_SERVER, else the
 * installed server.
 */
export const NATS_SERVERS: readonly string[] = given() ?? [await installed()];

/** First server, for tests that run with one. */
export const NATS_SERVER: string = NATS_SERVERS[0]!;

function given(): string[] | undefined {
  const paths = process.env.MEMBUS_TEST_NATS_SERVERS?.split(":").filter((path) => path !== "");
  return paths?.length ? paths : undefined;
}

async function installed(): Promise<string> {
  const binary = await findNatsServer({
    explicitPath: process.env.MEMBUS_NATS_SERVER || undefined,
    env: process.env,
  });
  if (binary === undefined)
    throw new Error("no nats-server found: set MEMBUS_NATS_SERVER, or run `npm test`, which installs one");
  return binary.path;
}
