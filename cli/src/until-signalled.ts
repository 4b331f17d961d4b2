import { MemoryError } from "@membus/protocol";

/**
 * Resolves at the first SIGINT or SIGTERM; a second one ends the process at once.
 * @throws {MemoryError} `unavailable` when `exited` resolves before: the server that we depend on is gone.
 */
export async function untilSignalled(exited: Promise<unknown> | undefined): Promise<void> {
  let stop: () => void = () => {};
  const signalled = new Promise<"signalled">((resolve) => {
    stop = () => resolve("signalled");
    process.once("SIGINT", stop);
    process.once("SIGTERM", stop);
  });
  const ended = await Promise.race([
    signalled,
    ...(exited === undefined ? [] : [exited.then(() => "exited")]),
  ]);
  if (ended === "exited") throw new MemoryError("unavailable", "the embedded nats-server has stopped");
}
