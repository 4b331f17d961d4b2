import { readText } from "@membus/disk";
import type { Logger } from "@membus/protocol/plugin";

/**
 * Reads a small JSON file that can be rebuilt from the folder. Returns undefined if it is missing, or with a
 * warning if `isValid` rejects its content.
 */
export async function readMarkerFile<T extends object>(
  path: string,
  logger: Logger,
  isValid: (found: Partial<T>) => boolean,
): Promise<T | undefined> {
  const text = await readText(path);
  if (text === undefined) return undefined;
  const found = parseObject<T>(text);
  if (found !== undefined && isValid(found)) return found as T;
  warnOfRebuild(path, "marker", logger);
  return undefined;
}

/** Logs that a small file of a folder is rebuilt. */
export function warnOfRebuild(path: string, name: "format" | "marker", logger: Logger): void {
  logger.warn({ path }, `${name} file is empty or corrupt, rebuilding it from the folder`);
}

function parseObject<T>(text: string): Partial<T> | undefined {
  try {
    const found = JSON.parse(text) as Partial<T> | null;
    return typeof found === "object" && found !== null ? found : undefined;
  } catch {
    return undefined;
  }
}
