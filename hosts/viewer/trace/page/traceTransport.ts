import { html, joinHtml, type Html } from "../../ui/html.ts"
import { shapes } from "../transportShapes.ts"

/** Keys, and what they do. */
export type Keys = ReadonlyArray<readonly [keys: ReadonlyArray<string>, what: string]>

/** The keys that move the clock; and those of a page that also has lists of events and log lines. */
export const playbackKeys: Keys = [
  [["Space"], "Play or pause"],
  [["←", "→"], "A second back or on"],
  [["Shift ←", "Shift →"], "Ten seconds back or on"],
  [["J", "K"], "Next step, step before"],
  [["?"], "These keys"]
]
export const listKeys: Keys = [
  [["/"], "Find among the events"],
  [["Enter"], "While finding: the next that fits"],
  [["↑", "↓"], "In a list: the line before, the next line"]
]

const button = (name: string, label: string, sign: Html): Html =>
  html`<button type="button" class="quiet ${name}" aria-label="${label}" title="${label}">${sign}</button>`

const drawn = (shape: string): Html => html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${shape}" /></svg>`

/**
 * What moves a page's recordings: one scrubber below `timelines`, and buttons. It is for the page's script, which shows
 * it; the timelines are there without.
 */
export const transport = (timelines: Html | ReadonlyArray<Html>): Html =>
  html`<div class="transport card" role="group" aria-label="Playback">
    <div class="buttons" hidden>
      ${button("before", "Step before", drawn(shapes.before))} ${button("play", "Play", drawn(shapes.play))}
      ${button("after", "Next step", drawn(shapes.after))}
    </div>
    <span class="time" hidden></span>
    <div class="track">
      ${timelines}
      <input type="range" class="scrubber" min="0" max="0" step="1" value="0" aria-label="Moment" hidden />
    </div>
    <div class="buttons more" hidden>
      <select class="rate" aria-label="Speed">
        <option value="0.25">¼×</option>
        <option value="0.5">½×</option>
        <option value="1" selected>1×</option>
        <option value="2">2×</option>
        <option value="4">4×</option>
      </select>
      <button type="button" class="quiet copy-link">Copy link</button>
      ${button("keys", "Keys", html`<span aria-hidden="true">?</span>`)}
    </div>
    <p class="unseen said" role="status"></p>
  </div>`

/** The keys that the page's script listens to. */
export const keysDialog = (keys: Keys): Html =>
  html`<dialog class="card" id="keys" aria-labelledby="keys-title">
    <h2 id="keys-title">Keys</h2>
    <dl class="facts">
      ${keys.map(
        ([pressed, what]) =>
          html`<div>
            <dt>
              ${joinHtml(
                pressed.map((key) => html`<kbd>${key}</kbd>`),
                " "
              )}
            </dt>
            <dd>${what}</dd>
          </div>`
      )}
    </dl>
    <label class="switch"
      ><input type="checkbox" class="letters" checked /> Use keyboard shortcuts of a single letter or sign</label
    >
    <form method="dialog"><button>Close</button></form>
  </dialog>`
