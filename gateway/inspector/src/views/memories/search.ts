/** What the address says that is looked for. */
export interface Search {
  readonly q?: string | undefined;
  /** One, or a subtree `a/**`. */
  readonly namespace: string;
  readonly tier?: string | undefined;
  /** A JSON list. */
  readonly tags?: string | undefined;
  /** Unix seconds. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Of the working tier. */
  readonly session?: string | undefined;
}
