/**
 * Registers runs, each with a preview of its own that holds its recordings. What is sent again, by a command that is run
 * again, is known by its content: the host answers with what it has.
 */
import { createHash } from "node:crypto"
import { relative } from "node:path"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { importedEntry } from "../../../core/rules/imports.ts"
import {
  SlipwayError,
  type Body,
  type Client,
  type ReservePreview,
  type Slot,
  type SourceImports,
  type TestRun
} from "../../client/index.ts"
import { ciDetailsOf } from "../settings/ciDetails.ts"
import type { Provenance } from "../settings/Provenance.ts"
import { unlessTooOld } from "../settings/refusal.ts"
import { bytesOf, measure } from "./bodies.ts"
import { originalPath } from "./files.ts"
import type { Mask } from "./mask.ts"
import type { RunToSend } from "./toSend.ts"

/** What all runs of an import have in common. */
export interface Import {
  readonly client: Client
  readonly provenance: Provenance & { readonly owner: string; readonly repo: string }
  /** The bundle of each preview. */
  readonly bundle: Uint8Array<ArrayBuffer>
  readonly mask: Mask
  readonly signal: AbortSignal
  /** The registering job of the CI run, and the base of its paths: two jobs may have equal results. */
  readonly job: string
  readonly cwd: string
  /** How often a body was sent: two tests that are equal in everything are two all the same. */
  readonly sent: Map<string, number>
}

/** How often a preview is reserved again when an earlier reservation expired before it was finalized. */
const reservations = 3

/** An import of a source that a host knows of, as it is announced. */
export interface Announcing extends Omit<Import, "provenance"> {
  readonly provenance: Import["provenance"] & { readonly source: string }
  /** The command with what selects its results, and how many runs they have. */
  readonly command: ReadonlyArray<string>
  readonly expectedRuns: number
  readonly expectedImports: number | undefined
}

/** What the ids of all imports of a job begin with. */
export const importsOfJob = ({ job, provenance }: Pick<Import, "job" | "provenance">): string =>
  digest([job, provenance.job]).slice(0, 16)

/**
 * Announces an import, which is open until it is announced with the runs that it registered: what is killed or refused meanwhile leaves
 * it open. The same command of the same job opens the same import again. `undefined` from a host that is too old to know.
 */
export const announce = async (
  { client, command, expectedImports, expectedRuns, job, mask, provenance, signal }: Announcing,
  registeredRuns?: number
): Promise<SourceImports | undefined> => {
  const { app, branch, commit, owner, pr, repo, source } = provenance
  const announced = {
    owner,
    repo,
    id: `${importsOfJob({ job, provenance })}-${digest([command, app]).slice(0, 16)}`,
    expectedRuns,
    ...withoutUndefined({ registeredRuns, expectedImports, app, branch, commitSha: commit, pr }),
    ...ciDetailsOf(provenance, (text) => mask.text(text))
  }
  return client.sources.announceImport(source, announced, { signal }).catch(unlessTooOld)
}

const digest = (content: unknown): string => createHash("sha256").update(JSON.stringify(content)).digest("hex")

/** The bytes of a body, which can be read again. */
interface Sent {
  readonly body: Body
  readonly slot: Slot
}

const isUploaded = (slot: object): boolean => "uploaded" in slot && slot.uploaded === true

/**
 * Whether the answer to a PUT or finalize means that the reservation is over. A PUT gets that answer after a finalize,
 * too.
 */
const isOver = (error: unknown): boolean =>
  error instanceof SlipwayError &&
  (error.code === "reservation_expired" || error.code === "url_refused" || error.status === 403)

const missing = (error: unknown): ReadonlySet<string> | undefined =>
  error instanceof SlipwayError && error.problem?.code === "upload_incomplete"
    ? new Set(error.problem.objects.map(({ objectKey }) => objectKey))
    : undefined

