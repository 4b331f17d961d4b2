import { type Feature, MemoryError, type PluginRetrieveRequest, type ScopeSelector } from "@membus/protocol";
import { ReferencePlugin } from "./reference-plugin.js";

/** The reference plugin without some features: it refuses what demands them. */
export class LimitedPlugin extends ReferencePlugin {
  readonly #lacks: readonly Feature[];

  constructor(lacks: readonly Feature[]) {
    super();
    this.#lacks = lacks;
  }

  protected lacks(feature: Feature): boolean {
    return this.#lacks.includes(feature);
  }

  protected refuses(feature: Feature): boolean {
    return this.lacks(feature);
  }

  protected override features() {
    const lacking = Object.fromEntries((this.#lacks ?? []).map((feature) => [feature, false]));
    return { ...super.features(), ...lacking };
  }

  override async onStore(...[scope, request]: Parameters<ReferencePlugin["onStore"]>) {
    if (request.ack === "queued" && this.refuses("queued")) throw unsupported("queued");
    return super.onStore(scope, request);
  }

  override async onRetrieve(...[selector, request]: Parameters<ReferencePlugin["onRetrieve"]>) {
    this.#refuseSubtree(selector);
    return super.onRetrieve(selector, request);
  }

  override async onForget(...[selector, request]: Parameters<ReferencePlugin["onForget"]>) {
    this.#refuseSubtree(selector);
    return super.onForget(selector, request);
  }

  protected override refusal(...[item, previous]: Parameters<ReferencePlugin["refusal"]>) {
    if (item.expires_at !== null && this.refuses("ttl")) return unsupported("ttl");
    if (item.if_revision != null && this.refuses("conditional")) return unsupported("conditional");
    return super.refusal(item, previous);
  }

  protected override refuseUndeclared(request: PluginRetrieveRequest): void {
    const { mode, query, embedding } = request;
    if (mode === "hybrid" || (query === undefined && embedding === undefined)) return;
    const feature = mode === "vector" ? "similarity" : "full_text";
    if (this.refuses(feature)) throw unsupported(feature);
  }

  /** Ranks by what there is. */
  protected override relevance(...[row, request, vector]: Parameters<ReferencePlugin["relevance"]>) {
    if (request.mode !== "hybrid") return super.relevance(row, request, vector);
    if (this.lacks("full_text")) return super.relevance(row, { ...request, mode: "vector" }, vector);
    const mode = this.lacks("similarity") ? "text" : "hybrid";
    return super.relevance(row, { ...request, mode }, vector);
  }

  #refuseSubtree({ subtree }: ScopeSelector): void {
    if (subtree && this.refuses("subtree")) throw unsupported("subtree");
  }
}

function unsupported(feature: Feature): MemoryError {
  return new MemoryError("unsupported", `this tier does not offer ${feature}`, { feature });
}
