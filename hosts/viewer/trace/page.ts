/** The HTML of a trace. */
import type { Recording, RecordingKind } from "../../../core/model/Preview.ts"
import type { TestRun } from "../../../core/model/TestRun.ts"
import { recordingRef } from "../content/hosted.ts"
import type { ShownPreview } from "../content/shown.ts"
import { scriptData } from "../ui/document.ts"
import { html, type Html, joinHtml, shortText, sizeText } from "../ui/html.ts"
import {
  areMany,
  barsOf,
  clockText,
  describeStep,
  failingStep,
  hashOf,
  type KnownSteps,
  lengthOfRun,
  positionOf,
  rowHeight,
  rowsOf,
  signs,
  timelineWidth
} from "./steps.ts"
import { type Step, shapes, type TraceData } from "./traceData.ts"
import type { RecordedSteps } from "./recordedSteps.ts"

const has = (recordings: ReadonlyArray<Shown>, kind: RecordingKind): boolean =>
  recordings.some((recording) => recording.kind === kind)

/** What is missing of what a trace may have, in a sentence. */
const missing = (recordings: ReadonlyArray<Shown>, seen: Html | undefined): Html | undefined => {
  const names = [
    ...(seen === undefined ? ["video and screenshots"] : []),
    ...(has(recordings, "events") ? [] : ["events"]),
    ...(has(recordings, "log") ? [] : ["log"])
  ]
  return names.length === 0 ? undefined : html`<p class="none">Not recorded: ${names.join(", ")}.</p>`
}

