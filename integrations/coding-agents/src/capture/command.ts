/** Characters of a command and of an error in a note. */
const COMMAND_LENGTH_MAX = 200;
const ERROR_LENGTH_MAX = 240;
/** Lines of an output that are read, from its end. */
const LINES_MAX = 400;

/** Programs that look something up. Their failure means that nothing was found. */
const LOOKUPS = new Set(
  "cat cd command diff echo file find grep head less ls pgrep printf pwd rg sed sleep stat tail test true false type wc which [".split(
    " ",
  ),
);

const ERROR_LINE =
  /\b(?:error|errors|failed|failure|fatal|panic|exception|traceback|denied|not found|no such|cannot|unable to|undefined|unknown|invalid|missing)\b/i;

/** Matches the first words of a line of a failed command, for agents that report no exit code. */
const FAILED_LINE =
  /^(?:error(?:\[\w+\])?:|fatal:|panic:|npm (?:ERR!|error)|Traceback \(most recent|FAILED\b|make: \*\*\*|\w{0,60}(?:Error|Exception): |Segmentation fault)/;
const FAILED_END = /(?:: command not found|: No such file or directory|: Permission denied)$/;

/** Returns a command on one line of limited length. */
export function shortCommand(command: string): string {
  const line = command.replaceAll(/\s+/g, " ").trim();
  return line.length <= COMMAND_LENGTH_MAX ? line : `${line.slice(0, COMMAND_LENGTH_MAX - 1)}…`;
}

/** Returns whether the failure of a command can teach something. */
export function isWorthKeeping(command: string): boolean {
  const parts = command.split(/&&|\|\||[;|\n]/).map((part) => part.trim());
  const programs = parts.map((part) => programOf(part)).filter((program) => program !== "");
  return programs.some((program) => !LOOKUPS.has(program));
}

function programOf(part: string): string {
  const words = part.split(/\s+/);
  const first = words.find((word) => !/^(?:\w+=|sudo$|time$|env$|exec$|nohup$)/.test(word)) ?? "";
  return first.slice(first.lastIndexOf("/") + 1);
}

/** Returns whether an output looks like the output of a failed command. */
export function looksFailed(output: string): boolean {
  return lastLines(output).some((line) => FAILED_LINE.test(line) || FAILED_END.test(line));
}

/** Returns the line of an output that names the problem: the first one with a word for errors, or the last one. */
export function errorLine(output: string): string {
  const lines = lastLines(output).filter((line) => line !== "" && !/^exit code \d+$/i.test(line));
  const line = lines.find((one) => ERROR_LINE.test(one)) ?? lines.at(-1) ?? "";
  return line.length <= ERROR_LENGTH_MAX ? line : `${line.slice(0, ERROR_LENGTH_MAX - 1)}…`;
}

function lastLines(output: string): string[] {
  return output
    .split("\n")
    .slice(-LINES_MAX)
    .map((line) => line.trim());
}

/** Returns whether a command loads something from the network, so that its output may be a web page. */
export function isFromWeb(command: string): boolean {
  return /\b(?:curl|wget|lynx|w3m)\b|https?:\/\//.test(command);
}

/** Returns how similar two commands are, 0..1: the share of pairs of characters that both have. */
export function similarity(one: string, other: string): number {
  const pairs = pairsOf(one);
  const others = pairsOf(other);
  const total = sum(pairs) + sum(others);
  if (total === 0) return one === other ? 1 : 0;
  let shared = 0;
  for (const [pair, count] of pairs) shared += Math.min(count, others.get(pair) ?? 0);
  return (2 * shared) / total;
}

function pairsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (let index = 1; index < text.length; index++) {
    const pair = text.slice(index - 1, index + 1);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return counts;
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
