/** An error in the arguments or files given to the suite, not in the implementation under test. */
export class UsageError extends TypeError {
  override readonly name = "UsageError";
}
