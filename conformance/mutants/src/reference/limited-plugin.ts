import type { Feature } from "@membus/protocol";
import { ReferencePlugin } from "./reference-plugin.js";

/** The reference plugin without some features: no host asks it for what demands them. */
export class LimitedPlugin extends ReferencePlugin {
  readonly #lacks: readonly Feature[];

  constructor(lacks: readonly Feature[]) {
    super();
    this.#lacks = lacks;
  }

  protected override features() {
    const lacking = Object.fromEntries((this.#lacks ?? []).map((feature) => [feature, false]));
    return { ...super.features(), ...lacking };
  }

  /** Ranks by what there is. */
  protected override relevance(...[row, request, vector]: Parameters<ReferencePlugin["relevance"]>) {
    if (request.mode !== "hybrid") return super.relevance(row, request, vector);
    if (this.#lacks.includes("full_text"))
      return super.relevance(row, { ...request, mode: "vector" }, vector);
    const mode = this.#lacks.includes("similarity") ? "text" : "hybrid";
    return super.relevance(row, { ...request, mode }, vector);
  }
}
