import type { MemoryError, StoreEntry } from "@membus/protocol";
import type { Command } from "commander";
import { definedOnly } from "../flags/defined-only.js";
import { readJsonArgument } from "../flags/json-argument.js";
import { openSession, withClient } from "../session.js";
import { adviceFor } from "../terminal/advice.js";

export function registerStore(program: Command): void {
  program
    .command("store")
    .description("store one entry or a list of entries given as JSON (- reads standard input)")
    .argument("<json>", 'for example \'{"key":"user_name","content":"Alice","tier":"episodic"}\'')
    .option("--ack <kind>", "acknowledge when stored (default) or queued")
    .option("--id <id>", "idempotency key: repeating a request with the same id has no further effect")
    .action(async (json: string, flags: { ack?: "stored" | "queued"; id?: string }, command: Command) => {
      const { config, output } = await openSession(command);
      const entries = (await readJsonArgument("the entry", json)) as StoreEntry | StoreEntry[];
      const reply = await withClient(config, (client) =>
        client.store(Array.isArray(entries) ? entries : [entries], { ...definedOnly(flags), partial: true }),
      );
      output.result(reply, () => describe(reply));
      if (reply.errors.length > 0) process.exitCode = 1;
    });
}

function describe(reply: {
  readonly receipts: readonly { index: number; outcome: string; revision: number }[];
  readonly errors: readonly {
    index: number;
    code: string;
    message: string;
    detail?: MemoryError["detail"];
  }[];
}): string {
  return [
    ...reply.receipts.map(({ index, outcome, revision }) => `${index}: ${outcome}, revision ${revision}`),
    ...reply.errors.flatMap(({ index, code, message, detail = {} }) => {
      const advice = adviceFor({ message, detail });
      return [`${index}: ${code}: ${message}`, ...(advice === undefined ? [] : [`   ${advice}`])];
    }),
  ].join("\n");
}
