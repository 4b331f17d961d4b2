import type { Caller, MemoryTier } from "@membus/protocol";
import type { AgentOptions, EntryInput, MemoryAgent } from "./memory-agent.js";

type Names = Readonly<Record<"first" | "second", string>>;

export interface CheckAgentsParts {
  readonly names: { readonly agents: Names; readonly tenants: Names };
  readonly namespace: string;
  readonly tier: MemoryTier;
  make(caller: Caller, namespace: string): MemoryAgent;
}

/** The agents of one check, and entries with keys of their own. */
export class CheckAgents {
  readonly #parts: CheckAgentsParts;
  readonly #asked = new Map<string, AgentOptions>();
  #entryCount = 0;

  constructor(parts: CheckAgentsParts) {
    this.#parts = parts;
  }

  identity({ agent = "first", tenant = "first", session = "", below }: AgentOptions) {
    const { names, namespace } = this.#parts;
    const caller = { tenant: names.tenants[tenant], agent: names.agents[agent], session };
    return { caller, namespace: below === undefined ? namespace : `${namespace}/${below}` };
  }

  /** Everybody that the check has been, and where. */
  get asked(): readonly AgentOptions[] {
    return [...this.#asked.values()];
  }

  get(options: AgentOptions): MemoryAgent {
    const { caller, namespace } = this.identity(options);
    this.#asked.set(JSON.stringify([caller, namespace]), options);
    return this.#parts.make(caller, namespace);
  }

  entry(fields: Partial<EntryInput> = {}): EntryInput {
    const number = ++this.#entryCount;
    return { key: { entry: number }, content: `entry number ${number}`, tier: this.#parts.tier, ...fields };
  }
}
