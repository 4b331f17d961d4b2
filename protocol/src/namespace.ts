import { LIMITS } from "./limits.js";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses.
const SEGMENT = /^[^/*\u0000-\u001f\u007f]+$/u;

/** A namespace to read or forget from: one exactly, or it and all below. */
export interface NamespaceSelector {
  readonly namespace: string;
  readonly subtree: boolean;
}

/** True for a path of 1..8 segments of 1..64 characters without `/`, `*` and controls (clause NS-1). */
export function isNamespace(path: string): boolean {
  const segments = path.split("/");
  return (
    segments.length <= LIMITS.namespaceSegments &&
    segments.every((segment) => segment.length <= LIMITS.namespaceSegmentLength && SEGMENT.test(segment))
  );
}

/** True for a namespace, or one followed by `/**` (clause NS-2). */
export function isNamespacePattern(path: string): boolean {
  return isNamespace(parseNamespacePattern(path).namespace);
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
