/** Reason why a command failed, in a text for the model. */
export class MemoryToolError extends Error {
  override readonly name = "MemoryToolError";
}
