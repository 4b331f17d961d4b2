import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Returns every `src` file of the repository by its path, except the mutants, which contain intended errors.
 */
export function sources(folder: string = REPOSITORY): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (["node_modules", "dist", "mutants"].includes(name) || name.startsWith(".")) return [];
    if (statSync(path).isDirectory()) return sources(path);
    return path.includes("/src/") && name.endsWith(".ts") ? [path] : [];
  });
}
