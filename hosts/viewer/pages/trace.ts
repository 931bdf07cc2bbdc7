import { html } from "ghtml"
import type { TestRunRecord } from "../../../core/api/testRuns/responses.ts"
import type { RecordedSteps } from "../recordedSteps.ts"
import { lengthOfRun } from "../trace/lengthOfRun.ts"
import { breakingStep } from "../trace/steps.ts"
import { scriptData } from "./scriptData.ts"
import { traceDataOf } from "./traceData.ts"
import { eventsSection, logSection } from "./traceLists.ts"
import { stage } from "./traceStage.ts"
import type { Shown } from "./traceStage.ts"
import { stepsSection } from "./traceSteps.ts"
import { timeline } from "./traceTimeline.ts"
import { keysDialog, listKeys, playbackKeys, transport } from "./traceTransport.ts"

/** What was recorded of a run: its steps, what was to be seen, its events and its log, on one clock. */
export const trace = (run: TestRunRecord, recordings: ReadonlyArray<Shown>, recorded: RecordedSteps): string => {
  const data = traceDataOf(run, recordings, recorded)
  const length = lengthOfRun(data)
  const shots = recordings.flatMap(({ contentType, startedAtMs }) =>
    startedAtMs !== undefined && /^image\//i.test(contentType) ? [startedAtMs] : []
  )
  return html`<div class="trace" id="trace">
      !${transport(timeline(recorded.steps, shots, length))}
      !${stepsSection(recorded, {
        breaking: run.status === "failed" ? breakingStep(recorded.steps, run.failedStepIndex) : undefined,
        failureMessage: run.failureMessage,
        hasEvents: recordings.some(({ kind }) => kind === "events"),
        length
      })}
      <section class="card stage" aria-labelledby="seen">
        <h2 id="seen">Recording</h2>
        !${stage(recordings)}
      </section>
      !${eventsSection(recordings)} !${logSection(recordings)}
    </div>
    !${keysDialog([...playbackKeys, ...listKeys])} !${scriptData("trace-data", data)}`
}
