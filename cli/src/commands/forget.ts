import type { ForgetResult } from "@membus/agent-client";
import type { Command } from "commander";
import { addCriteriaFlags, type CriteriaFlags, criteriaOf } from "../flags/criteria-flags.js";
import { definedOnly } from "../flags/defined-only.js";
import { openSession, withClient } from "../session.js";

interface ForgetFlags extends CriteriaFlags {
  readonly dryRun?: boolean;
  readonly all?: boolean;
  readonly cascade?: boolean;
  readonly purge?: boolean;
}

export function registerForget(program: Command): void {
  const command = program
    .command("forget")
    .description("forget every entry that matches all criteria")
    .option("--dry-run", "only count")
    .option("--all", "confirms forgetting without criteria, or everything of the semantic tier")
    .option("--cascade", "also what was derived from it, as sources say, in all your namespaces")
    .option("--purge", "waits until the bytes are gone from disk");
  addCriteriaFlags(command).action(async (flags: ForgetFlags, self: Command) => {
    const { config, output } = await openSession(self);
    const { dryRun: dry_run, all, cascade, purge } = flags;
    const request = { ...criteriaOf(flags), ...definedOnly({ dry_run, all, cascade, purge }) };
    const reply = await withClient(config, (client) => client.forget(request));
    const verb = dry_run === true ? "would forget" : "forgot";
    output.result(
      reply,
      () => `${verb} ${reply.deleted} (${JSON.stringify(reply.receipt.by_tier)}${derivedOf(reply)})`,
    );
  });
}

/** How many were derived, at each level. */
function derivedOf({ receipt }: ForgetResult): string {
  return receipt.cascaded === undefined ? "" : `, derived ${JSON.stringify(receipt.cascaded)}`;
}
