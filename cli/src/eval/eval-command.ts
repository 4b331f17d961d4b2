import { createWriteStream } from "node:fs";
import { access, constants, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { systemClock } from "@membus/protocol";
import type { Config } from "../config/config-schema.js";
import type { Output } from "../terminal/output.js";
import { readBaseline } from "./baseline.js";
import { type Comparison, compareRuns, hasLoss, requireSharedQuestion } from "./compare-runs.js";
import { describeComparison, describeReport } from "./describe-report.js";
import { type EvalFlags, evaluationOptions } from "./eval-flags.js";
import { evaluate } from "./evaluate.js";
import { type EvaluationReport, evaluationReport } from "./evaluation-report.js";
import { readEvaluationSet } from "./evaluation-set.js";
import type { Answer, Evaluation } from "./run-evaluation.js";
import { SHIPPED_SET } from "./shipped-set.js";

const EXAMPLES_SHOWN = 3;
const PROGRESS_STEPS = 10;

/** Positional arguments. */
interface EvalPaths {
  readonly folder: string | undefined;
  /** Output file of the JSON report, with `--json`. */
  readonly file: string | undefined;
}

/** Runs the command. All inputs are validated before the first document is stored. */
export async function runEval(
  given: EvalPaths,
  flags: EvalFlags,
  config: Config,
  output: Output,
): Promise<void> {
  const options = evaluationOptions(flags);
  const { folder, file } = pathsOf(given, output.json);
  for (const path of [file, flags.run]) if (path !== undefined) await checkWritable(path);
  const baseline = flags.baseline === undefined ? undefined : await readBaseline(flags.baseline);
  const set = await readEvaluationSet(folder ?? SHIPPED_SET);
  if (baseline !== undefined) requireSharedQuestion(set.queries, baseline);
  const evaluation = await evaluate(set, options, config, {
    env: process.env,
    clock: systemClock,
    onStep: output.note,
    onProgress: progressNotes(output),
  });
  noteUnreadableDates(evaluation, output);
  if (flags.run !== undefined) await writeRun(flags.run, evaluation.answers);
  const report = evaluationReport(set, options, evaluation);
  const comparison = baseline === undefined ? undefined : compareRuns(report.questions, baseline);
  await showReport(report, comparison, file, output);
  if (flags.failOnLoss === true && hasLoss(comparison!)) process.exitCode = 1;
}

/** Resolves `--json out.json` without a folder: an only argument that ends in .json is the output file. */
function pathsOf({ folder, file }: EvalPaths, json: boolean): EvalPaths {
  if (file !== undefined && !json)
    throw new TypeError(`unexpected argument ${file}: a second argument is the output file of --json`);
  const isFile = json && file === undefined && folder?.endsWith(".json") === true;
  return isFile ? { folder: undefined, file: folder } : { folder, file };
}

/** @throws {TypeError} if the folder of an output file does not exist or is not writable. */
async function checkWritable(path: string): Promise<void> {
  await access(dirname(resolve(path)), constants.W_OK).catch((error: Error) => {
    throw new TypeError(`cannot write ${path}: ${error.message}`, { cause: error });
  });
}

/** Prints a note at each tenth of a stage. */
function progressNotes(output: Output): (stage: string, done: number, total: number) => void {
  let noted = "";
  return (stage, done, total) => {
    const step = Math.floor((PROGRESS_STEPS * done) / total);
    if (noted === `${stage} ${step}`) return;
    noted = `${stage} ${step}`;
    if (step > 0) output.note(`${stage} ${done} of ${total}`);
  };
}

function noteUnreadableDates({ unreadableDates }: Evaluation, output: Output): void {
  for (const { line, date } of unreadableDates.slice(0, EXAMPLES_SHOWN))
    output.note(`docs.jsonl:${line}: stored without its date, which cannot be parsed: ${date}`);
  const more = unreadableDates.length - EXAMPLES_SHOWN;
  if (more > 0) output.note(`${more} more dates cannot be parsed`);
}

/** Writes one line per question: `{"id", "ranked"}`, with the best document first. */
async function writeRun(path: string, answers: readonly Answer[]): Promise<void> {
  const lines = answers.map(({ query: { id }, ranked }) => `${JSON.stringify({ id, ranked })}\n`);
  await pipeline(lines, createWriteStream(path));
}

async function showReport(
  report: EvaluationReport,
  comparison: Comparison | undefined,
  file: string | undefined,
  output: Output,
): Promise<void> {
  const text = () =>
    [describeReport(report), ...(comparison === undefined ? [] : [describeComparison(comparison)])].join(
      "\n",
    );
  const value = comparison === undefined ? report : { ...report, comparison };
  if (file === undefined) output.result(value, text);
  else {
    await writeFile(file, `${JSON.stringify(value)}\n`);
    output.note(text());
  }
}
