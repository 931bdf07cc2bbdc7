import { Effect, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { RecordedRun, recordingsFolder } from "../../demo/ci.ts"
import { newAccount } from "../../http/testing/TestHost.ts"
import { bytes, type Account } from "../../http/testing/uploads.ts"
import { registerRun, uploadPreview } from "./previews.ts"

type Bytes = Uint8Array<ArrayBuffer>

/** An account whose key may do what previews and runs need. */
export const runAccount = newAccount(["preview_upload", "test_runs"])

/** A recording to upload: what is declared of it, and its bytes. */
export interface Recording {
  readonly name: string
  readonly kind: "video" | "screenshot" | "events" | "log" | "other"
  readonly contentType: string
  readonly bytes: Bytes
  readonly startedAtMs?: number
  readonly durationMs?: number
}

/** An event of a step. */
export const stepLine = (t: number, name: string, status: string, rest: Record<string, unknown> = {}): string =>
  JSON.stringify({ t, type: "step", name, status, ...rest })

/** Lines of events as a recording. */
export const eventsOf = (lines: ReadonlyArray<string>, fields: Partial<Recording> = {}): Recording => ({
  name: "events.jsonl",
  kind: "events",
  contentType: "application/x-ndjson",
  bytes: bytes(`${lines.join("\n")}\n`),
  ...fields
})

/** The same, as gzip by its content type. */
export const packed = (recording: Recording): Recording => ({
  ...recording,
  name: `${recording.name}.gz`,
  contentType: "application/gzip",
  bytes: new Uint8Array(gzipSync(recording.bytes))
})

/** The smallest picture that there is. */
export const picture = new Uint8Array(
  Buffer.from("R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==", "base64")
)

/** Uploads a preview with these recordings, and registers a run of it; answers the run. */
export const recordedRun = Effect.fnUntraced(function* (
  account: Account,
  recordings: ReadonlyArray<Recording>,
  fields: Record<string, unknown> = {}
) {
  const { owner, repo } = account
  const { shareId } = yield* uploadPreview(
    account,
    {
      owner,
      repo,
      branch: "main",
      recordings: recordings.map(({ bytes, ...declared }) => ({ ...declared, sizeBytes: bytes.byteLength }))
    },
    { recordings: recordings.map(({ bytes }) => bytes) }
  )
  return yield* registerRun(account, { previewShareId: shareId, name: "Checkout", status: "passed", ...fields })
})

/** What a test of the demo app left behind, as it lies there. */
export const demoFile = (folder: string, name: string): Effect.Effect<Bytes> =>
  Effect.promise(async () => new Uint8Array(await readFile(join(recordingsFolder, folder, name))))

const asRecorded = Schema.decodeEffect(Schema.fromJsonString(RecordedRun))

/** Registers a run with what a test of the demo app left behind. */
export const demoRun = Effect.fnUntraced(function* (
  account: Account,
  folder: string,
  fields: Record<string, unknown> = {}
) {
  const { recordings, ...went } = yield* asRecorded(new TextDecoder().decode(yield* demoFile(folder, "run.json")))
  const uploaded = yield* Effect.forEach(recordings, (recording) =>
    Effect.map(demoFile(folder, recording.name), (content) => ({ ...recording, bytes: content }))
  )
  const status = went.failedStepIndex === undefined ? "passed" : "failed"
  return yield* recordedRun(account, uploaded, { ...went, kind: "detox", name: "Shows feet", status, ...fields })
})
