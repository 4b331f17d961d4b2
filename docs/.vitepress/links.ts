import { posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Folder of the repository, with a trailing separator. */
export const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

const EXTERNAL = /^([a-z]+:|\/\/|#)/;

/**
 * Returns the path of the site's page for a Markdown file of the repository. Returns undefined if the file is not part
 * of the site. Both paths are relative, with `/`.
 */
export function pageOf(file: string): string | undefined {
  if (file.startsWith("docs/") && file.endsWith(".md")) return file.slice("docs/".length);
  if (/^protocol\/spec\/[\w-]+\.md$/.test(file)) return file.replace("protocol/spec/", "protocol/");
  return FURTHER_PAGES[file];
}

/** Markdown files outside `docs` and `protocol/spec` that are pages of the site. */
export const FURTHER_PAGES: Readonly<Record<string, string>> = {
  "conformance/README.md": "plugins/conformance.md",
  "conformance/TRACEABILITY.md": "plugins/traceability.md",
  "CONTRIBUTING.md": "internals/contributing.md",
  "CHANGELOG.md": "changelog.md",
  "tools/bench/RESULTS.md": "internals/benchmarks.md",
};

/** Returns the GitHub form of an anchor: lower case, no punctuation, hyphens for spaces. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
}

/**
 * Returns the target on the site of a relative link in a Markdown file: a page, a public file, a source file below
 * `sourceUrl`, or undefined if the link leads to a source file and `sourceUrl` is empty.
 *
 * @param from - absolute path of the Markdown file
 */
export function siteLink(link: string, from: string, sourceUrl: string): string | undefined {
  if (EXTERNAL.test(link)) return link;
  const [path = "", anchor] = link.split("#");
  const folder = posix.dirname(relative(REPOSITORY, from).split(sep).join("/"));
  const file = posix.join(folder, path).replace(/\/$/, "");
  const hash = anchor === undefined ? "" : `#${anchor}`;
  const page = pageOf(file);
  if (page !== undefined) return `/${page}${hash}`;
  if (file.startsWith("docs/public/")) return file.slice("docs/public".length);
  return sourceUrl === "" ? undefined : `${sourceUrl}/${file}${hash}`;
}
