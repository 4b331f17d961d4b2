import type { Feature } from "@membus/protocol/plugin";
import { ReferencePlugin } from "./reference-plugin.js";

/** The reference plugin without some features. Hosts do not send it requests that need them. */
export class LimitedPlugin extends ReferencePlugin {
  readonly #lacks: readonly Feature[];

  constructor(lacks: readonly Feature[]) {
    super();
    this.#lacks = lacks;
  }

  protected override features() {
    const missing = Object.fromEntries((this.#lacks ?? []).map((feature) => [feature, false]));
    return { ...super.features(), ...missing };
  }

  /** Ranks by the declared features. */
  protected override relevance(...[row, request, vector]: Parameters<ReferencePlugin["relevance"]>) {
    if (request.mode !== "hybrid") return super.relevance(row, request, vector);
    if (this.#lacks.includes("full_text"))
      return super.relevance(row, { ...request, mode: "vector" }, vector);
    const mode = this.#lacks.includes("similarity") ? "text" : "hybrid";
    return super.relevance(row, { ...request, mode }, vector);
  }
}
