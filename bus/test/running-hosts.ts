import { randomUUID } from "node:crypto";

export interface RunningHosts {
  readonly servers: readonly string[];
  /** A tenant without entries. */
  readonly tenant: string;
}

let given: readonly string[] | undefined = process.env.MEMBUS_TEST_SERVERS?.split(",");

/**
 * Makes the fixtures of this process use hosts that run already, as `MEMBUS_TEST_SERVERS` does. Otherwise each fixture starts
 * its own.
 */
export function useRunningHosts(servers: readonly string[]): void {
  given = servers;
}

/** Returns the servers of the hosts that fixtures use, with a new tenant. Undefined if fixtures start hosts. */
export function runningHosts(): RunningHosts | undefined {
  return given && { servers: given, tenant: `test-${randomUUID()}` };
}
