import type { Owner } from "@membus/plugin-kit";
import type { Command } from "commander";
import type { TierErasure } from "../erase/erase-tiers.js";
import { createLogger } from "../logger.js";
import { type CommonFlags, openSession, type Session } from "../session.js";

const EXPLANATION = `
--agent erases an agent of --tenant (default: default): its working and episodic entries, the semantic entries that it wrote
last, and its cached replies. Semantic entries that another agent has since changed are kept. --tenant without --agent erases a
whole tenant, including its tables.

If a host serves the folder, the host erases without downtime, and continues even if this command is stopped. If the erasure is
interrupted, run the command again or restart the host to complete it.

Revoke the agent's credentials first. Entries acknowledged before the erasure began are deleted. Entries stored later,
including retries, may remain.`;

/** Places that the command cannot erase. */
const MAY_REMAIN = [
  "backups and copies of the data folder, and file system snapshots",
  "folders and files named *.foreign-<n>, set aside by --accept-loss",
  "host logs, including the audit log, and files written by membus export",
  "names only: A2E sessions of a gateway (the folder gateway of its --data), the membus auth folder, and membus.yaml",
  "free disk blocks, unless the volume is encrypted",
];

interface EraseFlags extends CommonFlags {
  readonly data?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

interface EraseReport {
  readonly owner: Owner;
  readonly dry_run: boolean;
  readonly tiers: readonly TierErasure[];
  readonly may_remain: readonly string[];
}

export function registerAdmin(program: Command): void {
  const admin = program.command("admin").description("operator commands for the data folder of a host");
  admin
    .command("erase")
    .description("erase an agent or a whole tenant from every tier, including all bytes on disk")
    .option("--data <folder>", "data folder (default ./.membus)")
    .option("--dry-run", "count the entries, erase nothing")
    .option("--yes", "do not ask for confirmation")
    .addHelpText("after", EXPLANATION)
    .action(async (_flags: object, command: Command) => erase(command));
}

async function erase(command: Command): Promise<void> {
  const { data, tenant, agent, yes = false, dryRun = false } = command.optsWithGlobals<EraseFlags>();
  if (tenant === undefined && agent === undefined) throw new TypeError("--agent or --tenant is required");
  const { config, output } = await openSession(command, data === undefined ? {} : { data });
  const { tierFolders } = await import("../backup/tier-folders.js");
  await tierFolders(config.data);
  const owner: Owner = { tenant: config.tenant, ...(agent !== undefined && { agent }) };
  if (!dryRun && !yes) await confirm(owner, config.data);
  const verb = dryRun ? "counting" : "erasing";
  output.note(`${verb} ${nameOf(owner)} in ${config.data}: this may take minutes`);
  const { eraseOnServingHost } = await import("../erase/serving-host.js");
  const tiers =
    (await eraseOnServingHost(owner, { data: config.data, dryRun })) ??
    (await eraseWithoutHost(owner, { config, output }, dryRun));
  const report: EraseReport = { owner, dry_run: dryRun, tiers, may_remain: MAY_REMAIN };
  output.result(report, () => describe(report));
}

/** Erases an owner from the data folder when no host serves it. */
async function eraseWithoutHost(
  owner: Owner,
  { config, output }: Session,
  dryRun: boolean,
): Promise<TierErasure[]> {
  const { composePlugins } = await import("../compose/compose-plugins.js");
  const { eraseOnStoppedHost } = await import("../erase/stopped-host.js");
  const { refuseUnserved } = await import("../erase/erase-tiers.js");
  const composed = await composePlugins(config, { repair: false, acceptLoss: false, readOnly: false });
  await refuseUnserved(config.data, composed);
  return eraseOnStoppedHost(owner, {
    ...composed,
    logger: createLogger(config.log_level),
    dryRun,
    onTier: (tier) => output.note(tier),
  });
}

function nameOf({ tenant, agent }: Owner): string {
  return agent === undefined ? `tenant ${tenant}` : `agent ${agent} of tenant ${tenant}`;
}

/**
 * Asks for the name of the owner to be erased.
 *
 * @throws {TypeError} without a terminal, or if another text is entered.
 */
async function confirm(owner: Owner, folder: string): Promise<void> {
  const name = owner.agent ?? owner.tenant;
  const what = nameOf(owner);
  if (!process.stdin.isTTY)
    throw new TypeError(
      `cannot ask for confirmation without a terminal: add --yes to erase ${what} from ${folder}`,
    );
  const { createInterface } = await import("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`This erases ${what} from ${folder}. Type its name to continue: `);
    if (answer.trim() !== name) throw new TypeError("nothing was erased");
  } finally {
    terminal.close();
  }
}

function describe({ dry_run, tiers, may_remain }: EraseReport): string {
  const lines = tiers.map(({ tier, entries, namespaces, replies, erased_at }) => {
    const when = erased_at === undefined ? "" : `, erased at ${new Date(erased_at * 1000).toISOString()}`;
    return `${tier.padEnd(8)}  ${entries} entries in ${namespaces} namespaces, ${replies} cached replies${when}`;
  });
  if (dry_run) return [...lines, "nothing was erased"].join("\n");
  return [...lines, "copies may remain in:", ...may_remain.map((where) => `  ${where}`)].join("\n");
}
