import { html, type Html } from "../../ui/html.ts"
import type { RecordingKind } from "../../../../core/model/Preview.ts"
import type { TestRun } from "../../../../core/model/TestRun.ts"
import { lengthOfRun } from "../lengthOfRun.ts"
import { failingStep, type KnownSteps } from "../steps.ts"
import { scriptData } from "../../ui/scriptData.ts"
import { traceDataOf } from "./traceData.ts"
import { listSections } from "./traceLists.ts"
import { stage, type Shown } from "./traceStage.ts"
import { stepsSection } from "./traceSteps.ts"
import { timeline } from "./traceTimeline.ts"
import { keysDialog, listKeys, playbackKeys, transport } from "./traceTransport.ts"

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
