import type { Message } from "@membus/protocol";
import { rewriteRequests } from "../hosts/intercept.js";
import { hostMutant, type Mutant } from "../mutant.js";

type Node = Readonly<Record<string, unknown>>;

/** Rewrites the nodes of a tree from the leaves up. Undefined drops a node. */
function changed(node: unknown, change: (node: Node) => Node | undefined): Node | undefined {
  if (typeof node !== "object" || node === null || Array.isArray(node)) return node as never;
  const copy: Record<string, unknown> = { ...node };
  for (const branch of ["all", "any"]) {
    if (!Array.isArray(copy[branch])) continue;
    copy[branch] = copy[branch]
      .map((child: unknown) => changed(child, change))
      .filter((one) => one !== undefined);
  }
  if ("not" in copy) copy.not = changed(copy.not, change);
  if ("not" in copy && copy.not === undefined) return undefined;
  return change(copy);
}

/** Rewrites the `where` of requests. Undefined drops it. */
function whereBecomes(change: (where: unknown) => unknown) {
  return (bus: Parameters<typeof rewriteRequests>[0]) =>
    rewriteRequests(bus, ({ where, ...fields }) => {
      const other = where === undefined ? undefined : change(where);
      return (other === undefined ? fields : { ...fields, where: other }) as Message;
    });
}

/** Cuts the tree below `levels` levels. */
function cutBelow(node: Node, levels: number): Node | undefined {
  if (levels === 0) return undefined;
  if (!Array.isArray(node.all) || "any" in node) return node;
  return { all: node.all.flatMap((child: Node) => cutBelow(child, levels - 1) ?? []) };
}

export const whereHostMutants: readonly Mutant[] = [
  hostMutant({
    id: "where-unknown-branch-ignored",
    defect: "a node with unknown fields is dropped",
    check: "where/what-is-no-tree-is-refused",
    names: /a retrieve with where \{"and"/,
    bus: whereBecomes((where) => changed(where, (node) => ("and" in node ? undefined : node))),
  }),
  hostMutant({
    id: "where-other-fields-in-metadata",
    defect: "an unknown field is looked up in the metadata",
    check: "where/other-fields-are-refused",
    names: /a retrieve with where on the field "content"/,
    bus: whereBecomes((where) =>
      changed(where, (node) => (node.field === "content" ? { ...node, field: "metadata.content" } : node)),
    ),
  }),
  hostMutant({
    id: "where-cut-to-levels",
    defect: "a tree with too many levels is cut instead of refused",
    check: "where/nodes-and-levels-are-bounded",
    names: /a retrieve with a where of 9 levels/,
    bus: whereBecomes((where) => {
      const cut = cutBelow(where as Node, 8);
      return JSON.stringify(cut) === JSON.stringify(where)
        ? where
        : { not: { field: "tags", op: "eq", value: "none" } };
    }),
  }),
  hostMutant({
    id: "where-empty-match-is-none",
    defect: "an empty `match` counts as not given",
    check: "where/empty-criteria-are-refused",
    names: /a retrieve with \{"match":\{\}\}/,
    bus: (bus) =>
      rewriteRequests(bus, ({ match, ...fields }) =>
        match === undefined || JSON.stringify(match) === "{}" ? fields : ({ ...fields, match } as Message),
      ),
  }),
];
