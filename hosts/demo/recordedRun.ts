import { Schema } from "effect"
import { join } from "node:path"
import { RecordingKind } from "../../core/model/Preview.ts"

/** Where what tests of the app left behind is kept, a folder each. */
export const recordingsFolder = join(import.meta.dirname, "recordings")

/** What a test left behind: its recordings, each a file of its folder, and how it went. */
export const RecordedRun = Schema.Struct({
  durationMs: Schema.Int,
  stepCount: Schema.Int,
  failedStepIndex: Schema.optionalKey(Schema.Int),
  failureMessage: Schema.optionalKey(Schema.String),
  recordings: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      kind: RecordingKind,
      contentType: Schema.String,
      startedAtMs: Schema.Finite
    })
  )
})
export type RecordedRun = typeof RecordedRun.Type
