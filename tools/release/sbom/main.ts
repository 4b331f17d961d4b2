// Prints the libraries of the package `membus` as CycloneDX: `npm run --silent sbom > membus.cdx.json`.
import { execFileSync } from "node:child_process";
import { ROOT } from "../../tidy/root.js";
import { productionSbom, type Sbom } from "./production-sbom.js";

const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
const text = execFileSync("npm", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 2 ** 28 });
// The inspector and its libraries are bundled into the gateway, LanceDB's JavaScript and its
// library into the plugin.
const roots = ["membus", "@membus/inspector", "@lancedb/lancedb", "reflect-metadata"];
console.log(JSON.stringify(productionSbom(JSON.parse(text) as Sbom, roots), null, 2));
