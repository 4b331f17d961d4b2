import { FileError } from "@membus/agentic/files";
import { shownPath } from "./memory-path.js";
import { MemoryToolError } from "./memory-tool-error.js";

/** Awaits work on files, and reports its failures in the texts of the memory tool. @throws {MemoryToolError} */
export async function withToolErrors<T>(work: Promise<T>, bytesMax: number): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof FileError ? toolError(error, bytesMax) : error;
  }
}

function toolError({ code, path, bytes, message }: FileError, bytesMax: number): MemoryToolError {
  const shown = shownPath(path);
  switch (code) {
    case "too_large":
      return new MemoryToolError(`The file would have ${bytes} bytes. Maximum is ${bytesMax}.`);
    case "damaged":
      return new MemoryToolError(`The file ${shown} is damaged: a part of it is missing`);
    case "conflict":
      return new MemoryToolError(`The path ${shown} is being changed by others. Please try again.`);
    case "exists":
      return new MemoryToolError(`The destination ${shown} already exists`);
    case "not_found":
      return new MemoryToolError(`The path ${shown} does not exist`);
    default:
      return new MemoryToolError(message);
  }
}
