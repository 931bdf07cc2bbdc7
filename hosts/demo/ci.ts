/** What a team's CI does with the client: uploads a build and previews, and registers test runs. */
import cliProgress from "cli-progress"
import { Schema } from "effect"
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { RecordingKind } from "../../core/model/Preview.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import type { BuildUpload, Client, Progress } from "../client/index.ts"
import { type DemoRun, lastCiRuns, provenance, repository } from "./account.ts"
import type { BundledApp } from "./bundle.ts"

/** Shows how far an upload is: a bar on a terminal; where there is none, a line when it is done. */
export const progressBar = (what: string): ((progress: Progress) => void) => {
  const bar = new cliProgress.SingleBar(
    {
      format: `  PUT       ${what.padEnd(7)} [{bar}] {percentage}%  {value}/{total} bytes`,
      clearOnComplete: false,
      noTTYOutput: true,
      notTTYSchedule: 60_000
    },
    cliProgress.Presets.legacy
  )
  return ({ sentBytes, sentObjects, totalBytes, totalObjects }) => {
    if (bar.isActive) bar.update(sentBytes)
    else bar.start(totalBytes, sentBytes)
    if (sentObjects === totalObjects) bar.stop()
  }
}

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

export const contentOf = ({ bundle, bundleContentType, entry, files, isTransformed }: BundledApp) =>
  ({
    entry,
    isTransformed,
    deviceSpec: { width: 390, height: 844 },
    bundle: { body: bundle, contentType: bundleContentType },
    files: files.map(({ bytes, contentType, path }) => ({ path, contentType, body: bytes }))
  }) satisfies Partial<BuildUpload>

/** The demo's build, if it was uploaded before. */
const uploadedBefore = async (client: Client) => {
  const { builds } = client
  return builds.latest({ ...repository, branch: provenance.branch }).catch(() => undefined)
}

/** Uploads the app as a build, unless an earlier start of the demo did, then reads it back by branch and by id. */
export const uploadBuild = async (client: Client, app: BundledApp) => {
  const before = await uploadedBefore(client)
  const hash = createHash("sha256").update(app.bundle).digest("hex")
  const finalized =
    before?.status === "ready" && before.contentHash === hash
      ? before
      : await client.builds.upload(
          { ...provenance, platform: "ios", ...contentOf(app) },
          { onProgress: progressBar("build") }
        )
  const { branch, owner, repo } = provenance
  const byBranch = await client.builds.latest({ owner, repo, branch })
  const byId = await client.builds.read(finalized.id)
  return { finalized, byBranch, byId }
}

const read = (folder: string, name: string) => readFile(join(recordingsFolder, folder, name))

const asRecorded = Schema.decodeSync(Schema.fromJsonString(RecordedRun))

/**
 * Uploads the app with what a test of it recorded as a preview, billed as a test run, then reads it back. Answers how the
 * test went, too.
 */
export const uploadPreview = async (
  client: Client,
  app: BundledApp,
  { folder, git }: { readonly folder: string; readonly git: Partial<DemoRun["git"]> }
) => {
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

/** Uploads the app as the preview of a pull request. */
export const uploadPullPreview = (client: Client, app: BundledApp) =>
  client.previews.upload({ ...contentOf(app), ...lastCiRuns[1].git, platform: "ios" })

/** Registers a test run against the preview that it was recorded with; its branch and commit are the preview's. */
export const registerRun = (
  client: Client,
  { git, kind, name, source }: DemoRun,
  { durationMs, failedStepIndex, failureMessage, stepCount }: RecordedRun,
  previewShareId: string
) =>
  client.testRuns.register({
    ...repository,
    previewShareId,
    kind,
    name,
    source,
    status: failedStepIndex === undefined ? "passed" : "failed",
    durationMs,
    stepCount,
    ...("pr" in git ? { pr: git.pr } : {}),
    commitMessage: git.commitMessage,
    author: git.author,
    ...withoutUndefined({ failedStepIndex, failureMessage })
  })
