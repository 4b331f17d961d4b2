import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createUser } from "@nats-io/nkeys";
import { type AuthState, AuthStateSchema, type AuthUser } from "./auth-state.js";
import { serverConfig } from "./server-config.js";

export const CONFIG_FILE = "nats-auth.conf";
const STATE_FILE = "auth.json";
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Where the seed of a user is, once it was made; it may have been taken away since. */
export function seedPath(folder: string, { name }: AuthUser): string {
  return join(folder, "keys", `${name}.nk`);
}

/** Makes the keys of users: each call a new one, its seed in a file that its owner alone may read. */
export type NewKey = (user: AuthUser) => Promise<string>;

/**
 * Changes who may connect: the state and the server's configuration are replaced as a whole, the latter also where nothing
 * changes. `change` gets undefined where there is no state yet.
 * @throws {TypeError} where another change is under way, or the state cannot be read.
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

/** The draft of the next state is the lock: who makes the file may change the state. */
async function claim(draft: string): Promise<void> {
  try {
    await writeFile(draft, "", { flag: "wx", mode: PRIVATE_FILE });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const text = `another \`membus auth\` is at work, or was killed: then remove ${draft}`;
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
  throw new TypeError(`${path} is not what \`membus auth\` writes: ${parsed.error.issues[0]!.message}`);
}

/** Takes the seeds of users away whose keys are refused. */
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

/** Written beside and moved into place: never half there, and its mode is its own from the first byte on. */
async function replace(path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  await rm(draft, { force: true });
  await writeFile(draft, text, { flag: "wx", mode: PRIVATE_FILE });
  await rename(draft, path);
}
