import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { type Clock, isMemoryError, silentLogger, systemClock } from "@membus/protocol";
import type { Bus, Logger } from "@membus/protocol/plugin";
import { type GatewayOptions, resolveGatewayOptions, TOKENS_MAX } from "../options.js";
import { TenantClients } from "../tenant-clients.js";
import { type Identity, Tokens } from "../tokens.js";
import { Dispatcher } from "./dispatcher.js";
import { A2E_TIMEOUT_MS, Memories } from "./memories.js";
import { errorLines, idAtHead, type Lines, parseMessage } from "./message.js";
import { digestOf, type Session } from "./sessions.js";

export interface StdioDependencies {
  readonly bus: Bus;
  readonly input: Readable;
  readonly output: Writable;
  /** Id of the session. A random id if it is absent. */
  readonly sessionId: string;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/**
 * Serves A2E with one message per line to the client that started this process. Resolves when the input ends.
 */
export async function serveStdio(
  { bus, input, output, sessionId, clock = systemClock, logger = silentLogger }: StdioDependencies,
  options: Pick<GatewayOptions, "tokens" | "tenant" | "prefix"> = {},
): Promise<void> {
  const resolved = resolveGatewayOptions(options);
  const limits = { prefix: resolved.prefix, timeoutMs: A2E_TIMEOUT_MS, tenantsMax: TOKENS_MAX };
  const clients = new TenantClients({ bus, clock, logger }, limits);
  const memories = new Memories(clients);
  const digest = digestOf(sessionId);
  let identity: Identity | undefined;
  const sessions = {
    bind: async (_: Session, bound: Identity) => {
      identity = bound;
    },
    end: async () => {},
  };
  const dispatcher = new Dispatcher({ tokens: new Tokens(resolved), memories, sessions, clock, logger });
  const write = (lines: Lines) => output.write(`${lines.join("")}\n`);
  const answer = async (line: string): Promise<boolean> => {
    try {
      const { lines, ends = false } = await dispatcher.answer({ digest, identity }, parseMessage(line));
      if (lines !== undefined) write(lines);
      return ends;
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      write(errorLines(error, idAtHead(line), clock.now()));
      return false;
    }
  };
  const underWay = new Set<Promise<boolean>>();
  for await (const line of createInterface({ input })) {
    if (line.trim() === "") continue;
    const answered = answer(line);
    underWay.add(answered);
    void answered.finally(() => underWay.delete(answered));
    // The next line depends on the identity that the handshake sets.
    if (identity === undefined && (await answered)) break;
  }
  await Promise.all(underWay);
  await clients.close();
}
