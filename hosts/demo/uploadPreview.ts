import { Schema } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Client } from "../client/index.ts"
import type { BundledApp } from "./bundle.ts"
import { contentOf } from "./content.ts"
import type { DemoRun } from "./demoRuns.ts"
import { progressBar } from "./progress.ts"
import { RecordedRun, recordingsFolder } from "./recordedRun.ts"

const read = (folder: string, name: string) => readFile(join(recordingsFolder, folder, name))

const asRecorded = Schema.decodeSync(Schema.fromJsonString(RecordedRun))

/**
 * Uploads the app with what a test of it recorded as a preview, billed as a test run, then reads it back. Answers how the
 * test went, too.
 */
export const uploadPreview = async (client: Client, app: BundledApp, { folder, git }: DemoRun) => {
  const recorded = asRecorded(String(await read(folder, "run.json")))
  const recordings = await Promise.all(
    recorded.recordings.map(async (recording) => ({ ...recording, body: await read(folder, recording.name) }))
  )
  const { shareId } = await client.previews.upload(
    { ...contentOf(app), ...git, platform: "ios", billingKind: "test_run", recordings },
    { onProgress: progressBar("preview") }
  )
  return { preview: await client.previews.read(shareId), recorded }
}
