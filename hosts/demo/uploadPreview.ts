import { Effect, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { SlipwayClient } from "../client/effect/SlipwayClient.ts"
import type { BundledApp } from "./bundle.ts"
import { contentsOf, declared, putAll, sha256 } from "./content.ts"
import type { DemoRun } from "./demoRuns.ts"
import type { Progress } from "./progress.ts"
import { RecordedRun, recordingsFolder } from "./recordedRun.ts"

const read = (folder: string, name: string) =>
  Effect.promise(async () => new Uint8Array(await readFile(join(recordingsFolder, folder, name))))

const asRecorded = Schema.decodeEffect(Schema.fromJsonString(RecordedRun))

/**
 * Uploads the app with what a test of it recorded as a preview, billed as a test run: reserve, PUT, finalize; then reads
 * it back. Answers how the test went, too.
 */
export const uploadPreview = Effect.fnUntraced(function* (
  client: SlipwayClient["Service"],
  app: BundledApp,
  { folder, git }: DemoRun,
  progress: Progress
) {
  const recorded = yield* asRecorded(new TextDecoder().decode(yield* read(folder, "run.json")))
  const recordings = yield* Effect.forEach(
    recorded.recordings,
    Effect.fnUntraced(function* (recording) {
      const bytes = yield* read(folder, recording.name)
      return { declaration: { ...recording, sizeBytes: bytes.byteLength, contentHash: sha256(bytes) }, bytes }
    })
  )
  const { shareId, slots, token } = yield* client.previews.reserve({
    ...declared(app),
    ...git,
    platform: "ios",
    billingKind: "test_run",
    recordings: recordings.map(({ declaration }) => declaration)
  })
  const kept = recordings.flatMap(({ bytes, declaration }, index) => {
    const slot = slots.recordings[index]
    return slot === undefined ? [] : [{ slot, name: declaration.name, bytes }]
  })
  yield* putAll(client, [...contentsOf(app, slots), ...kept], progress)
  yield* client.previews.finalize(token)
  return { preview: yield* client.previews.read(shareId), recorded }
})
