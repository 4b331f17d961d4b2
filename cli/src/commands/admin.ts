import type { Owner } from "@membus/plugin-kit";
import type { Command } from "commander";
import type { TierErasure } from "../erase/erase-tiers.js";
import { CLUSTER_FLAG, CLUSTER_NAME_FLAG, type ClusterFlags, clusterConfig } from "../flags/cluster-flags.js";
import { definedOnly } from "../flags/defined-only.js";
import { createLogger } from "../logger.js";
import { type CommonFlags, openSession, type Session } from "../session.js";
import { confirm } from "../terminal/confirm.js";

const EXPLANATION = `
--agent erases an agent of --tenant (default: default): its working and episodic entries, the semantic entries that it wrote
last, and its cached replies. Semantic entries that another agent has since changed are kept. --tenant without --agent erases a
whole tenant, including its tables.

With --cluster, the host that serves the tenant erases it. If a host serves the folder, the host erases without downtime, and continues even if this command is stopped. If the erasure is
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

interface EraseFlags extends CommonFlags, ClusterFlags {
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
    .option(...CLUSTER_FLAG)
    .option(...CLUSTER_NAME_FLAG)
    .option("--dry-run", "count the entries, erase nothing")
    .option("--yes", "do not ask for confirmation")
    .addHelpText("after", EXPLANATION)
    .action(async (_flags: object, command: Command) => erase(command));
}

async function erase(command: Command): Promise<void> {
  const flags = command.optsWithGlobals<EraseFlags>();
  const { data, tenant, agent, yes = false, dryRun = false } = flags;
  if (tenant === undefined && agent === undefined) throw new TypeError("--agent or --tenant is required");
  const session = await openSession(command, { ...definedOnly({ data }), ...clusterConfig(flags) });
  const { config, output } = session;
  const owner: Owner = { tenant: config.tenant, ...(agent !== undefined && { agent }) };
  const isCluster = config.cluster !== undefined && data === undefined;
  const { tierFolders } = await import("../backup/tier-folders.js");
  if (!isCluster) await tierFolders(config.data);
  const place = isCluster ? "the cluster" : config.data;
  if (!dryRun && !yes) await confirm(`erases ${nameOf(owner)} from ${place}`, owner.agent ?? owner.tenant);
  const verb = dryRun ? "counting" : "erasing";
  output.note(`${verb} ${nameOf(owner)} in ${place}: this may take minutes`);
  const tiers = await (isCluster ? eraseInCluster : eraseInFolder)(owner, session, dryRun);
  const report: EraseReport = { owner, dry_run: dryRun, tiers, may_remain: MAY_REMAIN };
  output.result(report, () => describe(report));
}

async function eraseInFolder(owner: Owner, session: Session, dryRun: boolean): Promise<TierErasure[]> {
  const { eraseOnServingHost } = await import("../erase/serving-host.js");
  const done = await eraseOnServingHost(owner, { data: session.config.data, dryRun });
  return done ?? eraseWithoutHost(owner, session, dryRun);
}

async function eraseInCluster(owner: Owner, session: Session, dryRun: boolean): Promise<TierErasure[]> {
  const { eraseOnOwner } = await import("../cluster/erase-on-owner.js");
  return eraseOnOwner(owner, session, dryRun);
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

function describe({ dry_run, tiers, may_remain }: EraseReport): string {
  const lines = tiers.map(({ tier, entries, namespaces, replies, erased_at }) => {
    const when = erased_at === undefined ? "" : `, erased at ${new Date(erased_at * 1000).toISOString()}`;
    return `${tier.padEnd(8)}  ${entries} entries in ${namespaces} namespaces, ${replies} cached replies${when}`;
  });
  if (dry_run) return [...lines, "nothing was erased"].join("\n");
  return [...lines, "copies may remain in:", ...may_remain.map((where) => `  ${where}`)].join("\n");
}
