import { LIMITS } from "./limits.js";

const SEGMENT = `[^/*\\u0000-\\u001f\\u007f]{1,${LIMITS.namespaceSegmentLength}}`;
const PATH = `${SEGMENT}(/${SEGMENT}){0,${LIMITS.namespaceSegments - 1}}`;

/** A path of 1..8 segments of 1..64 characters without `/`, `*` and controls (clause NS-1). */
export const NAMESPACE = new RegExp(`^${PATH}$`);
/** A namespace, or one followed by `/**` (clause NS-2). */
export const NAMESPACE_SELECTOR = new RegExp(`^${PATH}(/\\*\\*)?$`);

/** A namespace to read or forget from: one exactly, or it and all below. */
export interface NamespaceSelector {
  readonly namespace: string;
  readonly subtree: boolean;
}

/** True for what a write may name (clause NS-1). */
export function isNamespace(path: string): boolean {
  return NAMESPACE.test(path);
}

/** True for what a read or forget may name (clause NS-2). */
export function isNamespacePattern(path: string): boolean {
  return NAMESPACE_SELECTOR.test(path);
}

export function parseNamespacePattern(path: string): NamespaceSelector {
  const subtree = path.endsWith("/**");
  return { namespace: subtree ? path.slice(0, -3) : path, subtree };
}

/** Whether `namespace` is the selected one or, in a subtree, below it: `a/**` holds `a/b` but not `ab`. */
export function selectsNamespace(selector: NamespaceSelector, namespace: string): boolean {
  if (namespace === selector.namespace) return true;
  return selector.subtree && namespace.startsWith(`${selector.namespace}/`);
}
