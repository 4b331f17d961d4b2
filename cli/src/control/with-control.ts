import { isMemoryError } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { controlPath } from "./control-messages.js";
import { type ControlCommand, startControlServer } from "./control-server.js";

/**
 * Runs `work` while serving commands on the control socket of the data folder. If the socket cannot be
 * opened, the host runs without it.
 * @throws {MemoryError} `conflict` if another host serves the data folder, also if it serves other tiers.
 */
export async function withControl(
  data: string,
  commands: Readonly<Record<string, ControlCommand>>,
  logger: Logger,
  work: () => Promise<void>,
): Promise<void> {
  const path = controlPath(data);
  const server = await startControlServer(path, commands).catch((error: unknown) => {
    if (isMemoryError(error) && error.code === "conflict") throw error;
    logger.warn(
      { err: error, path },
      "cannot open the control socket of the data folder: commands such as backup and erase are unavailable",
    );
    return undefined;
  });
  try {
    await work();
  } finally {
    await server?.close();
  }
}
