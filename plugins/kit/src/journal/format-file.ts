import { join } from "node:path";
import { readText, replaceFile } from "@membus/disk";
import { type Logger, MemoryError } from "@membus/protocol";

/** The layout of a tier's directory: `log`, `table`, and what their files hold. */
const FORMAT = 5;

/**
 * Marks a new directory with the format, and refuses one that this version cannot read.
 *
 * @throws {MemoryError} `unsupported` for another format, `runtime_error` for a file that is none, unless other files tell.
 */
export async function checkFormat(directory: string, logger: Logger): Promise<void> {
  const path = join(directory, "format");
  const text = await readText(path);
  const format = text === undefined ? undefined : parseFormat(text);
  if (text !== undefined && format === undefined) {
    // A file that came with this format.
    if ((await readText(join(directory, "folder.json"))) === undefined) throw unreadable(path);
    logger.warn({ path }, "the file says nothing; it is made again from what the folder holds");
  }
  if (format === undefined) return replaceFile(path, `${JSON.stringify({ format: FORMAT })}\n`);
  if (format === FORMAT) return;
  const [reason, remedy] =
    format > FORMAT
      ? ["format_newer", "use a newer version of membus"]
      : ["format_older", "export it with the version that wrote it, and import that into a new folder"];
  const message = `${directory} is of format ${format}, this version reads ${FORMAT}: ${remedy}`;
  throw new MemoryError("unsupported", message, { reason, path, format, expected: FORMAT });
}

/** What is wrong with the mark of a directory; undefined where a start takes it. */
export async function formatProblem(directory: string): Promise<string | undefined> {
  const path = join(directory, "format");
  const text = await readText(path);
  const format = text === undefined ? undefined : parseFormat(text);
  if (format === FORMAT) return undefined;
  if (format !== undefined) return `${directory} is of format ${format}, this version reads ${FORMAT}`;
  return `${path} ${text === undefined ? "is missing" : "does not name a format"}`;
}

function unreadable(path: string): MemoryError {
  const example = JSON.stringify({ format: FORMAT });
  const message = `${path} does not name a format: write ${example} into it if this version wrote the folder`;
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
