import { html } from "htm/preact";
import type { VNode } from "preact";
import type { PageProps } from "../view.js";
import { BlockList } from "./blocks/block-list.js";
import { FileList } from "./blocks/file-list.js";
import { ChooseAgent } from "./choose-agent.js";

/** Shows the texts that are always in the prompt of an agent, and its files. */
export function Page(props: PageProps): VNode {
  const { api, who } = props;
  if (who.agent === "") return html`<${ChooseAgent} ...${props} what="blocks and files" />`;
  return html`<div class="overview">
    <div class="wide-panel"><${BlockList} api=${api} /></div>
    <div class="panel-column"><${FileList} api=${api} /></div></div>`;
}
