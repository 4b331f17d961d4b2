import type { Command } from "commander";
import { addCriteriaFlags, type CriteriaFlags, criteriaOf } from "../flags/criteria-flags.js";
import { definedOnly } from "../flags/defined-only.js";
import { openSession, withClient } from "../session.js";

interface ForgetFlags extends CriteriaFlags {
  readonly dryRun?: boolean;
  readonly all?: boolean;
}

export function registerForget(program: Command): void {
  const command = program
    .command("forget")
    .description("forget every entry that matches all criteria")
    .option("--dry-run", "only count")
    .option("--all", "confirms forgetting without criteria, or everything of the semantic tier");
  addCriteriaFlags(command).action(async (flags: ForgetFlags, self: Command) => {
    const { config, output } = await openSession(self);
    const request = { ...criteriaOf(flags), ...definedOnly({ dry_run: flags.dryRun, all: flags.all }) };
    const reply = await withClient(config, (client) => client.forget(request));
    const verb = flags.dryRun === true ? "would forget" : "forgot";
    output.result(reply, () => `${verb} ${reply.deleted} (${JSON.stringify(reply.receipt.by_tier)})`);
  });
}
