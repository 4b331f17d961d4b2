import { readFile, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";

/** Folders above the working folder that are searched for a repository. */
const LEVELS_MAX = 64;

export interface Repository {
  /** Folder of the working tree. */
  readonly root: string;
  /** Folder of the repository, the same for all its worktrees. */
  readonly home: string;
  /** URL of the remote `origin`, or of the first remote. Absent: none. */
  readonly remote?: string | undefined;
}

/** Returns the repository that contains a folder. Reads its files, because starting git takes longer. */
export async function findRepository(folder: string): Promise<Repository | undefined> {
  let current = resolve(folder);
  for (let level = 0; level < LEVELS_MAX; level++) {
    const gitFolder = await gitFolderOf(join(current, ".git"));
    if (gitFolder !== undefined) {
      const config = (await textOf(join(gitFolder, "config"))) ?? "";
      // A bare repository with worktrees has another name than `.git`.
      const home = basename(gitFolder) === ".git" ? dirname(gitFolder) : gitFolder;
      return { root: current, home, remote: remoteUrl(config) };
    }
    if (dirname(current) === current) return undefined;
    current = dirname(current);
  }
  return undefined;
}

/** Returns the folder with the settings of a repository. In a worktree, `.git` is a file that leads there. */
async function gitFolderOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  if (found.isDirectory()) return path;
  const [, target] = /^gitdir: (.+)$/m.exec((await textOf(path)) ?? "") ?? [];
  if (target === undefined) return undefined;
  const worktree = isAbsolute(target) ? target : resolve(dirname(path), target);
  const common = (await textOf(join(worktree, "commondir")))?.trim();
  return common === undefined ? worktree : resolve(worktree, common);
}

async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}

function remoteUrl(config: string): string | undefined {
  const urls = new Map<string, string>();
  let section = "";
  for (const line of config.split("\n").map((one) => one.trim())) {
    if (line.startsWith("[")) section = /^\[remote "(.*)"\]$/.exec(line)?.[1] ?? "";
    const [, url] = /^url\s*=(.*)$/.exec(line) ?? [];
    if (section !== "" && url !== undefined) urls.set(section, url.trim());
  }
  return urls.get("origin") ?? urls.values().next().value;
}
