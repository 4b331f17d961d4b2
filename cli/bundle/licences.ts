import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "rolldown";
import { type InstalledPackage, packageOf } from "./package-of.js";

const APACHE = readFileSync(new URL("../../LICENSE", import.meta.url), "utf8").trim();

/** Writes the licences of the bundled libraries to LICENSES.txt next to the program. */
export function licences(): Plugin {
  return {
    name: "licences",
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
      const libraries = modules.filter((id) => id.includes("/node_modules/")).map(packageOf);
      const byFolder = new Map(libraries.map((library) => [library.folder, library]));
      const notices = [...byFolder.values()].sort((a, b) => a.name.localeCompare(b.name)).map(noticeOf);
      this.emitFile({ type: "asset", fileName: "LICENSES.txt", source: notices.join("\n") });
    },
  };
}

function noticeOf({ folder, name, version }: InstalledPackage): string {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
  if (texts.length === 0) throw new Error(`cannot bundle ${name}: it has no licence file`);
  return [`${name} ${version}`, ...texts.map(withLicence), ""].join("\n\n");
}

/** Appends the licence to a text that only names it. The licence of membus is the same. */
function withLicence(text: string): string {
  return text.includes("SPDX-License-Identifier: Apache-2.0") ? `${text}\n\n${APACHE}` : text;
}
