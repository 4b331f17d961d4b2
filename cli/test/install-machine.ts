import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { onTestFinished } from "vitest";
import { AgentSetup } from "../src/install/agent-setup.js";
import { AGENTS, type Scope } from "../src/install/agents.js";
import { Launch } from "../src/install/launch.js";
import type { Machine } from "../src/install/machine.js";
import { type PassedFlags, passedFlags } from "../src/install/programs.js";
import { type CliResult, runCli } from "./run-cli.js";

/** Programs that the tests install. They need not exist. */
export const PROGRAMS = {
  node: "/usr/bin/node",
  membus: "/opt/membus/bin/membus.js",
  plugins: "/opt/membus/coding-agents/plugins",
};

/** Folders of a user who has nothing installed, and a project. */
export interface InstallMachine {
  readonly home: string;
  readonly project: string;
  /** Variables that lead all agents into these folders. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs the program membus in the project. */
  membus(...args: string[]): Promise<CliResult>;
  /** Returns the paths of the changed files. */
  install(agent: string, scope?: Scope, flags?: Partial<PassedFlags>): Promise<string[]>;
  uninstall(agent: string, scope?: Scope): Promise<string[]>;
  setup(agent: string, scope?: Scope, flags?: Partial<PassedFlags>): AgentSetup;
  write(path: string, text: string | Uint8Array): Promise<string>;
  read(path: string): Promise<string>;
  /** Returns the paths of all files below the home folder and the project, except the state of membus. */
  files(): Promise<string[]>;
  /** Returns the files in which membus records its installations. */
  records(): Promise<string[]>;
}

/** `variables` are paths below the home folder. */
export async function installMachine(
  variables: Readonly<Record<string, string>> = {},
): Promise<InstallMachine> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "membus install-")));
  onTestFinished(() => rm(root, { recursive: true }));
  const home = join(root, "home");
  const project = join(root, "my project");
  await mkdir(home);
  await mkdir(project);
  const env = {
    HOME: home,
    PATH: dirname(process.execPath),
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_STATE_HOME: join(root, "state"),
    CLAUDE_CONFIG_DIR: "",
    CODEX_HOME: "",
    HERMES_HOME: "",
    GEMINI_CLI_HOME: "",
    OPENCLAW_HOME: "",
    OPENCLAW_STATE_DIR: "",
    OPENCLAW_CONFIG_PATH: "",
    PI_CODING_AGENT_DIR: "",
    ...Object.fromEntries(Object.entries(variables).map(([name, path]) => [name, join(home, path)])),
  };
  const machine: Machine = { env, platform: "linux", home, project };
  const setup = (id: string, scope: Scope = "user", flags: Partial<PassedFlags> = {}) => {
    const agent = AGENTS.find((candidate) => candidate.id === id)!;
    return new AgentSetup(agent, scope, machine, new Launch(PROGRAMS, { ...passedFlags({}), ...flags }));
  };
  return {
    home,
    project,
    env,
    membus: (...args) => runCli(args, { cwd: project, env, input: "" }),
    setup,
    async install(...args) {
      const changes = await setup(...args).planInstall();
      await setup(...args).apply(changes);
      return changes.map(({ file }) => file.path);
    },
    async uninstall(...args) {
      const changes = await setup(...args).planUninstall();
      await setup(...args).apply(changes);
      return changes.map(({ file }) => file.path);
    },
    async write(path, text) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
      return join(root, path);
    },
    read: (path) => readFile(join(root, path), "utf8"),
    async files() {
      const entries = await readdir(root, { recursive: true, withFileTypes: true });
      const paths = entries.map(({ parentPath, name }) => relative(root, join(parentPath, name)));
      return paths
        .filter((path) => !path.startsWith("state") && path !== "home" && path !== "my project")
        .sort();
    },
    records: () => readdir(join(root, "state/membus/coding-agents/install")),
  };
}
