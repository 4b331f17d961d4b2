import { join } from "node:path";
import { readText, replaceFile } from "@membus/disk";
import type { Logger } from "@membus/protocol/plugin";
import type { Markers } from "./tier-place.js";

/** Returns markers that are JSON files of a folder. */
export function markerFiles(directory: string, logger: Logger): Markers {
  return {
    read: (name, isValid) => readMarkerFile(join(directory, name), logger, isValid),
    write: (name, value) => replaceFile(join(directory, name), `${JSON.stringify(value)}\n`),
  };
}

/** Logs that a small file of a folder is rebuilt. */
export function warnOfRebuild(path: string, name: "format" | "marker", logger: Logger): void {
  logger.warn({ path }, `${name} file is empty or corrupt, rebuilding it from the folder`);
}

async function readMarkerFile<T extends object>(
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

function parseObject<T>(text: string): Partial<T> | undefined {
  try {
    const found = JSON.parse(text) as Partial<T> | null;
    return typeof found === "object" && found !== null ? found : undefined;
  } catch {
    return undefined;
  }
}
