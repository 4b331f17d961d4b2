import { isAbsolute, relative, sep } from "node:path";
import type { Plugin } from "rolldown";
import { packageOf } from "./package-of.js";

/** Matches `import.meta.url` on a line that is not a comment. */
const USES_MODULE_URL = /^(?!\s*(\*|\/\/)).*\bimport\.meta\.url\b/m;

/** Keeps the original URL of a module, because files that it loads relative to itself are not bundled. */
export function moduleUrls(format: "esm" | "cjs"): Plugin {
  return {
    name: "module-urls",
    transform(code, id) {
      if (!isAbsolute(id) || !USES_MODULE_URL.test(code)) return null;
      return { code: code.replaceAll("import.meta.url", urlOf(id, format)), map: null };
    },
  };
}

/** Returns code that resolves the module by package name. The entry of the package is `dist/index.js`. */
function urlOf(path: string, format: "esm" | "cjs"): string {
  const { folder, name } = packageOf(path);
  const below = relative(folder, path).split(sep);
  if (below.shift() !== "dist") throw new Error(`${path} uses import.meta.url outside of dist`);
  const entry =
    format === "esm"
      ? `import.meta.resolve("${name}")`
      : `require("node:url").pathToFileURL(require.resolve("${name}"))`;
  return `new URL("./${below.join("/")}", ${entry}).href`;
}
