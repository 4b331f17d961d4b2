import { homedir } from "node:os";
import { join } from "node:path";

/** Folders of one user. */
export interface UserFolders {
  /** Data folder of the host that the hooks start. */
  readonly data: string;
  /** Outbox, journals of sessions, and the log of that host. */
  readonly state: string;
}

/** Returns the folders of the XDG base directory specification, or those below %LOCALAPPDATA% on Windows. */
export function userFolders(env: NodeJS.ProcessEnv): UserFolders {
  const local = env.LOCALAPPDATA;
  if (process.platform === "win32" && local) {
    return { data: join(local, "membus", "data"), state: join(local, "membus", "coding-agents") };
  }
  const dataHome = env.XDG_DATA_HOME || join(homedir(), ".local", "share");
  const stateHome = env.XDG_STATE_HOME || join(homedir(), ".local", "state");
  return { data: join(dataHome, "membus"), state: join(stateHome, "membus", "coding-agents") };
}

/** Returns the file with the key of the hosts that hooks start. Other users of the machine cannot connect to them. */
export function hostKeyPath(env: NodeJS.ProcessEnv): string {
  return join(userFolders(env).state, "host.nk");
}
