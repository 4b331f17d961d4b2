import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { createDirectory, syncDirectory } from "@membus/disk";
import { createUser } from "@nats-io/nkeys";
import { linkNew } from "./link-new.js";
import { hostKeyPath } from "./user-folders.js";

/**
 * Returns the file with the key of the hosts that hooks start. It is created once per user, and only the user may
 * read it. Of several processes that create it at once, all get the key of the first.
 */
export async function createHostKey(env: NodeJS.ProcessEnv): Promise<string> {
  const path = hostKeyPath(env);
  if (existsSync(path)) return path;
  await createDirectory(dirname(path));
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await writeSeed(draft);
    await linkNew(draft, path);
    await syncDirectory(dirname(path));
  } finally {
    await rm(draft, { force: true });
  }
  return path;
}

async function writeSeed(path: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(`${new TextDecoder().decode(createUser().getSeed())}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}