const put = async ({ client, signal }: Import, sent: ReadonlyArray<Sent>): Promise<void> => {
  for (const { body, slot } of sent) await client.put(slot, body, { signal })
}

/** Sends what is missing, and finalizes. */
const fill = async (all: Import, sent: ReadonlyArray<Sent>, token: string): Promise<void> => {
  const { client, signal } = all
  try {
    await put(
      all,
      sent.filter(({ slot }) => !isUploaded(slot))
    )
  } catch (error) {
    // An earlier import has finalized it, or it expired: the answer to finalize shows which.
    if (!isOver(error)) throw error
  }
  try {
    await client.previews.finalize(token, { signal })
  } catch (error) {
    const keys = missing(error)
    if (keys === undefined) throw error
    await put(
      all,
      sent.filter(({ slot }) => keys.has(slot.objectKey))
    )
    await client.previews.finalize(token, { signal })
  }
}

/** Uploads the preview of a run. */
const uploadPreview = async (
  all: Import,
  { recordings, run }: RunToSend,
  registration: ReadonlyArray<unknown>
): Promise<string> => {
  const { bundle, client, mask, provenance, signal } = all
  const measured = recordings.map((recording) => measure(bytesOf(recording, mask)))
  const platform = run.device?.platform
  const body: ReservePreview = {
    ...withoutUndefined({
      owner: provenance.owner,
      repo: provenance.repo,
      branch: provenance.branch,
      commitSha: provenance.commit,
      pr: provenance.pr,
      app: provenance.app
    }),
    ...ciDetailsOf(provenance, (text) => mask.text(text)),
    ...(platform === "ios" || platform === "android" ? { platform } : {}),
    contentHash: createHash("sha256").update(bundle).digest("hex"),
    bundleSizeBytes: bundle.byteLength,
    bundleContentType: "text/javascript",
    entry: importedEntry,
    isTransformed: true,
    billingKind: "test_run",
    recordings: recordings.map(({ contentType, durationMs, kind, name, startedAtMs }, index) => ({
      name,
      kind,
      contentType,
      startedAtMs,
      ...(durationMs === undefined ? {} : { durationMs }),
      sizeBytes: measured[index]?.sizeBytes ?? 0,
      ...withoutUndefined({ contentHash: measured[index]?.contentHash })
    }))
  }
  for (let made = 1; ; made += 1) {
    const idempotencyKey = `slipway-ci-${digest([body, run, provenance.source, registration, made])}`
    const { shareId, slots, token } = await client.previews.reserve(body, { idempotencyKey, signal })
    const sent = [
      { slot: slots.bundle, body: bundle },
      ...slots.recordings.flatMap((slot, index) => {
        const content = measured[index]?.body
        return content === undefined ? [] : [{ slot, body: content }]
      })
    ]
    try {
      await fill(all, sent, token)
      return shareId
    } catch (error) {
      if (!isOver(error) || made === reservations) throw error
    }
  }
}

/** Registers a run, with its recordings. The same again answers the run that there is. */
export const registerRun = async (all: Import, toSend: RunToSend): Promise<TestRun> => {
  const { client, cwd, job, mask, provenance, sent, signal } = all
  const content = digest(toSend)
  const nth = sent.get(content) ?? 0
  sent.set(content, nth + 1)
  const registration = [job, relative(cwd, originalPath(toSend.recordedIn)), nth]
  const previewShareId = await uploadPreview(all, toSend, registration)
  const body = {
    ...toSend.run,
    owner: provenance.owner,
    repo: provenance.repo,
    previewShareId,
    ...withoutUndefined({
      branch: provenance.branch,
      commitSha: provenance.commit,
      pr: provenance.pr,
      app: provenance.app,
      source: provenance.source
    }),
    ...ciDetailsOf(provenance, (text) => mask.text(text))
  }
  return client.testRuns.register(body, { idempotencyKey: `slipway-ci-${digest([body, registration])}`, signal })
}
