/** The search that the address describes. */
export interface Search {
  readonly q?: string | undefined;
  /** A namespace, a subtree `a/**`, or `**` for all. */
  readonly namespace: string;
  readonly tier?: string | undefined;
  /** A kind of record, `-` for entries that are no records. */
  readonly kind?: string | undefined;
  /** A JSON list. */
  readonly tags?: string | undefined;
  /** Unix seconds. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** A session of the working tier. */
  readonly session?: string | undefined;
}

export const ALL_NAMESPACES = "**";

const FIELDS = ["q", "tier", "kind", "tags", "since", "until", "session"] as const;

export function searchOf(params: URLSearchParams): Search {
  const given = Object.fromEntries(FIELDS.map((name) => [name, params.get(name) ?? undefined]));
  return { ...given, namespace: params.get("namespace") ?? ALL_NAMESPACES };
}

/** Returns the tags of an address, which the user may have edited. */
export function tagsOf({ tags }: Pick<Search, "tags">): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(tags ?? "[]");
    return Array.isArray(parsed) ? parsed.map(String) : [];
  } catch {
    return [];
  }
}

export function withTags(tags: readonly string[]): Pick<Search, "tags"> {
  return { tags: tags.length === 0 ? undefined : JSON.stringify([...new Set(tags)]) };
}
