import type { Owner } from "@membus/plugin-kit";
import { isMemoryError, type Json, MemoryError } from "@membus/protocol";
import type { ComposedPlugins } from "../compose/compose-plugins.js";
import { askHost } from "../control/ask-host.js";
import type { ControlCommand } from "../control/control-server.js";
import { erasableTiers, eraseTiers, type TierErasure } from "./erase-tiers.js";

/** The command of a host that erases an owner while it serves; it goes on when whoever asked has gone. */
export function eraseCommand(composed: ComposedPlugins): ControlCommand {
  return async ({ owner, dry_run }, answer) => {
    if (!isOwner(owner) || typeof dry_run !== "boolean") {
      throw new MemoryError("schema_violation", "args are {owner: {tenant, agent?}, dry_run}");
    }
    const done = await eraseTiers(owner, erasableTiers(composed), { dryRun: dry_run, onTier() {} });
    await answer(done.map((one) => ({ ...one })));
  };
}

/**
 * Has the host that serves a data folder erase an owner. Undefined where none answers.
 * @throws {MemoryError} `unsupported` where it cannot: then nothing was done; else what has cut it short.
 */
export async function eraseServed(
  owner: Owner,
  { data, dryRun }: { readonly data: string; readonly dryRun: boolean },
): Promise<TierErasure[] | undefined> {
  const request = { cmd: "erase", args: { owner: { ...owner }, dry_run: dryRun } };
  try {
    return (await askHost(data, request, async (done) => done as unknown as TierErasure[]))?.used;
  } catch (error) {
    if (dryRun || !isMemoryError(error) || error.code === "unsupported") throw error;
    const detail = { ...error.detail, reason: "erasure_cut_short" };
    throw new MemoryError(error.code, error.message, detail, { cause: error });
  }
}

function isOwner(value: Json | undefined): value is { readonly tenant: string; readonly agent?: string } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { tenant, agent = "" } = value;
  return typeof tenant === "string" && typeof agent === "string";
}