/** What was recorded of a run, on one clock: `failure`, its steps, what was to be seen, its events and its log. */
export const trace = (
  run: TestRun,
  recordings: ReadonlyArray<Shown>,
  recorded: KnownSteps,
  failure: Html | undefined
): Html => {
  const data = traceDataOf(run, recordings, recorded)
  const length = lengthOfRun(data)
  const shots = recordings.flatMap(({ contentType, startedAtMs }) =>
    startedAtMs !== undefined && /^image\//i.test(contentType) ? [startedAtMs] : []
  )
  const seen = stage(recordings)
  const steps = stepsSection(recorded, {
    failing: run.status === "failed" ? failingStep(recorded.steps, run.failedStepIndex) : undefined,
    failureMessage: run.failureMessage,
    length
  })
  return html`<div class="trace" id="trace">
      ${transport(timeline(recorded.steps, shots, length))}
      <div class="panes">
        <div class="left">${failure} ${has(recordings, "events") ? steps : ""}</div>
        ${
          seen === undefined
            ? ""
            : html`<section class="card stage" aria-labelledby="seen">
                <h2 id="seen">Recording</h2>
                ${seen}
              </section>`
        }
        ${listSections(recordings)}
      </div>
      ${missing(recordings, seen)}
    </div>
    ${keysDialog([...playbackKeys, ...listKeys])} ${scriptData("trace-data", data)}`
}

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
const listKeys: Keys = [
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

/** Steps on a line as long as the run, and a mark for each moment of which there is a picture. */
export const timeline = (steps: ReadonlyArray<Step>, shots: ReadonlyArray<number>, length: number): Html => {
  const bars = barsOf(steps, length)
  const height = rowsOf(bars) * rowHeight
  return html`<svg
    class="timeline${areMany(bars) ? " many" : ""}"
    viewBox="0 0 ${timelineWidth} ${height}"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <g class="bars">
      ${bars.map(
        ({ mark, row, width, x }) =>
          html`<rect class="${mark}" x="${x}" y="${row * rowHeight}" width="${width}" height="${rowHeight - 2}" />`
      )}
    </g>
    <g class="shots">
      ${shots.map((t) => html`<rect x="${positionOf(t, length) - 1}" y="${height - 3}" width="2" height="3" />`)}
    </g>
  </svg>`
}

/** A recording, with the URL that opens it without a session. */
interface Shown extends Recording {
  readonly source: string
}

const shownName = 80

const player = ({ name, source }: Shown, index: number): Html =>
  html`<figure class="player" data-recording="${index}">
    <video src="${source}" aria-label="${shortText(name, shownName)}" controls playsinline preload="metadata"></video>
    <figcaption><bdi>${shortText(name, shownName)}</bdi><span class="state"></span></figcaption>
  </figure>`

const picture = ({ name, source, startedAtMs }: Shown, index: number): Html =>
  html`<li>
    <a href="${source}" data-recording="${index}">
      <img src="${source}" alt="" loading="lazy" />
      <span class="what"><bdi>${shortText(name, shownName)}</bdi></span>
      <span class="type">${startedAtMs === undefined ? "No time" : clockText(startedAtMs)}</span>
    </a>
  </li>`

/** The choice between the video and the screenshots, for the script of the page. */
export const viewButtons = html`<div class="views" role="group" aria-label="Shown" hidden>
  <button type="button" class="quiet" data-view="video" aria-pressed="false">Video</button>
  <button type="button" class="quiet" data-view="shot" aria-pressed="false">Screenshot</button>
</div>`

/**
 * The pictures of a run: its videos, and its screenshots in order of time. The script of the
 * page shows the video or the screenshot of the moment. Nothing, where there is neither. Without `hasViews`, the choice
 * between them is elsewhere on the page.
 */
export const stage = (recordings: ReadonlyArray<Shown>, { hasViews = true } = {}): Html | undefined => {
  const all = recordings.map((recording, index) => ({ recording, index }))
  const videos = all.filter(({ recording }) => recording.kind === "video" && /^video\//i.test(recording.contentType))
  const pictures = all
    .filter(({ recording }) => /^image\//i.test(recording.contentType))
    .toSorted((one, other) => (one.recording.startedAtMs ?? Infinity) - (other.recording.startedAtMs ?? Infinity))
  if (videos.length + pictures.length === 0) return undefined
  return html`${hasViews && videos.length > 0 && pictures.length > 0 ? viewButtons : ""}
    <div class="screens">
      ${videos.map(({ index, recording }) => player(recording, index))}
      <figure class="shot" hidden>
        <div class="pictures"></div>
        <figcaption></figcaption>
      </figure>
    </div>
    ${
      pictures.length === 0
        ? ""
        : html`<ul class="strip" aria-label="Screenshots">
            ${pictures.map(({ index, recording }) => picture(recording, index))}
          </ul>`
    }`
}

const stepItem = (
  step: Step,
  {
    isOpen,
    length,
    message
  }: { readonly isOpen: boolean; readonly length: number; readonly message: string | undefined }
): Html => {
  const { depth, summary: how, isCut, mark, name, status, took } = describeStep(step)
  const [bar] = barsOf([step], length)
  return html`<li class="step ${mark} deep-${depth}">
    <details ${isOpen ? "open" : ""}>
      <summary>
        <span class="sign" aria-hidden="true">${signs[mark]}</span>
        <bdi class="what">${name}</bdi>
        <span class="unseen status">${status}</span>
        <span class="took">${took}</span>
        <svg class="bar" viewBox="0 0 ${timelineWidth} 1" preserveAspectRatio="none" aria-hidden="true">
          <rect x="${bar?.x ?? 0}" width="${bar?.width ?? 0}" height="1" />
        </svg>
      </summary>
      <div class="body">
        <p class="how"><bdi>${how}</bdi></p>
        <p class="moments">
          <a href="${hashOf(step.from)}">Before</a>
          <a href="${hashOf(step.to ?? step.from)}" ${step.to === undefined ? "hidden" : ""}>After</a>
        </p>
        <p class="full" ${isCut ? "" : "hidden"}><bdi>${step.name}</bdi></p>
        <pre dir="auto" role="group" tabindex="0" aria-label="Message" ${message === undefined ? "hidden" : ""}>
${message ?? ""}</pre>
      </div>
    </details>
  </li>`
}

const blank: Step = { index: 0, name: "", status: "", from: 0, to: undefined, depth: 0, message: undefined }

/** The steps of a run, the one that failed open with its message. */
const stepsSection = (
  { isWhole, steps }: KnownSteps,
  run: {
    readonly failing: Step | undefined
    readonly failureMessage: string | undefined
    readonly length: number
  }
): Html =>
  html`<section class="card steps" aria-labelledby="steps">
    <h2 id="steps">Steps <span class="count">${steps.length}${isWhole ? "" : " and more"}</span></h2>
    <p class="none" ${steps.length > 0 ? "hidden" : ""}>No steps among the events.</p>
    <ol class="scroll">
      ${steps.map((step) => {
        const isOpen = step.index === run.failing?.index
        return stepItem(step, {
          isOpen,
          length: run.length,
          // The failure of the run is shown above the steps, and not again.
          message: isOpen && (run.failureMessage ?? step.message) === step.message ? undefined : step.message
        })
      })}
    </ol>
    <p class="more" ${isWhole ? "hidden" : ""}>The events have more steps than are shown here.</p>
    <template>${stepItem(blank, { isOpen: false, length: 0, message: undefined })}</template>
  </section>`

const sources = (recordings: ReadonlyArray<Shown>): Html =>
  joinHtml(
    recordings.map(
      ({ name, sizeBytes, source }) =>
        html`<a href="${source}"><bdi>${shortText(name, 80)}</bdi></a> <span class="size">${sizeText(sizeBytes)}</span>`
    ),
    ", "
  )

/** A list of what happened when. The script of the page reads and shows it; what it is read from can be opened without. */
const list = (
  kind: "events" | "log",
  title: string,
  tools: Html,
  recordings: ReadonlyArray<Shown>
): Html | undefined => {
  const read = recordings.filter((recording) => recording.kind === kind)
  return read.length === 0
    ? undefined
    : html`<section class="card entries ${kind}" aria-labelledby="${kind}">
        <div class="head">
          <h2 id="${kind}">${title} <span class="count"></span></h2>
          <p class="from">${sources(read)}</p>
          <div class="tools" hidden>${tools}</div>
        </div>
        <progress class="loading" aria-label="Reading ${title.toLowerCase()}" hidden></progress>
        <p class="notice" hidden></p>
        <div class="rows" id="${kind}-rows" role="listbox" tabindex="0" aria-label="${title}" hidden>
          <div class="all" role="presentation"></div>
        </div>
        <div class="detail" role="group" tabindex="0" aria-label="${title}: the line of this moment" hidden></div>
      </section>`
}

const find = (what: string): Html =>
  html`<input
    type="search"
    class="find"
    placeholder="Find"
    aria-label="Find ${what}"
    autocomplete="off"
    spellcheck="false"
  />`

/** The events of a run and its log; nothing, where it has neither. */
const listSections = (recordings: ReadonlyArray<Shown>): Html | undefined => {
  const ofEvents = html`${find("among the events")}
    <select class="type-of" aria-label="Type">
      <option value="">Any type</option>
    </select>
    <select class="status-of" aria-label="Status">
      <option value="">Any status</option>
    </select>`
  const lists = [
    list("events", "Events", ofEvents, recordings),
    list("log", "Log", find("in the log"), recordings)
  ].filter((one) => one !== undefined)
  return lists.length === 0 ? undefined : html`<div class="lists">${lists}</div>`
}

/** The preview of a run, if the caller may see it, and the steps in its events. */
export interface RunPreview extends ShownPreview {
  readonly recorded: RecordedSteps
}

/** The recordings of a run that can be opened. */
export const shownRecordings = ({ openings, preview }: RunPreview): ReadonlyArray<Shown> =>
  openings === undefined
    ? []
    : preview.declaration.recordings.map((recording, index) => ({
        ...recording,
        source: openings.load(recordingRef(index))
      }))

/** The data of a run for the page's script. */
export const traceDataOf = (run: TestRun, recordings: ReadonlyArray<Shown>, { steps }: KnownSteps): TraceData => ({
  isFailed: run.status === "failed",
  steps,
  recordings: recordings.map(({ durationMs, kind, name, sizeBytes, source, startedAtMs }) => ({
    name,
    kind,
    url: source,
    sizeBytes,
    startedAtMs,
    durationMs
  })),
  durationMs: run.durationMs,
  failedStepIndex: run.failedStepIndex
})
