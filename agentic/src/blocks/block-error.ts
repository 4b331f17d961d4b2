/**
 * The reason why a block was not changed.
 * - "conflict": another writer changed the block, and the edit does not apply to the new value or lost too
 *   often. `revision` is the current one.
 * - "no_match" and "ambiguous": the text to replace is missing, or occurs more than once.
 * - "wrong_kind": a text edit of a JSON block, or a JSON edit of a text block.
 * - "invalid_value": the block's schema rejects the value.
 */
export type BlockErrorCode =
  | "not_found"
  | "exists"
  | "too_many"
  | "too_long"
  | "read_only"
  | "conflict"
  | "no_match"
  | "ambiguous"
  | "wrong_kind"
  | "invalid_value"
  | "nothing_to_undo"
  | "nothing_to_redo";

export class BlockError extends Error {
  override readonly name = "BlockError";
  readonly code: BlockErrorCode;
  readonly label: string;
  /** The current revision of the block, only for "conflict". */
  readonly revision: number | undefined;

  constructor(
    code: BlockErrorCode,
    label: string,
    message: string,
    { revision, cause }: { readonly revision?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(`block ${label}: ${message}`, { cause });
    this.code = code;
    this.label = label;
    this.revision = revision;
  }
}
