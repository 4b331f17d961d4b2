import type { AgentMemory } from "@membus/agent-client";
import type { Trust } from "@membus/protocol";
import { aboutNamespace, quarantineNamespace } from "./about.js";
import type { ResolvedLongTermOptions } from "./long-term-options.js";
import { NamespaceView } from "./shelf.js";

/** Where memories about something are, and what is not trusted yet. */
export class Shelves {
  readonly main: NamespaceView;
  /** Absent where nothing is shared. */
  readonly quarantine: NamespaceView | undefined;

  constructor(memory: AgentMemory, { about, tier }: ResolvedLongTermOptions) {
    this.main = new NamespaceView(memory, aboutNamespace(about), tier);
    this.quarantine = tier === "semantic" ? new NamespaceView(memory, quarantineNamespace(about), tier) : undefined;
  }

  get all(): NamespaceView[] {
    return this.quarantine === undefined ? [this.main] : [this.main, this.quarantine];
  }

  /** Where somebody's word goes: what others read has to be the user's, or vouched for. */
  for(trust: Trust): NamespaceView {
    return trust === "user" ? this.main : (this.quarantine ?? this.main);
  }
}
