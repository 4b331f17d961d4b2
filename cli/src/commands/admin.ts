import { access } from "node:fs/promises";
import type { Owner } from "@membus/plugin-kit";
import type { Command } from "commander";
import type { TierErasure } from "../erase/erase-owner.js";
import { createLogger } from "../logger.js";
import { type CommonFlags, openSession } from "../session.js";

const EXPLANATION = `
With the host stopped. --agent erases an agent of --tenant (default default): its episodic entries, the entries of the shared
tier that it wrote last, and the replies that were remembered for it. What another agent has changed since is that one's.
--tenant without --agent erases everything of a tenant, its tables too. The working tier has no entry on disk. Killed on the
way, the same command or the next start of the host goes on.`;

/** What the command cannot reach. */
const MAY_REMAIN = [
  "backups and copies of the data folder, and snapshots of its file system",
  "folders and files named *.foreign-<n>, which --accept-loss has set aside",
  "what hosts have logged, such as the audit, and what membus export has written",
  "free blocks of the disk, where the volume is not encrypted",
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
  const admin = program.command("admin").description("what an operator does with the folder of a host");
  admin
    .command("erase")
    .description("erase an agent, or a whole tenant, from every tier, until no byte of it is left")
    .option("--data <folder>", "where memories are kept (default ./.membus)")
    .option("--dry-run", "only count")
    .option("--yes", "do not ask")
    .addHelpText("after", EXPLANATION)
    .action(async (_flags: object, command: Command) => erase(command));
}

async function erase(command: Command): Promise<void> {
  const { data, tenant, agent, yes = false, dryRun = false } = command.optsWithGlobals<EraseFlags>();
  if (tenant === undefined && agent === undefined) throw new TypeError("say --agent, or --tenant, or both");
  const { config, output } = await openSession(command, data === undefined ? {} : { data });
  await access(config.data).catch((cause: unknown) => {
    throw new TypeError(`there is no folder ${config.data}: say --data`, { cause });
  });
  const owner: Owner = { tenant: config.tenant, ...(agent !== undefined && { agent }) };
  const { composePlugins } = await import("../compose/compose-plugins.js");
  const { eraseOwner } = await import("../erase/erase-owner.js");
  if (!dryRun && !yes) await confirm(owner, config.data);
  const tiers = await eraseOwner(owner, {
    ...(await composePlugins(config, { repair: false, acceptLoss: false, readOnly: false })),
    logger: createLogger(config.log_level),
    dryRun,
    onTier: (tier) => output.note(`${tier}: ${dryRun ? "counting" : "erasing"}`),
  });
  const report: EraseReport = { owner, dry_run: dryRun, tiers, may_remain: MAY_REMAIN };
  output.result(report, () => describe(report));
}

/** @throws {TypeError} without a terminal, or another answer than the name. */
async function confirm({ tenant, agent }: Owner, folder: string): Promise<void> {
  const name = agent ?? tenant;
  const what = agent === undefined ? `tenant ${tenant}` : `agent ${agent} of tenant ${tenant}`;
  if (!process.stdin.isTTY) throw new TypeError(`say --yes to erase ${what} from ${folder}`);
  const { createInterface } = await import("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`This erases ${what} from ${folder}. Its name, to go on: `);
    if (answer.trim() !== name) throw new TypeError("nothing was erased");
  } finally {
    terminal.close();
  }
}

function describe({ dry_run, tiers, may_remain }: EraseReport): string {
  const lines = tiers.map(({ tier, entries, namespaces, replies, erased_at }) => {
    const when = erased_at === undefined ? "" : `, gone at ${new Date(erased_at * 1000).toISOString()}`;
    return `${tier.padEnd(8)}  ${entries} entries in ${namespaces} namespaces, ${replies} remembered replies${when}`;
  });
  if (dry_run) return [...lines, "nothing was erased"].join("\n");
  return [...lines, "copies may remain in:", ...may_remain.map((where) => `  ${where}`)].join("\n");
}
