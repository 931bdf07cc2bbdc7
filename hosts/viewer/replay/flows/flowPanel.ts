import { type FlowCommand, printFlow, timeoutsOfMaestro } from "../../../phone/flows/flow.ts"
import { html, type Html } from "../../ui/html.ts"

/** What a flow is made of at first: the steps of a recorded run, or where they are loaded. */
export type FirstFlow =
  | { readonly commands: ReadonlyArray<FlowCommand>; readonly isWhole: boolean }
  | { readonly url: string }

const hint = (first: FirstFlow | undefined): Html => {
  if (first !== undefined && "commands" in first) {
    return first.commands.length === 0
      ? html`The recorded run has no steps that can be played: they are of Maestro, and imported with slipway-ci.`
      : html`These are the steps of the recorded run. Play them here, without a device.
        ${first.isWhole ? "" : "The run has more steps than are shown."}`
  }
  return html`Record what you do in the app as a Maestro flow, or paste a flow and play it, without a device.
  ${first === undefined ? "" : html`<a href="${first.url}">Load the steps of the recorded run</a>`}`
}

/** The tab in which flows are recorded and played. */
export const flowPanel = (first: FirstFlow | undefined): Html => {
  const text =
    first === undefined || !("commands" in first) || first.commands.length === 0 ? "" : printFlow(first.commands)
  return html`<p class="hint">${hint(first)}</p>
    <div class="head">
      <button type="button" data-do="play">Play</button>
      <button type="button" class="quiet" data-do="end" hidden>Stop playing</button>
      <button type="button" class="quiet" data-do="record" aria-pressed="false">Record</button>
      <button type="button" class="quiet" data-do="assert" aria-pressed="false" hidden>Assert visible</button>
      <button type="button" class="quiet" data-do="copy">Copy</button>
    </div>
    <p class="verdict" role="status"></p>
    <ol class="ran" aria-label="Steps" hidden></ol>
    <label class="unseen" for="flow-text">Maestro flow</label>
    <textarea id="flow-text" rows="12" spellcheck="false" autocapitalize="off" autocomplete="off">${text}</textarea>
    <label class="wait"
      >Wait up to
      <input type="number" min="1" max="60" value="${timeoutsOfMaestro.lookup / 1000}" inputmode="numeric" /> seconds
      for an element</label
    >`
}
