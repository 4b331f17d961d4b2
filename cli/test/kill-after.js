import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

/**
 * Kills the process with SIGKILL after an operation on a file. `MEMBUS_TEST_KILL_AFTER` names the operation and a
 * part of the path, such as `rm plugins/membus`.
 */
const [operation, part] = process.env.MEMBUS_TEST_KILL_AFTER.split(" ");
const original = promises[operation];
promises[operation] = async (...args) => {
  const result = await original(...args);
  if (args.some((arg) => String(arg).includes(part))) process.kill(process.pid, "SIGKILL");
  return result;
};
syncBuiltinESMExports();
