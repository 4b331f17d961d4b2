import { isAbsolute, relative, sep } from "node:path";
import type { Plugin } from "rolldown";
import { packageOf } from "./package-of.js";

/** On a line that is no comment. */
const ASKS = /^(?!\s*(\*|\/\/)).*\bimport\.meta\.url\b/m;

/** A module's own URL stays what it was: what it finds beside itself, or loads from there, is not in the bundle. */
export function moduleUrls(): Plugin {
  return {
    name: "module-urls",
    transform(code, id) {
      if (!isAbsolute(id) || !ASKS.test(code)) return null;
      return { code: code.replaceAll("import.meta.url", urlOf(id)), map: null };
    },
  };
}

/** By the package's name, wherever it is installed: its entry is `dist/index.js`. */
function urlOf(path: string): string {
  const { folder, name } = packageOf(path);
  const below = relative(folder, path).split(sep);
  if (below.shift() !== "dist") throw new Error(`${path} asks for its URL, which only modules of dist may`);
  return `new URL("./${below.join("/")}", import.meta.resolve("${name}")).href`;
}
