/** A command that checks a host or a cluster for a long time. */
export interface SoakCommand<T> {
  readonly help: string;
  /** Returns undefined for a request of help. @throws {TypeError} for an invalid flag. */
  readFlags(args: string[]): T | undefined;
  run(flags: T): Promise<void>;
}

/** Runs a command line. An invalid one ends with exit code 2. */
export async function runSoakCommand<T>(
  args: string[],
  { help, readFlags, run }: SoakCommand<T>,
): Promise<void> {
  let flags: T | undefined;
  try {
    flags = readFlags(args);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${help}`);
    process.exitCode = 2;
    return;
  }
  if (flags === undefined) process.stdout.write(help);
  else await run(flags);
}

/** Parses the value of a flag. @throws {TypeError} for another value. */
export function integerFlag(flag: string, text: string, min: number, max = 2 ** 32 - 1): number {
  const number = Number(text);
  if (text !== "" && Number.isInteger(number) && number >= min && number <= max) return number;
  throw new TypeError(`--${flag} must be an integer of ${min}..${max}, got ${text}`);
}
