import { html, type Html } from "../../ui/html.ts"

/** The tab in which elements of the app are inspected. */
export const inspectorPanel = (): Html =>
  html`<div class="head">
      <button type="button" data-do="pick" aria-pressed="false">Pick an element</button>
      <button type="button" class="quiet" data-do="refresh">Refresh</button>
      <label
        >Tree
        <select>
          <option value="components">Components</option>
          <option value="accessibility">Accessibility</option>
        </select></label
      >
    </div>
    <p class="none">The app has drawn nothing so far.</p>
    <ul class="tree" role="tree" aria-label="Elements" hidden></ul>
    <div class="node" role="region" aria-label="Selected element" hidden></div>`

/** The tab with the requests of the app. */
export const networkPanel = (): Html =>
  html`<div class="head">
      <span class="about">Requests by <code>fetch</code> and <code>XMLHttpRequest</code></span>
      <button type="button" class="quiet" disabled>Export HAR</button>
    </div>
    <p class="none">The app asked for nothing so far.</p>
    <p class="dropped" hidden></p>
    <ul aria-label="Requests"></ul>`

/** The tab with what the app stores. */
export const storagePanel = (): Html =>
  html`<p class="none">The app has stored nothing so far.</p>
    <div class="stores"></div>`
