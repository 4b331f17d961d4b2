import type { Command } from "commander";
import { type EvalFlags, evalConfig } from "../eval/eval-flags.js";
import { openSession } from "../session.js";

export function registerEval(program: Command): void {
  program
    .command("eval")
    .description(
      "measure retrieval quality on your questions and documents, or on the built-in evaluation set",
    )
    .argument("[path]", "evaluation set, in the format of --format (default: the built-in evaluation set)")
    .argument("[file]", "with --json: output file (default: standard output)")
    .option(
      "--format <format>",
      "membus (docs.jsonl and queries.jsonl, default), beam, longmemeval or locomo",
    )
    .option("--unit <unit>", "document (default), or session: the documents of a session become one")
    .option("--tier <tier>", "working, episodic (default) or semantic")
    .option("--mode <mode>", "hybrid (default), vector or text")
    .option("--embedder <provider>", "embedder of the temporary host (default: from membus.yaml)")
    .option("--no-namespace", "store all documents in one namespace instead of one per `conv`")
    .option("--no-group", "do not use `session` as the group")
    .option("--no-date", "do not use `date` as the time")
    .option("--context <count>", `preceding documents of the session stored as context, 0..20 (default 2)`)
    .option("--plain", "short for --no-group --no-date --context 0")
    .option("--all", "also score questions with `main: false`")
    .option("--run <file>", "write the results: one line {id, ranked} per question")
    .option("--baseline <file>", "JSON report of an earlier run (--json): print the differences")
    .option("--fail-on-loss", "exit with 1 if a metric is significantly worse than in the baseline")
    .option("--nats-server <path>", "nats-server binary to run")
    .addHelpText("after", HELP)
    .action(
      async (path: string | undefined, file: string | undefined, flags: EvalFlags, command: Command) => {
        // Reads the settings of the program, because `--no-namespace` of this command would overwrite the
        // global `--namespace`.
        const { config, output } = await openSession(command.parent!);
        const { runEval } = await import("../eval/eval-command.js");
        await runEval({ path, file }, flags, evalConfig(config, flags), output);
      },
    );
}

const HELP = `
Documents and questions run on a temporary host with a temporary data folder. If NATS_URL or --nats names a running server, the
host there is used: the documents get a separate namespace and are forgotten at the end.

docs.jsonl      {"id": "d1", "conv": "trip", "session": 1, "date": "1:56 pm on 8 May, 2023",
                 "speaker": "user", "text": "The train leaves at nine", "caption": "a photo of a platform"}
queries.jsonl   {"id": "q1", "conv": "trip", "type": "temporal", "question": "When do we leave?", "gold": ["d1"]}
Required fields of a document: id, text.
Required fields of a query: id, question, gold.

  membus eval                                   the built-in evaluation set
  membus eval ./mine --json before.json         your own set, with the report as JSON
  membus eval ./mine --plain --baseline before.json
  membus eval ./mine --mode text                full-text search only
  membus eval --format beam chats/100K          conversations of the BEAM repository
  membus eval --format longmemeval longmemeval_s.json --unit session
  membus eval --format locomo locomo10.json`;
