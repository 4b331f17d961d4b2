// Prepares a release: `npm run release -- minor`.
import { ROOT } from "../tidy/root.js";
import { release } from "./release.js";

try {
  console.log(release(ROOT, process.argv[2], new Date().toISOString().slice(0, 10)));
} catch (error) {
  console.error(`release: ${(error as Error).message}`);
  process.exitCode = 1;
}
