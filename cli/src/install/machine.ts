import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";

/** Where the agents of a user look for their files. */
export interface Machine {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** Folder of the project, for `--scope project`. */
  readonly project: string;
}

export function thisMachine(): Machine {
  return { env: process.env, platform: process.platform, home: homedir(), project: process.cwd() };
}

/** Returns the folder that a variable names, or the default below the home folder. */
export function folderOf({ env, home }: Machine, variable: string, ...defaultPath: string[]): string {
  const value = env[variable]?.trim();
  return value ? resolve(value.replace(/^~(?=[/\\]|$)/, home)) : join(home, ...defaultPath);
}

/** Returns the first of these files that exists, or the first name. */
export function existingFile(folder: string, names: readonly [string, ...string[]]): string {
  return join(folder, names.find((name) => existsSync(join(folder, name))) ?? names[0]);
}

/** Returns the path of the first program that is installed, or undefined. */
export function findProgram({ env, platform }: Machine, names: readonly string[]): string | undefined {
  const endings = platform === "win32" ? ["", ".exe", ".cmd", ".ps1"] : [""];
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const paths = folders.flatMap((folder) =>
    names.flatMap((name) => endings.map((ending) => join(folder, name + ending))),
  );
  return paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}
