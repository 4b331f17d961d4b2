#!/usr/bin/env node
import { runCommandLine } from "./cli/run-command-line.js";

await runCommandLine();
