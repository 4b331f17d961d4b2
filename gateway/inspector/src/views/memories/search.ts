/** The search that the address describes. */
export interface Search {
  readonly q?: string | undefined;
  /** A namespace, or a subtree `a/**`. */
  readonly namespace: string;
  readonly tier?: string | undefined;
  /** A JSON list. */
  readonly tags?: string | undefined;
  /** Unix seconds. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** A session of the working tier. */
  readonly session?: string | undefined;
}
