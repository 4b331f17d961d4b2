import type { AgentMemory } from "@membus/agent-client";
import type { Trust } from "@membus/protocol";
import { aboutNamespace, quarantineNamespace } from "./about.js";
import type { ResolvedLongTermOptions } from "./long-term-options.js";
import { Shelf } from "./shelf.js";

/** Where memories about something are, and what is not trusted yet. */
export class Shelves {
  readonly main: Shelf;
  /** Absent where nothing is shared. */
  readonly quarantine: Shelf | undefined;

  constructor(memory: AgentMemory, { about, tier }: ResolvedLongTermOptions) {
    this.main = new Shelf(memory, aboutNamespace(about), tier);
    this.quarantine = tier === "semantic" ? new Shelf(memory, quarantineNamespace(about), tier) : undefined;
  }

  get all(): Shelf[] {
    return this.quarantine === undefined ? [this.main] : [this.main, this.quarantine];
  }

  /** Where somebody's word goes: what others read has to be the user's, or vouched for. */
  for(trust: Trust): Shelf {
    return trust === "user" ? this.main : (this.quarantine ?? this.main);
  }
}
