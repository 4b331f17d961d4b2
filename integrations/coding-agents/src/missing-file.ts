/** Returns whether a file operation failed because the file does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === "ENOENT";
}
