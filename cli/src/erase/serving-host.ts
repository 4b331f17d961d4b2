import type { Owner } from "@membus/plugin-kit";
import type { ComposedPlugins } from "../compose/compose-plugins.js";
import { sendToHost } from "../control/control-client.js";
import type { ControlCommand } from "../control/control-server.js";
import {
  asCutShort,
  erasableTiers,
  eraseArgs,
  eraseTiers,
  refuseUnserved,
  type TierErasure,
} from "./erase-tiers.js";

/**
 * Returns the host command that erases an owner while the host serves. It continues if the client
 * disconnects.
 */
export function eraseCommand(composed: ComposedPlugins, data: string): ControlCommand {
  return async (args, answer) => {
    const { owner, dryRun } = eraseArgs(args);
    await refuseUnserved(data, composed);
    const done = await eraseTiers(owner, erasableTiers(composed), { dryRun, onTier() {} });
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
    throw asCutShort(error, dryRun);
  }
}
