import { join } from "node:path";
import { readText, replaceFile } from "@membus/disk";
import { MemoryError } from "@membus/protocol";

/** The layout of a tier's directory: `log`, `table`, and what their files hold. */
const FORMAT = 4;

/**
 * Marks a new directory with the format, and refuses one that this version cannot read.
 *
 * @throws {MemoryError} `unsupported` for another format, `runtime_error` for a file that is none.
 */
export async function checkFormat(directory: string): Promise<void> {
  const path = join(directory, "format");
  const text = await readText(path);
  if (text === undefined) return replaceFile(path, `${JSON.stringify({ format: FORMAT })}\n`);
  const format = parseFormat(text);
  if (format === undefined) {
    throw new MemoryError("runtime_error", `${path} does not name a format`, {
      reason: "format_unreadable",
      path,
    });
  }
  if (format === FORMAT) return;
  const [reason, remedy] =
    format > FORMAT
      ? ["format_newer", "use a newer version of membus"]
      : ["format_older", "export it with the version that wrote it, and import that into a new folder"];
  const message = `${directory} is of format ${format}, this version reads ${FORMAT}: ${remedy}`;
  throw new MemoryError("unsupported", message, { reason, path, format, expected: FORMAT });
}

function parseFormat(text: string): number | undefined {
  try {
    const { format } = JSON.parse(text) as { format?: unknown };
    return Number.isInteger(format) && (format as number) >= 1 ? (format as number) : undefined;
  } catch {
    return undefined;
  }
}
