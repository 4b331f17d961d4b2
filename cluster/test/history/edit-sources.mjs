import { register } from "node:module";

register("./edit-hooks.mjs", import.meta.url, { data: JSON.parse(process.env.SOURCE_EDITS) });
