/**
 * Why a block was not changed. "conflict": others changed it meanwhile, and the edit does not apply to what they left, or
 * lost too often; `revision` is the current one. "no_match" and "ambiguous": the text to replace is not there, or more than
 * once. "wrong_kind": a text edit of a block that is no text, or the other way round. "invalid_value": not what the
 * block's schema takes.
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
  /** Of a "conflict": the current revision of the block. */
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
