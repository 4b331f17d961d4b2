import { type BusDependencies, connectNatsBus, natsBusFromConnection } from "@membus/bus";
import type { Bus } from "@membus/protocol";
import type { Target } from "./client-options.js";

export interface OpenBus {
  readonly bus: Bus;
  /** Ends what was opened here, and nothing that was given. */
  close(): Promise<void>;
}

/** @throws {TypeError} for options that do not go with the target. */
export async function openBus(target: Target, dependencies: BusDependencies): Promise<OpenBus> {
  const { bus, connection, ...options } = target;
  if (bus !== undefined) {
    refuseOthers("bus", target, []);
    return { bus, close: async () => {} };
  }
  if (connection !== undefined) refuseOthers("connection", target, ["inboxPrefix", "closeTimeoutMs"]);
  const opened =
    connection === undefined
      ? await connectNatsBus(options, dependencies)
      : natsBusFromConnection(connection, options, dependencies);
  return { bus: opened, close: () => opened.close() };
}

function refuseOthers(name: string, target: Target, allowed: readonly string[]): void {
  const excluded = Object.keys(target).find((other) => other !== name && !allowed.includes(other));
  if (excluded !== undefined) throw new TypeError(`\`${name}\` excludes \`${excluded}\``);
}
