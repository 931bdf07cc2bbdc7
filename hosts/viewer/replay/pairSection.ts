import { html, type Html } from "../ui/html.ts"
import { scriptOf, type PageContext } from "../ui/layout.ts"
import { deviceMenu, replayFrame, screenOf, toggle, tool, type RunningBundle } from "./deviceParts.ts"

/** One of two running bundles, and its caption. */
export interface ComparedBundle extends RunningBundle {
  readonly caption: Html
}

/** How the two are shown. In a narrow window there is room for one at a time. */
const views = { both: "Side by side", left: "Left", right: "Right", difference: "Differences" }

/** Two bundles beside each other, on devices of one kind: that of the left one. Its script is `replayPair`. */
export const pairSection = (context: PageContext, left: ComparedBundle, right: ComparedBundle): Html => {
  const { height, name, width } = screenOf(left)
  const side = (key: "left" | "right", bundle: ComparedBundle): Html =>
    html`<figure data-side="${key}">
      <figcaption>${bundle.caption} <span class="state" role="status"></span></figcaption>
      <div class="bezel"><div class="screen">${replayFrame({ ...bundle, device: { width, height } }, name)}</div></div>
    </figure>`
  const trouble = (key: "left" | "right"): Html =>
    html`<div class="notice trouble" data-side="${key}" role="alert" hidden>
      <p></p>
      <pre class="why" dir="auto"></pre>
    </div>`
  return html`<section
    class="device pair"
    aria-labelledby="replays"
    data-width="${width}"
    data-height="${height}"
    data-view="both"
    data-listener="${scriptOf(context, "listener").url}"
  >
    <h2 id="replays" class="unseen">Replays</h2>
    <div class="tools" role="group" aria-label="Devices" hidden>
      <div class="views" role="group" aria-label="View">
        ${Object.entries(views).map(
          ([value, label]) =>
            html`<button
              type="button"
              class="quiet"
              data-view="${value}"
              aria-pressed="${value === "both" ? "true" : "false"}"
            >
              ${label}
            </button>`
        )}
      </div>
      ${deviceMenu(left)} ${toggle("mirror", "Mirror")} ${toggle("rotate", "Rotate")} ${tool("reload", "Reload")}
      ${tool("stop", "Stop")}
    </div>
    ${trouble("left")} ${trouble("right")}
    <div class="stage">${side("left", left)} ${side("right", right)}</div>
    <div class="beside">
      <p class="lit" role="status" hidden>
        The right app lies over the left one. What is the same in both is black, and what differs is lit. Your actions
        go to the left app.
      </p>
      <section class="card flow" aria-labelledby="mirrored">
        <h2 id="mirrored">Mirrored steps</h2>
        <p class="hint">
          What you do in one app is repeated in the other. A step that it can’t do is listed as failed.
        </p>
        <ol class="ran" aria-label="Steps" tabindex="0" hidden></ol>
      </section>
    </div>
  </section>`
}
