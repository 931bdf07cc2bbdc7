import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { SlipwayClient } from "../client/SlipwayClient.ts"
import { provenance } from "./account.ts"
import type { BundledApp } from "./bundle.ts"
import { contentsOf, declared, putAll, sha256 } from "./content.ts"
import type { Progress } from "./progress.ts"

/** What a test run left behind: two screenshots, a log and the events. */
const recordings = [
  { name: "slips.png", kind: "screenshot", contentType: "image/png", startedAtMs: 1530 },
  { name: "gate.png", kind: "screenshot", contentType: "image/png", startedAtMs: 2166 },
  { name: "maestro.log", kind: "log", contentType: "text/plain; charset=utf-8" },
  { name: "events.jsonl", kind: "events", contentType: "application/x-ndjson" }
] as const

/** Uploads the app with its recordings as a preview, billed as a test run: reserve, PUT, finalize; then reads it back. */
export const uploadPreview = Effect.fnUntraced(function* (
  client: SlipwayClient["Service"],
  app: BundledApp,
  progress: Progress
) {
  const recorded = yield* Effect.forEach(recordings, (recording) =>
    Effect.promise(async () => {
      const bytes = new Uint8Array(await readFile(join(import.meta.dirname, "recordings", recording.name)))
      return { declaration: { ...recording, sizeBytes: bytes.byteLength, contentHash: sha256(bytes) }, bytes }
    })
  )
  const { shareId, slots, token } = yield* client.previews.reserve({
    ...declared(app),
    ...provenance,
    platform: "ios",
    pr: 7,
    billingKind: "test_run",
    recordings: recorded.map(({ declaration }) => declaration)
  })
  const kept = recorded.flatMap(({ bytes, declaration }, index) => {
    const slot = slots.recordings[index]
    return slot === undefined ? [] : [{ slot, name: declaration.name, bytes }]
  })
  yield* putAll(client, [...contentsOf(app, slots), ...kept], progress)
  yield* client.previews.finalize(token)
  return yield* client.previews.read(shareId)
})
