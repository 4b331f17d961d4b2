import { html } from "htm/preact";
import type { VNode } from "preact";

export interface Namespace {
  /** The path of the namespace. */
  readonly value: string;
  /** Number of entries stored at this path. */
  readonly count: number;
}

export interface NamespaceTreeProps {
  readonly items: readonly Namespace[];
  /** A path, or a path followed by `/**`. */
  readonly selected: string;
  readonly hrefOf: (namespace: string) => string;
}

interface Branch {
  readonly path: string;
  readonly name: string;
  /** Number of entries at this path and below. */
  count: number;
  readonly branches: Map<string, Branch>;
}

/** Shows the namespaces as a tree, with the number of entries in each subtree. */
export function NamespaceTree({ items, selected, hrefOf }: NamespaceTreeProps): VNode | null {
  const level = (branches: ReadonlyMap<string, Branch>): VNode | null => {
    if (branches.size === 0) return null;
    return html`<ul class="tree">${[...branches.values()].map(
      (branch) => html`<li key=${branch.path}>
      <a href=${hrefOf(`${branch.path}/**`)} aria-current=${isSelected(branch.path, selected) ? "true" : undefined}>
        ${branch.name}</a> <span class="quiet">${branch.count}</span>
      ${level(branch.branches)}
    </li>`,
    )}</ul>`;
  };
  return level(treeOf(items));
}

function treeOf(items: readonly Namespace[]): ReadonlyMap<string, Branch> {
  const roots = new Map<string, Branch>();
  for (const { value, count } of items) {
    let branches = roots;
    let path = "";
    for (const name of value.split("/")) {
      path = path === "" ? name : `${path}/${name}`;
      const branch = branches.get(name) ?? { path, name, count: 0, branches: new Map<string, Branch>() };
      branch.count += count;
      branches.set(name, branch);
      branches = branch.branches;
    }
  }
  return roots;
}

function isSelected(path: string, selected: string): boolean {
  return selected.replace(/\/\*\*$/, "") === path;
}
