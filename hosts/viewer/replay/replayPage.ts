/** The HTML of a replay: the devices, the tabs beside them, and the page of the full window. */
import { Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { NotFound } from "../../../core/model/Problem.ts"
import { type FlowCommand, printFlow, timeoutsOfMaestro } from "../../phone/flows/flow.ts"
import {
  type DeviceName,
  deviceOf,
  devices,
  locales,
  type Platform,
  textSizes,
  usualDevices,
  usualSettings
} from "../../phone/settings/settings.ts"
import { goTo, type Path, paths } from "../access/site.ts"
import { frameAllows } from "../content/contentPolicy.ts"
import { relativeUrl, type SourceMap } from "../content/hosted.ts"
import { fetchDestination, shownType } from "../content/sendObject.ts"
import { document } from "../ui/document.ts"
import { html, type Html, shortText } from "../ui/html.ts"
import { contentOrigin, iconUrl, type PageContext, scriptOf } from "../ui/layout.ts"

/** A recording that is shown if an app can't run. */
export interface Recorded {
  readonly name: string
  readonly contentType: string
  readonly source: string
}

/** The video of a recorded run, which is shown beside the app while that plays the run's steps. */
export interface RecordedRun {
  readonly source: string
  /** When each command had ended, and when the run ended or failed, in milliseconds of the video. */
  readonly moments: ReadonlyArray<number>
  readonly last: number
}

/** A running bundle with what was recorded of it. */
interface Running extends RunningBundle {
  /** The source map of the bundle. */
  readonly sourceMap?: SourceMap | undefined
  /** Its recordings. */
  readonly recordings?: ReadonlyArray<Recorded> | undefined
  /** The files that a flow can name, by their paths. */
  readonly flowFiles?: ReadonlyArray<string> | undefined
  /** What the tab of flows shows at first. */
  readonly flow?: FirstFlow | undefined
  readonly recordedRun?: RecordedRun | undefined
}

/** How many recordings are shown if an app can't run. */
const maxRecordings = 3

const recordedFigure = ({ contentType, name, source }: Recorded): ReadonlyArray<Html> => {
  const type = shownType(contentType, name)
  const caption = html`<figcaption><bdi>${name}</bdi></figcaption>`
  if (/^image\//i.test(type)) return [html`<figure><img src="${source}" alt="${name}" />${caption}</figure>`]
  return /^video\//i.test(type)
    ? [html`<figure><video src="${source}" aria-label="${name}" controls playsinline></video>${caption}</figure>`]
    : []
}

const recordedInstead = (recordings: ReadonlyArray<Recorded>): Html | undefined => {
  const shown = recordings.flatMap(recordedFigure).slice(0, maxRecordings)
  return shown.length === 0
    ? undefined
    : html`<h3>Its recordings</h3>
        ${shown}
        <p><a href="#recordings">All recordings</a></p>`
}

/** Without a script, the video is shown where the run ended too. */
const recordedVideo = ({ last, moments, source }: RecordedRun): Html =>
  html`<figure class="recorded-run">
    <video
      src="${source}#t=${last / 1000}"
      data-moments="${moments.join(" ")}"
      aria-label="The recorded run"
      controls
      muted
      playsinline
      preload="auto"
    ></video>
    <figcaption>Recorded run</figcaption>
  </figure>`

/** What is shown beside the device, in a tab of its own. Its script finds it as `.panel.NAME`. */
interface Panel {
  readonly name: string
  readonly label: string
  readonly body: Html
}

/** The tabs, the first of which is open. */
const panelsOf = ({ flow }: Running): ReadonlyArray<Panel> => [
  {
    name: "console",
    label: "Console",
    body: html`<div class="head">
        <span class="errors"></span>
        ${tool("clear", "Clear")}
      </div>
      <p class="none">Nothing was written so far.</p>
      <p class="dropped" hidden></p>
      <ol tabindex="0" aria-label="Lines" hidden></ol>`
  },
  {
    name: "missing",
    label: "Missing",
    body: html`<p class="none">The app asked for nothing that isn’t there.</p>
      <ul></ul>`
  },
  { name: "inspector", label: "Inspector", body: inspectorPanel() },
  { name: "network", label: "Network", body: networkPanel() },
  { name: "storage", label: "Storage", body: storagePanel() },
  { name: "flow", label: "Flow", body: flowPanel(flow) }
]

const panelTabs = (all: ReadonlyArray<Panel>): Html =>
  html`<div class="panels" hidden>
    <div role="tablist" aria-label="About the app">
      ${all.map(
        ({ label, name }, index) =>
          html`<button
            type="button"
            role="tab"
            id="tab-${name}"
            aria-controls="panel-${name}"
            aria-selected="${index === 0 ? "true" : "false"}"
            tabindex="${index === 0 ? 0 : -1}"
          >
            ${label} <span class="count"></span>
          </button>`
      )}
    </div>
    ${all.map(
      ({ body, name }, index) =>
        html`<div
          class="panel ${name}"
          role="tabpanel"
          id="panel-${name}"
          aria-labelledby="tab-${name}"
          ${index === 0 ? "" : "hidden"}
        >
          ${body}
        </div>`
    )}
  </div>`

/** What the script of {@link replaySection} imports when it needs it. */
export const importedByReplay = (sourceMap: SourceMap | undefined): ReadonlyArray<"flowParser" | "sourceNames"> =>
  sourceMap === undefined ? ["flowParser"] : ["flowParser", "sourceNames"]

/** Where the script finds the names of sources, if a source map was uploaded. */
const sourceMapData = (context: PageContext, { path, sourceMap }: Running): Html | string =>
  sourceMap === undefined
    ? ""
    : html`data-bundle="${relativeUrl(sourceMap.bundle)}"
      data-source-map="${path + relativeUrl(sourceMap.path).slice(2)}"
      data-source-names="${scriptOf(context, "sourceNames").url}"`

/**
 * The frame as a part of a page. The controls beside it need the page's script and are hidden without it. The template
 * contains what is shown if the app can't run.
 */
export const replaySection = (context: PageContext, running: Running): Html => {
  const { height, name, width } = screenOf(running)
  return html`<section
      class="device"
      aria-labelledby="replay"
      data-width="${width}"
      data-height="${height}"
      data-listener="${scriptOf(context, "listener").url}"
      data-flow-parser="${scriptOf(context, "flowParser").url}"
      data-platform="${running.platform ?? "ios"}"
      data-flow-files="${JSON.stringify(running.flowFiles?.map((path) => [path, running.path + relativeUrl(path).slice(2)]) ?? [])}"
      ${sourceMapData(context, running)}
    >
      <h2 id="replay" class="unseen">Replay</h2>
      <div class="tools" role="group" aria-label="Device" hidden>
        <p class="state" role="status"></p>
        ${deviceMenu(running)} ${toggle("rotate", "Rotate")} ${toggle("grid", "Grid")} ${tool("alone", "Full screen")}
        ${tool("reload", "Reload")} ${tool("stop", "Stop")}
      </div>
      <div class="notice trouble" role="alert" hidden>
        <p></p>
        <pre class="why" dir="auto"></pre>
      </div>
      <div class="stage">
        <div class="bezel"><div class="screen">${replayFrame(running, name)}</div></div>
        ${running.recordedRun === undefined ? "" : recordedVideo(running.recordedRun)}
        <button type="button" class="leave" title="Esc" hidden>
          <span><strong>An uploaded app</strong>, not a part of ${context.site.name}</span>
          <span>Leave<span class="unseen"> the full screen</span> ✕</span>
        </button>
        <div class="instead" hidden></div>
      </div>
      <div class="beside">
        <p class="found" hidden></p>
        ${panelTabs(panelsOf(running))}
      </div>
      <template>${recordedInstead(running.recordings ?? [])}</template>
    </section>
    <div class="grid" hidden></div>`
}

/** Whose upload runs in the full window, and the page that it belongs to. */
interface Alone extends Running {
  /** `owner/repo`, as far as the upload names it. */
  readonly of: string
  readonly branch?: string | undefined
  readonly commitSha?: string | undefined
  /** The page, and what kind of page that is. */
  readonly page: Path
  readonly kind: "build" | "preview"
}

/**
 * The replay in the full window. An upload can imitate the viewer itself, so a bar says whose upload it is. The bar is
 * outside the frame, where the app can't reach it, and needs no script.
 */
export const replayPage = (context: PageContext, running: Alone): HttpServerResponse.HttpServerResponse => {
  const { branch = "", commitSha, kind, of, page, title } = running
  const { base } = context.site
  return document({
    title: `${title} ${shortText(branch, 60)} · ${context.site.name}`,
    styles: [context.assets.styleOf("replayAlone")],
    icon: iconUrl(context.site),
    contentOrigin: contentOrigin(context.site),
    script: scriptOf(context, "replayAlone"),
    body: html`<header>
        <p>
          <strong>An uploaded app, not a part of ${context.site.name}.</strong> Uploaded for
          <bdi>${of}</bdi>${commitSha === undefined ? "" : html` at <code>${commitSha.slice(0, 7)}</code>`}. Give it no
          key of yours.
        </p>
        <a href="${base + page}">Back to the ${kind}</a>
        <p class="stopped" role="alert" hidden>
          It posted more messages than a page can read, so it was stopped.
          <a href="${base + paths.replay(page)}">Run it again</a>
        </p>
      </header>
      <main>${replayFrame(running)}</main>`
  })
}

/**
 * The app alone, for a frame in a page of `frameAncestors`. In a tab of its own an uploaded app could imitate the viewer, so the browser is
 * led to `page` then, and wherever it doesn't say that it loads a frame.
 */
export const embedPage = Effect.fnUntraced(function* (
  context: PageContext,
  page: Path,
  running: RunningBundle | undefined
): Effect.fn.Return<HttpServerResponse.HttpServerResponse, NotFound, HttpServerRequest.HttpServerRequest> {
  const { site } = context
  if (running === undefined) return yield* NotFound.default
  const isFramed = fetchDestination(yield* HttpServerRequest.HttpServerRequest) === "iframe"
  if (!isFramed || site.frameAncestors.length === 0) return goTo(site, page)
  return document({
    title: running.title,
    styles: [context.assets.styleOf("replayAlone")],
    icon: iconUrl(site),
    contentOrigin: contentOrigin(site),
    frameAncestors: site.frameAncestors,
    script: scriptOf(context, "replayAlone"),
    body: html`<header class="bare">
        <p class="stopped" role="alert" hidden>The app posted more messages than a page can read, so it was stopped.</p>
      </header>
      <main>${replayFrame(running)}</main>`
  })
})

/** One of two running bundles, and its caption. */
interface ComparedBundle extends RunningBundle {
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

/** A running bundle: its title, the path of its documents, and its target screen. */
interface RunningBundle {
  readonly title: string
  readonly path: string
  /** What the upload says that it is made for. */
  readonly platform: Platform | undefined
  readonly device: { readonly width?: number; readonly height?: number } | undefined
}

/** The device that stands for the declared size, if one is of about that size, and the size of the screen. */
const screenOf = ({ device: declared, platform }: RunningBundle) => {
  const { height, width } = { ...devices[usualDevices[platform ?? "ios"]], ...declared }
  const name = deviceOf({ width, height }, platform)
  const size = name === undefined ? { width: Math.round(width), height: Math.round(height) } : devices[name]
  return { name, width: size.width, height: size.height }
}

/**
 * The frame that runs a bundle. It may run scripts, but has no origin, opens no windows and can't navigate the page.
 */
const replayFrame = (running: RunningBundle, name?: DeviceName): Html => {
  const { height, width } = screenOf(running)
  return html`<iframe
    ${name === undefined ? "" : html`name="${JSON.stringify({ ...usualSettings, device: name })}"`}
    src="${running.path}"
    title="${running.title} running"
    sandbox="allow-scripts"
    allow="${frameAllows}"
    referrerpolicy="no-referrer"
    width="${width}"
    height="${height}"
  ></iframe>`
}

const tool = (name: string, label: string): Html =>
  html`<button type="button" class="quiet" data-do="${name}">${label}</button>`

const toggle = (name: string, label: string): Html =>
  html`<button type="button" class="quiet" data-do="${name}" aria-pressed="false">${label}</button>`

const option = (value: string | number, label: string, isChosen = false): Html =>
  html`<option value="${value}" ${isChosen ? "selected" : ""}>${label}</option>`

const choice = (setting: string, label: string, options: ReadonlyArray<Html>): Html =>
  html`<label
    >${label}
    <select data-setting="${setting}">
      ${options}
    </select></label
  >`

const check = (setting: string, label: string): Html =>
  html`<label><input type="checkbox" data-setting="${setting}" /> ${label}</label>`

/** The payload in the menu, as Apple has it. */
const usualPush = `{ "aps": { "alert": { "title": "Title", "body": "Text" } } }`

const whyId = "push-error"

/** How the device is set up. The first choice of a list is the usual one. */
const deviceMenu = (running: RunningBundle): Html => {
  const { height, name, width } = screenOf(running)
  return html`<details class="menu setup">
    <summary>Device</summary>
    <div>
      ${choice("device", "Device", [
        ...(name === undefined ? [option("", `As uploaded, ${width} × ${height}`, true)] : []),
        ...Object.entries(devices).map(([value, device]) => option(value, device.label, value === name))
      ])}
      ${choice("scheme", "Appearance", [option("", "As the browser"), option("light", "Light"), option("dark", "Dark")])}
      ${choice(
        "textSize",
        "Text size",
        Object.entries(textSizes).map(([label, size]) => option(size, label, size === 1))
      )}
      ${choice("locale", "Language", [
        option("", "As the browser"),
        ...Object.entries(locales).map(([value, label]) => option(value, label))
      ])}
      ${choice("network", "Network", [
        option("online", "Online"),
        option("slow", "Slow"),
        option("offline", "Offline")
      ])}
      ${choice("permissions", "Permissions", [
        option("ask", "Ask"),
        option("granted", "Granted"),
        option("denied", "Denied")
      ])}
      ${check("isRtl", "Right to left")} ${check("hasReducedMotion", "Reduced motion")}
      ${check("isActualSize", "Actual size")}
      <form class="link">
        <label>Link <input type="url" required maxlength="2000" placeholder="app://path" /></label>
        <button class="quiet">Open</button>
      </form>
      <form class="push">
        <label
          >Push notification
          <textarea rows="4" required spellcheck="false" aria-describedby="${whyId}">${usualPush}</textarea>
        </label>
        <p id="${whyId}" role="alert" hidden></p>
        <button class="quiet">Send</button>
      </form>
    </div>
  </details>`
}

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
const flowPanel = (first: FirstFlow | undefined): Html => {
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

/** The tab in which elements of the app are inspected. */
const inspectorPanel = (): Html =>
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
const networkPanel = (): Html =>
  html`<div class="head">
      <span class="about">Requests by <code>fetch</code> and <code>XMLHttpRequest</code></span>
      <button type="button" class="quiet" disabled>Export HAR</button>
    </div>
    <p class="none">The app asked for nothing so far.</p>
    <p class="dropped" hidden></p>
    <ul aria-label="Requests"></ul>`

/** The tab with what the app stores. */
const storagePanel = (): Html =>
  html`<p class="none">The app has stored nothing so far.</p>
    <div class="stores"></div>`
