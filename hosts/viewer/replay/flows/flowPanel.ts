import { timeoutsOfMaestro } from "../../../phone/flows/FlowCommand.ts"
import { html, type Html } from "../../ui/html.ts"

/** The tab in which flows are recorded and played; `recorded` is the flow of a run's own steps. */
export const flowPanel = (recorded: string | undefined): Html =>
  html`<div class="head">
      <button type="button" class="quiet" data-do="record" aria-pressed="false">Record</button>
      <button type="button" class="quiet" data-do="assert" aria-pressed="false" hidden>Assert visible</button>
      <button type="button" data-do="play">Play</button>
      <button type="button" class="quiet" data-do="end" hidden>Stop playing</button>
      <button type="button" class="quiet" data-do="copy">Copy</button>
    </div>
    ${
      recorded === undefined
        ? html`<p class="hint">
            Record what you do in the app as a Maestro flow, or paste a flow and play it here, without a device.
          </p>`
        : html`<p class="hint">These are the steps of the recorded run. Play them here, without a device.</p>`
    }
    <label class="unseen" for="flow-text">Maestro flow</label>
    <textarea id="flow-text" rows="12" spellcheck="false" autocapitalize="off" autocomplete="off">
${recorded ?? ""}</textarea>
    <label class="wait"
      >Wait for an element up to
      <input type="number" min="1" max="60" value="${timeoutsOfMaestro.lookup / 1000}" inputmode="numeric" />
      seconds</label
    >
    <p class="verdict" role="status"></p>
    <ol class="ran" aria-label="Steps" hidden></ol>`
