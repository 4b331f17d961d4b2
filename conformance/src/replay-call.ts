import type { TracedStep } from "./run/traced-step.js";

/** Returns the line that calls a replay: `await replayOnHost(target, [...]);`. */
export function replayCall(name: string, target: string, steps: readonly TracedStep[]): string {
  const lines = steps.map((step) => `  ${JSON.stringify(step)},`);
  return [`await ${name}(${target}, [`, ...lines, "]);", ""].join("\n");
}
