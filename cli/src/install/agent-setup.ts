import { createTwoFilesPatch } from "diff";
import type { Agent, ConfigTarget, Scope } from "./agents.js";
import {
  type ConfigFile,
  deleteConfigFile,
  deleteEmptyFolders,
  deleteTemporaries,
  missingFolders,
  readConfigFile,
  writeConfigFile,
} from "./config-file.js";
import { InstallRecords } from "./install-record.js";
import type { Launch } from "./launch.js";
import type { Machine } from "./machine.js";
import { type FileChange, hasAnyEntry, planInstall, planUninstall } from "./plan.js";

/** Installs membus in the configuration of one agent and one scope, and removes it. */
export class AgentSetup {
  readonly #records: InstallRecords;
  readonly #targets: readonly ConfigTarget[];
  readonly #roots: readonly string[];

  /** @throws {TypeError} for a scope that the agent does not have. */
  constructor(agent: Agent, scope: Scope, machine: Machine, launch: Launch) {
    if (!agent.scopes.includes(scope))
      throw new TypeError(
        `${agent.title} has no configuration of a ${scope}: use --scope ${agent.scopes.join(" or ")}`,
      );
    this.#records = new InstallRecords(machine);
    this.#targets = agent.targets(machine, scope, launch);
    this.#roots = scope === "project" ? [machine.project] : [machine.home, agent.folder(machine)];
  }

  /** Returns the changes of an installation. An empty array means that everything is installed. */
  async planInstall(): Promise<FileChange[]> {
    return await this.#plan(planInstall);
  }

  /** Returns the changes of a removal. An empty array means that nothing is installed. */
  async planUninstall(): Promise<FileChange[]> {
    return await this.#plan(planUninstall);
  }

  async isInstalled(): Promise<boolean> {
    const files = await Promise.all(this.#targets.map(({ path }) => readConfigFile(path, this.#roots)));
    return this.#targets.some((target, index) => hasAnyEntry(target, files[index]!));
  }

  /**
   * Writes the changes, one file after the other. A record exists before its change and until everything is
   * removed, so that an uninstallation finds the leftovers of an interrupted change.
   */
  async apply(changes: readonly FileChange[]): Promise<void> {
    for (const { file, after, folders, record } of changes) {
      if (record !== undefined) {
        const createdFolders = [...folders, ...(await missingFolders(file))];
        await this.#records.write({ ...record, createdFolders }, file.text);
      }
      await deleteTemporaries(file);
      if (after === file.text) continue;
      if (after === undefined) await deleteConfigFile(file);
      else await writeConfigFile(file, after);
    }
    const removals = changes.filter(({ record }) => record === undefined);
    await deleteEmptyFolders(removals.flatMap(({ folders }) => folders));
    for (const { file } of removals) await this.#records.remove(file.path);
  }

  async #plan(plan: typeof planInstall): Promise<FileChange[]> {
    const changes = [];
    for (const target of this.#targets) {
      const file = await this.#readFile(target.path);
      const change = plan(target, file, await this.#records.read(target.path, file.text));
      if (change !== undefined) changes.push(change);
    }
    return changes;
  }

  /** Reads a configuration file. A record that is not complete counts as one of its temporary files. */
  async #readFile(path: string): Promise<ConfigFile> {
    const file = await readConfigFile(path, this.#roots);
    return { ...file, temporaries: [...file.temporaries, ...this.#records.temporaries(path)] };
  }
}

/** Returns the changes as a unified diff, and the leftovers that they delete. */
export function diffOf(changes: readonly FileChange[]): string {
  return changes
    .flatMap((change) => [
      patchOf(change),
      ...change.file.temporaries.map((path) => `leftover of an interrupted change: ${path}`),
    ])
    .join("\n");
}

function patchOf({ file, after }: FileChange): string {
  if (after === file.text) return `leftovers of an interrupted change of ${file.realPath}`;
  const before = file.text === undefined ? "/dev/null" : file.realPath;
  const name = after === undefined ? "/dev/null" : file.realPath;
  const patch = createTwoFilesPatch(before, name, file.text ?? "", after ?? "", "", "", { context: 1 });
  return patch.slice(patch.indexOf("---")).trimEnd();
}
