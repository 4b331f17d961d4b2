/** The scopes that were written last, so that the next start can load them first. */
export class LatestScopes {
  /** The latest at the end. */
  readonly #ids = new Set<string>();

  constructor(readonly countMax: number) {}

  add(id: string): void {
    if (id === "") return;
    this.#ids.delete(id);
    this.#ids.add(id);
    if (this.#ids.size <= this.countMax) return;
    const [oldest] = this.#ids;
    this.#ids.delete(oldest!);
  }

  /** The oldest first. */
  get ids(): readonly string[] {
    return [...this.#ids];
  }
}
