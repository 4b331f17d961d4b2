import type { Logger } from "@membus/protocol";
import { controlPath } from "./control-messages.js";
import { type ControlCommand, startControlServer } from "./control-server.js";

/** Runs `work`, and serves commands at the socket of the data folder meanwhile. A host that cannot serves all the same. */
export async function withControl(
  data: string,
  commands: Readonly<Record<string, ControlCommand>>,
  logger: Logger,
  work: () => Promise<void>,
): Promise<void> {
  const path = controlPath(data);
  const server = await startControlServer(path, commands).catch((error: unknown) => {
    logger.warn({ err: error, path }, "no commands are taken at the socket of the data folder");
    return undefined;
  });
  try {
    await work();
  } finally {
    await server?.close();
  }
}
