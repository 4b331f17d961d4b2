import type { Owner } from "@membus/plugin-kit";
import { isMemoryError, type Json, MemoryError } from "@membus/protocol";
import type { ComposedPlugins } from "../compose/compose-plugins.js";
import { sendToHost } from "../control/control-client.js";
import type { ControlCommand } from "../control/control-server.js";
import { erasableTiers, eraseTiers, refuseUnserved, type TierErasure } from "./erase-tiers.js";

/**
 * Returns the host command that erases an owner while the host serves. It continues if the client
 * disconnects.
 */
export function eraseCommand(composed: ComposedPlugins, data: string): ControlCommand {
  return async ({ owner, dry_run }, answer) => {
    if (!isOwner(owner) || typeof dry_run !== "boolean") {
      throw new MemoryError("schema_violation", "invalid args: expected {owner: {tenant, agent?}, dry_run}");
    }
    await refuseUnserved(data, composed);
    const done = await eraseTiers(owner, erasableTiers(composed), { dryRun: dry_run, onTier() {} });
    await answer(done.map((one) => ({ ...one })));
  };
}

/**
 * Requests an erasure from the host that serves a data folder. Returns undefined if no host responds.
 * @throws {MemoryError} `unsupported` if the host cannot erase (nothing was erased), otherwise the error that
 * interrupted the erasure.
 */
export async function eraseOnServingHost(
  owner: Owner,
  { data, dryRun }: { readonly data: string; readonly dryRun: boolean },
): Promise<TierErasure[] | undefined> {
  const request = { cmd: "erase", args: { owner: { ...owner }, dry_run: dryRun } };
  try {
    return (await sendToHost(data, request, async (done) => done as unknown as TierErasure[]))?.used;
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
