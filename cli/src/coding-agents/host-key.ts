import { dirname } from "node:path";
import { createDirectory, readText, replaceFile } from "@membus/disk";
import { createUser } from "@nats-io/nkeys";
import { hostKeyPath } from "./user-folders.js";

/**
 * Returns the file with the key of the hosts that hooks start. It is created once per user, and only the user may
 * read it. The caller has the lock for starting a host.
 */
export async function createHostKey(env: NodeJS.ProcessEnv): Promise<string> {
  const path = hostKeyPath(env);
  if ((await readText(path)) !== undefined) return path;
  await createDirectory(dirname(path));
  await replaceFile(path, `${new TextDecoder().decode(createUser().getSeed())}\n`);
  return path;
}
