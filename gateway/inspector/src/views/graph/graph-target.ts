import type { GraphNode } from "@membus/gateway/inspector-api";
/** Route parameters that lead to a node. */
export type Target = Readonly<Record<"tier" | "namespace" | "name" | "entry", string | undefined>>;

export function targetOf(node: GraphNode): Target {
  const { tier, namespace } = node;
  return node.kind === "name"
    ? { tier, namespace, name: node.text, entry: undefined }
    : { tier, namespace, name: undefined, entry: node.key_hash };
}

/** Returns the target of a triple's entry by its id: `entry/<tier>/<namespace>/<key hash>`. */
export function targetOfEntry(id: string): Target {
  const [, tier, ...path] = id.split("/");
  const entry = path.pop();
  return { tier, namespace: path.join("/"), name: undefined, entry };
}
