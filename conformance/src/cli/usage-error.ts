/** A mistake of whoever starts the suite, and not of what it tests. */
export class UsageError extends TypeError {
  override readonly name = "UsageError";
}
