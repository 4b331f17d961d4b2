import type { AgentMemory } from "@membus/agent-client";
import type { Trust } from "@membus/protocol/records";
import type { ResolvedLongTermOptions } from "./long-term-options.js";
import { NamespaceView } from "./namespace-view.js";
import { quarantineNamespace, subjectNamespace } from "./subject.js";

/** The main namespace of a subject, and its quarantine for untrusted memories. */
export class MainAndQuarantine {
  readonly main: NamespaceView;
  /** Absent if the tier is not shared. */
  readonly quarantine: NamespaceView | undefined;

  constructor(memory: AgentMemory, { subject, tier }: ResolvedLongTermOptions) {
    this.main = new NamespaceView(memory, subjectNamespace(subject), tier);
    this.quarantine =
      tier === "semantic" ? new NamespaceView(memory, quarantineNamespace(subject), tier) : undefined;
  }

  get all(): NamespaceView[] {
    return this.quarantine === undefined ? [this.main] : [this.main, this.quarantine];
  }

  /**
   * Returns the namespace for memories with this trust. Shared memories must have the user's trust or be
   * promoted.
   */
  for(trust: Trust): NamespaceView {
    return trust === "user" ? this.main : (this.quarantine ?? this.main);
  }
}
