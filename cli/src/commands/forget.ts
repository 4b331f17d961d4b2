import { randomUUID } from "node:crypto";
import type { ForgetResult, ForgetStatus, MemoryClient } from "@membus/agent-client";
import type { ForgetUserOptions, ForgetUserReceipt } from "@membus/agentic/memory";
import { isMemoryError } from "@membus/protocol";
import type { Command } from "commander";
import { addCriteriaFlags, type CriteriaFlags, criteriaOf } from "../flags/criteria-flags.js";
import { definedOnly } from "../flags/defined-only.js";
import { openSession, type Session, withClient } from "../session.js";
import { describeErasure } from "../terminal/describe-erasure.js";

interface ForgetFlags extends CriteriaFlags {
  readonly dryRun?: boolean;
  readonly all?: boolean;
  readonly cascade?: boolean;
  readonly purge?: boolean;
  readonly status?: string;
  readonly user?: string;
  readonly name?: string[];
  readonly conversation?: string[];
}

type ForgetCriteria = Parameters<MemoryClient["forget"]>[0];

export function registerForget(program: Command): void {
  const command = program
    .command("forget")
    .description(
      "forget all entries that match every criterion, and report when their bytes are erased from disk",
    )
    .option("--dry-run", "only count the entries")
    .option("--all", "confirm forgetting without criteria, or forgetting the whole semantic tier")
    .option("--cascade", "also forget entries derived from them (by their sources), in all your namespaces")
    .option("--purge", "wait until the bytes are erased from disk")
    .option(
      "--user <id>",
      "forget a user: facts, conversations, triples, blocks, files and notes in all tiers",
    )
    .option("--name <name...>", "other names of that user: nodes of a graph, labels of blocks")
    .option("--conversation <id...>", "further conversations of that user")
    .option("--status <id>", "only show whether the bytes of an earlier forget are erased");
  addCriteriaFlags(command).action(async (flags: ForgetFlags, self: Command) => {
    const session = await openSession(self);
    const { dryRun: dry_run, all, cascade, purge, status, user, name, conversation } = flags;
    const request = { ...criteriaOf(flags), ...definedOnly({ dry_run, all, cascade, purge }) };
    if (user !== undefined) {
      const { dry_run: _dryRun, purge: _purge, ...others } = request;
      if (status !== undefined || Object.keys(others).length > 0)
        throw new TypeError("--user cannot be combined with criteria, --all, --cascade or --status");
      const options = definedOnly({ dryRun: dry_run, purge, names: name, conversations: conversation });
      return forgetOneUser(user, options, session);
    }
    if (name !== undefined || conversation !== undefined)
      throw new TypeError("--name and --conversation require --user");
    if (status === undefined) return forget(request, session);
    if (Object.keys(request).length > 0)
      throw new TypeError("--status cannot be combined with criteria or other forget options");
    const forgetStatus = await withClient(session.config, (client) => client.forgetStatus(status));
    session.output.result(forgetStatus, () => describeErasure(forgetStatus));
  });
}

async function forget(request: ForgetCriteria, { config, output }: Session): Promise<void> {
  await withClient(config, async (client) => {
    const reply = await forgetOrSayHowToCheck(request, client, output.note);
    if (request.dry_run === true) return output.result(reply, () => `would forget ${countsOf(reply)}`);
    const status = await statusOf(reply, client, output.note);
    output.result({ ...reply, ...(status && { status }) }, () => {
      const lines = [`forgot ${countsOf(reply)}`, status && describeErasure(status)];
      if (status?.purge === "scheduled") lines.push(`check later: membus forget --status ${reply.requestId}`);
      return lines.filter((line) => line !== undefined).join("\n");
    });
  });
}

/** A request without an answer may be carried out, and a purge may take longer than the client waits. */
async function forgetOrSayHowToCheck(
  request: ForgetCriteria,
  client: MemoryClient,
  note: (line: string) => void,
): Promise<ForgetResult> {
  const id = randomUUID();
  try {
    return await client.forget(request, { id });
  } catch (error) {
    if (isMemoryError(error) && error.retryable && request.dry_run !== true)
      note(
        `the entries may be forgotten all the same. Check as the same agent: membus forget --status ${id}`,
      );
    throw error;
  }
}

async function forgetOneUser(
  user: string,
  options: ForgetUserOptions,
  { config, output }: Session,
): Promise<void> {
  const { forgetUser } = await import("@membus/agentic/memory");
  const receipt = await withClient(config, (client) => forgetUser(client, user, options));
  output.result(receipt, () => describeReceipt(receipt, options.dryRun === true));
}

function describeReceipt({ deleted, byKind, purged, remains }: ForgetUserReceipt, dryRun: boolean): string {
  const counts = Object.entries(byKind).map(([kind, count]) => `  ${kind.padEnd(12)} ${count}`);
  const total = `${deleted} ${deleted === 1 ? "entry" : "entries"}`;
  if (dryRun) return [`would forget ${total}`, ...counts].join("\n");
  const places = remains.map(
    ({ what, count, reason }) => `  ${what}${count === undefined ? "" : ` (${count})`}: ${reason}`,
  );
  const erased = purged ? ", erased from disk" : "";
  return [`forgot ${total}${erased}`, ...counts, "may remain:", ...places].join("\n");
}

/** Returns undefined if the host cannot report the status. The entries are forgotten in either case. */
async function statusOf(
  { requestId }: ForgetResult,
  client: MemoryClient,
  note: (line: string) => void,
): Promise<ForgetStatus | undefined> {
  try {
    return await client.forgetStatus(requestId);
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    note(`cannot determine when the bytes are erased from disk: ${error.message}`);
    return undefined;
  }
}

function countsOf({ deleted, receipt }: ForgetResult): string {
  // Number of derived entries at each level.
  const derived = receipt.cascaded === undefined ? "" : `, derived ${JSON.stringify(receipt.cascaded)}`;
  return `${deleted} (${JSON.stringify(receipt.by_tier)}${derived})`;
}
