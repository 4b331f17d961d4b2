export interface GraphNode {
  readonly id: string;
  readonly kind: "name" | "entry";
  readonly text: string;
  readonly tier: string;
  readonly namespace: string;
  readonly distance: number;
  /** Of entries alone. */
  readonly key_hash?: string;
  readonly record?: string;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: "triple" | "end" | "source";
  readonly label: string;
  /** Of a triple: the id of its entry. */
  readonly entry?: string;
}

/** What `/inspector/neighbourhood` answers. */
export interface GraphReply {
  readonly centre: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly truncated: boolean;
  readonly degraded: readonly { readonly tier: string; readonly message: string }[];
}

/** What leads to a node, as parameters of the route. */
export type Target = Readonly<Record<"tier" | "namespace" | "name" | "entry", string | undefined>>;

/** Of a node. */
export function targetOf({ kind, tier, namespace, text, key_hash }: GraphNode): Target {
  return kind === "name"
    ? { tier, namespace, name: text, entry: undefined }
    : { tier, namespace, name: undefined, entry: key_hash };
}

/** Of the entry of a triple by its id: `entry/<tier>/<namespace>/<key hash>`. */
export function targetOfEntry(id: string): Target {
  const [, tier, ...path] = id.split("/");
  const entry = path.pop();
  return { tier, namespace: path.join("/"), name: undefined, entry };
}
