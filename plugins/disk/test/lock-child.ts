import { systemClock } from "@membus/protocol";
import { type DirectoryLock, lockDirectory } from "../src/directory/directory-lock.js";

/**
 * Takes and releases the lock of a directory on its parent's request, and answers whether it has the lock.
 */
let lock: DirectoryLock | undefined;

process.on("message", (directory: string) => {
  void (async () => {
    if (lock !== undefined) await lock.release();
    lock =
      directory === ""
        ? undefined
        : await lockDirectory(directory, { clock: systemClock }).catch(() => undefined);
    process.send!(lock !== undefined);
  })();
});
process.on("disconnect", () => process.exit());
process.send!("ready");
