import { access } from "node:fs/promises";
import type { Owner } from "@membus/plugin-kit";
import type { Command } from "commander";
import type { TierErasure } from "../erase/erase-tiers.js";
import { createLogger } from "../logger.js";
import { type CommonFlags, openSession, type Session } from "../session.js";

const EXPLANATION = `
--agent erases an agent of --tenant (default default): its working and episodic entries, the entries of the shared tier that it
wrote last, and the replies that were remembered for it. What another agent has changed since is that one's. --tenant without
--agent erases everything of a tenant, its tables too. A host that serves the folder does it while it serves, and goes on when
this command is ended; all others are served meanwhile. Take the agent's credentials away first: what was acknowledged before
the erasure began is gone at its end, and what is stored after that, also by a retry, may stay. Killed on the way, the same
command or the next start of the host goes on.`;

/** What the command cannot reach. */
const MAY_REMAIN = [
  "backups and copies of the data folder, and snapshots of its file system",
  "folders and files named *.foreign-<n>, which --accept-loss has set aside",
  "what hosts have logged, such as the audit, and what membus export has written",
  "A2E sessions of a gateway (the folder gateway of its --data), the folder of membus auth, and membus.yaml: names",
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
  const admin = program.command("admin").description("what an operator does with the data folder of a host");
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
  if (!dryRun && !yes) await confirm(owner, config.data);
  const verb = dryRun ? "counting" : "erasing";
  output.note(`${verb} ${nameOf(owner)} in ${config.data}: this may take minutes`);
  const { eraseServed } = await import("../erase/serving-host.js");
  const tiers =
    (await eraseServed(owner, { data: config.data, dryRun })) ??
    (await eraseHere(owner, { config, output }, dryRun));
  const report: EraseReport = { owner, dry_run: dryRun, tiers, may_remain: MAY_REMAIN };
  output.result(report, () => describe(report));
}

/** Without a host. */
async function eraseHere(owner: Owner, { config, output }: Session, dryRun: boolean): Promise<TierErasure[]> {
  const { composePlugins } = await import("../compose/compose-plugins.js");
  const { eraseStopped } = await import("../erase/stopped-host.js");
  return eraseStopped(owner, {
    ...(await composePlugins(config, { repair: false, acceptLoss: false, readOnly: false })),
    logger: createLogger(config.log_level),
    dryRun,
    onTier: (tier) => output.note(tier),
  });
}

function nameOf({ tenant, agent }: Owner): string {
  return agent === undefined ? `tenant ${tenant}` : `agent ${agent} of tenant ${tenant}`;
}

/** @throws {TypeError} without a terminal, or another answer than the name. */
async function confirm(owner: Owner, folder: string): Promise<void> {
  const name = owner.agent ?? owner.tenant;
  const what = nameOf(owner);
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
