import type { Logger } from "@membus/protocol/plugin";
import { controlPath } from "./control-messages.js";
import { type ControlCommand, startControlServer } from "./control-server.js";

/**
 * Runs `work` while serving commands on the control socket of the data folder. If the socket cannot be
 * opened, the host runs without it.
 */
export async function withControl(
  data: string,
  commands: Readonly<Record<string, ControlCommand>>,
  logger: Logger,
  work: () => Promise<void>,
): Promise<void> {
  const path = controlPath(data);
  const server = await startControlServer(path, commands).catch((error: unknown) => {
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
