import { SECTIONS, type SectionName } from "../../cli/src/config/sections.js";
import { withSection } from "../../protocol/generate/marked-section.js";
import { optionTable } from "./option-table.js";

/** Declaration of each section, for its comments. */
const DECLARATIONS = {
  host: ["host/src/options.ts", "HostOptionsSchema"],
  lru: ["plugins/lru/src/lru-options.ts", "LruOptionsSchema"],
  kit: ["plugins/kit/src/kit-options.ts", "KitOptionsSchema"],
  log: ["plugins/disk/src/log/file-log-options.ts", "FileLogOptionsSchema"],
  storage: ["plugins/lancedb/src/lance-storage-options.ts", "LanceStorageOptionsSchema"],
} as const;

/** Returns the settings page with current tables. */
export function settingsPage(markdown: string): string {
  return Object.entries(SECTIONS).reduce((text, [section, options]) => {
    const [path, name] = DECLARATIONS[section as SectionName];
    return withSection(text, section, optionTable(options, path, name));
  }, markdown);
}
