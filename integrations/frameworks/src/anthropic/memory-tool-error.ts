/** Why a command was not done, in the words that the model is told. */
export class MemoryToolError extends Error {
  override readonly name = "MemoryToolError";
}
