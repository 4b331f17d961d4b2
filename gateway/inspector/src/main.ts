import { html, render } from "htm/preact";
import { Shell } from "./shell.js";

render(html`<${Shell} />`, document.querySelector<HTMLElement>("#inspector")!);
