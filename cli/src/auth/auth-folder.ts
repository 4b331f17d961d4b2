import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createUser } from "@nats-io/nkeys";
import { type AuthState, AuthStateSchema, type AuthUser } from "./auth-state.js";
import { serverConfig } from "./server-config.js";

export const CONFIG_FILE = "nats-auth.conf";
const STATE_FILE = "auth.json";
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Returns the path of a user's seed. The file may have been removed since the key was created. */
export function seedPath(folder: string, { name }: AuthUser): string {
  return join(folder, "keys", `${name}.nk`);
}

/**
 * Creates a new key for a user, stores its seed in a file that only its owner can read, and returns the
 * public key.
 */
export type NewKey = (user: AuthUser) => Promise<string>;

/**
 * Changes the auth state, and replaces the state file and the server configuration. The configuration is
 * rewritten even if nothing has changed. `change` receives undefined if there is no state yet.
 * @throws {TypeError} if another change is in progress, or the state cannot be read.
 */
export async function changeAuth(
  folder: string,
  change: (state: AuthState | undefined, newKey: NewKey) => Promise<AuthState>,
): Promise<AuthState> {
  for (const path of [folder, join(folder, "keys")]) {
    await mkdir(path, { recursive: true, mode: PRIVATE_FOLDER });
    await chmod(path, PRIVATE_FOLDER);
  }
  const draft = join(folder, `${STATE_FILE}.new`);
  await claim(draft);
  try {
    const state = await change(await readState(folder), (user) => newKey(folder, user));
    await writeFile(draft, `${JSON.stringify(state, null, 2)}\n`);
    await rename(draft, join(folder, STATE_FILE));
    await replace(join(folder, CONFIG_FILE), serverConfig(state));
    return state;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Claims the right to change the state by creating its draft file, which is the lock. */
async function claim(draft: string): Promise<void> {
  try {
    await writeFile(draft, "", { flag: "wx", mode: PRIVATE_FILE });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const text = `another \`membus auth\` command is running or was killed. If it was killed, remove ${draft}`;
    throw new TypeError(text, { cause: error });
  }
}

async function readState(folder: string): Promise<AuthState | undefined> {
  const path = join(folder, STATE_FILE);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const parsed = AuthStateSchema.safeParse(parsedJson(text));
  if (parsed.success) return parsed.data;
  throw new TypeError(`${path} was not written by \`membus auth\`: ${parsed.error.issues[0]!.message}`);
}

/** Deletes the seeds of users with rejected keys. */
export async function removeSeeds(folder: string, users: readonly AuthUser[]): Promise<void> {
  for (const user of users) await rm(seedPath(folder, user), { force: true });
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function newKey(folder: string, user: AuthUser): Promise<string> {
  const pair = createUser();
  await replace(seedPath(folder, user), `${new TextDecoder().decode(pair.getSeed())}\n`);
  return pair.getPublicKey();
}

/** Writes a draft and renames it, so that the file is never incomplete and is private from the first byte. */
async function replace(path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  await rm(draft, { force: true });
  await writeFile(draft, text, { flag: "wx", mode: PRIVATE_FILE });
  await rename(draft, path);
}
