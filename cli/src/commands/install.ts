import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import type { AgentSetup } from "../install/agent-setup.js";
import type { Agent, Scope } from "../install/agents.js";
import type { Launch } from "../install/launch.js";
import type { Machine } from "../install/machine.js";
import type { FileChange } from "../install/plan.js";
import type { CommonFlags } from "../session.js";
import { createOutput, type Output } from "../terminal/output.js";

interface ChangeFlags {
  readonly scope: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  /** Only of `install`. */
  readonly start?: boolean;
}

interface InstallFlags extends ChangeFlags {
  readonly list?: boolean;
}

const AGENT_HELP = "claude-code, codex, cursor, vscode, gemini, opencode, pi, openclaw or hermes";

export function registerInstall(program: Command): void {
  const command = program
    .command("install")
    .description(
      "give a coding agent a memory: adds the MCP server, the hooks and the plugin to its configuration",
    )
    .argument("[agent]", AGENT_HELP)
    .option("--list", "list the agents, and where membus is installed")
    .option("--no-start", "the hooks start no host when none answers");
  addChangeFlags(command).action(async (agent: string | undefined, flags: InstallFlags, self: Command) => {
    if (flags.list) await list(self);
    else await change("install", agent, flags, self);
  });
}

export function registerUninstall(program: Command): void {
  const command = program
    .command("uninstall")
    .description("remove membus from the configuration of a coding agent")
    .argument("[agent]", AGENT_HELP);
  addChangeFlags(command).action(async (agent: string | undefined, flags: ChangeFlags, self: Command) => {
    await change("uninstall", agent, flags, self);
  });
}

function addChangeFlags(command: Command): Command {
  return command
    .option("--scope <scope>", "user: all projects. project: the current folder", "user")
    .option("--yes", "write without a question")
    .option("--dry-run", "only show the changes");
}

async function list(command: Command): Promise<void> {
  const flags = command.optsWithGlobals<CommonFlags>();
  const { agentLines, listAgents } = await import("../install/agent-list.js");
  const { launch, machine } = await environmentOf(flags);
  const states = await listAgents(machine, launch);
  createOutput(flags.json === true).result(states, () => agentLines(states).join("\n"));
}

async function change(
  action: "install" | "uninstall",
  id: string | undefined,
  flags: ChangeFlags,
  command: Command,
): Promise<void> {
  const common = command.optsWithGlobals<CommonFlags>();
  const output = createOutput(common.json === true);
  const { AgentSetup, diffOf } = await import("../install/agent-setup.js");
  const { launch, machine } = await environmentOf(common, flags.start);
  const agent = await agentOf(id);
  const scope = scopeOf(flags.scope);
  const setup = new AgentSetup(agent, scope, machine, launch);
  const changes = action === "install" ? await setup.planInstall() : await setup.planUninstall();
  const diff = diffOf(changes);
  const status = await perform(setup, changes, { diff, flags, output });
  const files = changes.map(({ file }) => file.path);
  output.result({ agent: agent.id, scope, status: STATUS[action][status], files, diff }, () =>
    [...(status === "shown" ? [diff] : []), messageOf(action, status, agent)].join("\n"),
  );
  if (action === "install" && status !== "shown") await noteAdvice(agent, machine, output);
}

type Outcome = "nothing" | "shown" | "refused" | "done";

const STATUS = {
  install: { nothing: "already_installed", shown: "dry_run", refused: "refused", done: "installed" },
  uninstall: { nothing: "not_installed", shown: "dry_run", refused: "refused", done: "uninstalled" },
} as const;

interface Approval {
  readonly diff: string;
  readonly flags: ChangeFlags;
  readonly output: Output;
}

async function perform(
  setup: AgentSetup,
  changes: readonly FileChange[],
  { diff, flags, output }: Approval,
): Promise<Outcome> {
  if (changes.length === 0) return "nothing";
  if (flags.dryRun) return "shown";
  output.note(diff);
  if (!flags.yes && !(await isApproved())) return "refused";
  await setup.apply(changes);
  return "done";
}

async function isApproved(): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new TypeError(
      "no terminal to ask for approval: add --yes to write these changes, or --dry-run to only show them",
    );
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question("Write these changes? [y/N] ")).trim());
  } finally {
    terminal.close();
  }
}

function messageOf(action: "install" | "uninstall", outcome: Outcome, { title, next }: Agent): string {
  if (outcome === "shown") return "Nothing was written.";
  if (outcome === "refused") return "Nothing was written.";
  if (action === "uninstall")
    return outcome === "done" ? `Removed from ${title}.` : `Not installed in ${title}.`;
  return outcome === "done" ? `Installed in ${title}. ${next}` : `Already installed in ${title}.`;
}

async function noteAdvice(agent: Agent, machine: Machine, output: Output): Promise<void> {
  const { findAgent } = await import("../install/agent-list.js");
  const { installedPrograms } = await import("../install/programs.js");
  if (findAgent(agent, machine) === null) output.note(`${agent.title} was not found on this machine.`);
  if (/[\\/]_npx[\\/]/.test(installedPrograms().membus))
    output.note(
      "This membus is in the cache of npx, which npm may delete. Install membus globally, then run this again.",
    );
}

async function environmentOf(
  flags: CommonFlags,
  startsHost?: boolean,
): Promise<{ launch: Launch; machine: Machine }> {
  const { Launch } = await import("../install/launch.js");
  const { thisMachine } = await import("../install/machine.js");
  const { installedPrograms, passedFlags } = await import("../install/programs.js");
  return { launch: new Launch(installedPrograms(), passedFlags(flags, startsHost)), machine: thisMachine() };
}

async function agentOf(id: string | undefined): Promise<Agent> {
  const { AGENTS } = await import("../install/agents.js");
  const agent = AGENTS.find((candidate) => candidate.id === id);
  const names = AGENTS.map((candidate) => candidate.id).join(", ");
  if (agent === undefined)
    throw new TypeError(`${id === undefined ? "name an agent" : `unknown agent ${id}`}: ${names}`);
  return agent;
}

function scopeOf(scope: string): Scope {
  if (scope === "user" || scope === "project") return scope;
  throw new TypeError(`--scope is ${scope}, but must be user or project`);
}
