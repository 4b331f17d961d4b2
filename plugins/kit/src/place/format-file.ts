import { join } from "node:path";
import { readText, replaceFile } from "@membus/disk";
import { MemoryError } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { MANIFEST_FILE } from "./manifest-file.js";
import { warnOfRebuild } from "./marker-files.js";

/** Version of the layout of a tier's directory: `log`, `table`, and their file formats. */
const FORMAT = 5;

/**
 * Writes the format version to a new directory, and refuses a directory that this version cannot read.
 *
 * @throws {MemoryError} `unsupported` for another format, `runtime_error` for an unreadable file without
 * other files that prove the format.
 */
export async function checkFormat(directory: string, logger: Logger): Promise<void> {
  const path = join(directory, "format");
  const text = await readText(path);
  const format = text === undefined ? undefined : parseFormat(text);
  if (text !== undefined && format === undefined) {
    // The manifest was introduced with this format, so its presence proves the format.
    if ((await readText(join(directory, MANIFEST_FILE))) === undefined) throw unreadable(path);
    warnOfRebuild(path, "format", logger);
  }
  if (format === undefined) return replaceFile(path, `${JSON.stringify({ format: FORMAT })}\n`);
  if (format === FORMAT) return;
  const [reason, remedy] =
    format > FORMAT
      ? ["format_newer", "use a newer version of membus"]
      : [
          "format_older",
          "export it with the version that wrote it, then import the export into a new folder",
        ];
  const message = `${directory} has format ${format}, this version reads format ${FORMAT}: ${remedy}`;
  throw new MemoryError("unsupported", message, { reason, path, format, expected: FORMAT });
}

/** Returns the problem with the format file of a directory, or undefined if a start accepts it. */
export async function formatProblem(directory: string): Promise<string | undefined> {
  const path = join(directory, "format");
  const text = await readText(path);
  const format = text === undefined ? undefined : parseFormat(text);
  if (format === FORMAT) return undefined;
  if (format !== undefined) return `${directory} has format ${format}, this version reads format ${FORMAT}`;
  return `${path} ${text === undefined ? "is missing" : "does not contain a format"}`;
}

function unreadable(path: string): MemoryError {
  const example = JSON.stringify({ format: FORMAT });
  const message = `${path} does not contain a format: write ${example} into it if this version wrote the folder`;
  return new MemoryError("runtime_error", message, { reason: "format_unreadable", path });
}

function parseFormat(text: string): number | undefined {
  try {
    const { format } = JSON.parse(text) as { format?: unknown };
    return Number.isInteger(format) && (format as number) >= 1 ? (format as number) : undefined;
  } catch {
    return undefined;
  }
}
