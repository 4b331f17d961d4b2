const UNRELEASED = /^## \[[^\]]+\] - Unreleased$|^## \[Unreleased\]$/m;

/**
 * Gives the heading of the unreleased changes the version and the date.
 * @throws {TypeError} if no changes are listed.
 */
export function releasedChangelog(text: string, version: string, date: string): string {
  const [heading, ...parts] = [UNRELEASED.exec(text)?.[0], ...text.split(UNRELEASED)];
  const changes = parts[1]?.split(/^## /m)[0] ?? "";
  if (heading === undefined || changes.trim() === "") {
    throw new TypeError("CHANGELOG.md lists no changes below a heading `## [Unreleased]`");
  }
  return text.replace(UNRELEASED, `## [${version}] - ${date}`);
}
