const STEPS = ["major", "minor", "patch"];

/**
 * Returns the version that a release gets: `asked` itself, or the current version with one number incremented.
 * The current version may be asked for, because the first release has it. Other forms, such as release candidates,
 * are not accepted because npm and PyPI write them differently.
 * @throws {TypeError} if `asked` is neither a step nor a version, or is older than the current version.
 */
export function nextVersion(current: string, asked: string | undefined): string {
  const numbers = numbersOf(current)!;
  const step = STEPS.indexOf(asked ?? "");
  if (step >= 0)
    return numbers.map((value, at) => (at < step ? value : at === step ? value + 1 : 0)).join(".");
  const given = numbersOf(asked ?? "");
  if (given === undefined)
    throw new TypeError(`a release needs major, minor, patch or a version such as 1.2.3, got ${asked}`);
  const first = given.findIndex((value, at) => value !== numbers[at]);
  if (first >= 0 && given[first]! < numbers[first]!) throw new TypeError(`${asked} is older than ${current}`);
  return given.join(".");
}

/** Returns the three numbers of a version, or undefined for another text. */
function numbersOf(version: string): number[] | undefined {
  return /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.exec(version)?.slice(1).map(Number);
}
