import { existsSync } from "node:fs";
import { AgentSetup } from "./agent-setup.js";
import { AGENTS, type Agent, type Scope } from "./agents.js";
import type { Launch } from "./launch.js";
import { findProgram, type Machine } from "./machine.js";

/** An agent on this machine. */
export interface AgentState {
  readonly agent: string;
  readonly title: string;
  /** Path of its program, or the folder of its files. Null: it was not found. */
  readonly found: string | null;
  /** Scopes in which membus is installed. */
  readonly installed: readonly Scope[];
  /** Configurations that cannot be read. */
  readonly problems: readonly string[];
}

export async function listAgents(machine: Machine, launch: Launch): Promise<AgentState[]> {
  return await Promise.all(AGENTS.map((agent) => stateOf(agent, machine, launch)));
}

export function findAgent(agent: Agent, machine: Machine): string | null {
  const folder = agent.folder(machine);
  return findProgram(machine, agent.programs) ?? (existsSync(folder) ? folder : null);
}

async function stateOf(agent: Agent, machine: Machine, launch: Launch): Promise<AgentState> {
  const installed: Scope[] = [];
  const problems: string[] = [];
  for (const scope of agent.scopes) {
    try {
      if (await new AgentSetup(agent, scope, machine, launch).isInstalled()) installed.push(scope);
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  return { agent: agent.id, title: agent.title, found: findAgent(agent, machine), installed, problems };
}

export function agentLines(states: readonly AgentState[]): string[] {
  const rows = states.map(({ agent, found, installed }) => [
    agent,
    installed.length === 0 ? "not installed" : `installed (${installed.join(", ")})`,
    found ?? "not found",
  ]);
  const header = ["agent", "membus", "found"];
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]!.length)));
  const lines = [header, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd(),
  );
  return [...lines, ...states.flatMap(({ problems }) => problems)];
}
