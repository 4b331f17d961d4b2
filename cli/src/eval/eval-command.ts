import { createWriteStream } from "node:fs";
import { access, constants, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { systemClock } from "@membus/protocol";
import type { Config } from "../config/config-schema.js";
import type { Output } from "../terminal/output.js";
import { itemsPerS } from "../terminal/progress-bar.js";
import { withProgressBar } from "../terminal/task-progress.js";
import { readBaseline } from "./baseline.js";
import { type Comparison, compareRuns, hasLoss, requireSharedQuestion } from "./compare-runs.js";
import { describeComparison, describeReport } from "./describe-report.js";
import { type EvalFlags, evaluationOptions, setFormat } from "./eval-flags.js";
import { evaluate } from "./evaluate.js";
import { type EvaluationReport, evaluationReport } from "./evaluation-report.js";
import type { EvaluationDocument } from "./evaluation-set.js";
import { readSet, type SetFormat } from "./formats/read-set.js";
import type { Answer, Evaluation } from "./run-evaluation.js";
import { sessionDocuments } from "./session-documents.js";
import { SHIPPED_SET } from "./shipped-set.js";

const EXAMPLES_SHOWN = 3;
const PROGRESS_STEPS = 10;

/** Positional arguments. */
interface EvalPaths {
  /** Folder or file of the set. Absent: the built-in set. */
  readonly path: string | undefined;
  /** Output file of the JSON report, with `--json`. */
  readonly file: string | undefined;
}

/** Runs the command. All inputs are validated before the first document is stored. */
export async function runEval(
  paths: EvalPaths,
  flags: EvalFlags,
  config: Config,
  output: Output,
): Promise<void> {
  const options = evaluationOptions(flags);
  const format = setFormat(flags);
  const { path, file } = pathsOf(paths, format, output.json);
  for (const written of [file, flags.run]) if (written !== undefined) await checkWritable(written);
  const baseline = flags.baseline === undefined ? undefined : await readBaseline(flags.baseline);
  const given = await readSet(path ?? SHIPPED_SET, format);
  const set = options.unit === "session" ? sessionDocuments(given) : given;
  if (baseline !== undefined) requireSharedQuestion(set.queries, baseline);
  const notes = process.stderr.isTTY === true ? () => {} : progressNotes(output);
  const evaluation = await withProgressBar(itemsPerS, (draw) =>
    evaluate(set, options, config, {
      env: process.env,
      clock: systemClock,
      onStep: output.note,
      onProgress: (stage, done, total) => {
        notes(stage, done, total);
        draw(done, total, `${stage} ${done} of ${total}`);
      },
    }),
  );
  noteDocuments(evaluation, output);
  if (flags.run !== undefined) await writeRun(flags.run, evaluation.answers);
  const report = evaluationReport(set, options, evaluation);
  const comparison = baseline === undefined ? undefined : compareRuns(report.questions, baseline);
  await showReport(report, comparison, file, output);
  if (flags.failOnLoss === true && hasLoss(comparison!)) process.exitCode = 1;
}

/** Resolves `--json out.json` without a set: an only argument that ends in .json is the output file. */
function pathsOf({ path, file }: EvalPaths, format: SetFormat, json: boolean): EvalPaths {
  if (file !== undefined && !json)
    throw new TypeError(`unexpected argument ${file}: a second argument is the output file of --json`);
  if (format !== "membus") {
    if (path === undefined) throw new TypeError(`--format ${format} requires the path of the set`);
    return { path, file };
  }
  const isFile = json && file === undefined && path?.endsWith(".json") === true;
  return isFile ? { path: undefined, file: path } : { path, file };
}

/** @throws {TypeError} if the folder of an output file does not exist or is not writable. */
async function checkWritable(path: string): Promise<void> {
  await access(dirname(resolve(path)), constants.W_OK).catch((error: Error) => {
    throw new TypeError(`cannot write ${path}: ${error.message}`, { cause: error });
  });
}

/** Prints a note at each tenth of a stage, where there is no terminal for a bar. */
function progressNotes(output: Output): (stage: string, done: number, total: number) => void {
  let noted = "";
  return (stage, done, total) => {
    const step = Math.floor((PROGRESS_STEPS * done) / total);
    if (noted === `${stage} ${step}`) return;
    noted = `${stage} ${step}`;
    if (step > 0) output.note(`${stage} ${done} of ${total}`);
  };
}

function noteDocuments({ unreadableDates, tooLarge }: Evaluation, output: Output): void {
  noteSome(output, unreadableDates, "dates cannot be parsed", ({ id, date }) => {
    return `document ${id}: stored without its date, which cannot be parsed: ${date}`;
  });
  noteSome(output, tooLarge, "documents are too large", ({ id, text }) => {
    return `document ${id}: not stored, because ${text.length} characters are too large`;
  });
}

/** Prints a note for the first documents, and the number of the others. */
function noteSome(
  output: Output,
  documents: readonly EvaluationDocument[],
  problem: string,
  noteOf: (document: EvaluationDocument) => string,
): void {
  for (const document of documents.slice(0, EXAMPLES_SHOWN)) output.note(noteOf(document));
  const more = documents.length - EXAMPLES_SHOWN;
  if (more > 0) output.note(`${more} more ${problem}`);
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
