/** What all imports have in common: everything but the reading. */
import { createHash } from "node:crypto"
import { relative, resolve } from "node:path"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { testIdentity } from "../../../core/rules/attempts.ts"
import { importedEntry, missingTexts } from "../../../core/rules/imports.ts"
import { mapConcurrent } from "../../client/mapConcurrent.ts"
import {
  type Body,
  type Client,
  type ReservePreview,
  SlipwayError,
  type Slot,
  type SourceImports,
  type TestRun
} from "../../client/index.ts"
import { type Context, ExitCode, oneOf, Stopped, unusable } from "../command/Context.ts"
import { readRuns } from "../comment/report.ts"
import type { importOptions, Values } from "../command/options.ts"
import { plainLine } from "../../../core/model/plainText.ts"
import {
  compare,
  type Comparison,
  comparisonLine,
  exitOf,
  expectedImportsIn,
  failOnIn,
  notCompared
} from "../history/comparison.ts"
import { quarantinedLine, quarantining } from "../history/quarantine.ts"
import {
  asking,
  ciDetailsOf,
  detectedLines,
  gitDetailsOf,
  required,
  settingsOf,
  unlessTooOld
} from "../settings/settings.ts"
import { type Provenance } from "../settings/ciEnvironment.ts"
import {
  type ImportLog,
  isFlaky,
  isInterrupted,
  lastAttempt,
  makeImportLog,
  type RecordedRun,
  skippedLines
} from "./recordedRun.ts"
import { originalPath, shown } from "./files.ts"
import { makeMask, type Mask } from "./mask.ts"
import { placeholder } from "./placeholder.ts"
import { bytesOf, measure, type RunToSend, toSend } from "./toSend.ts"

type ImportValues = Values<typeof importOptions>

/** A tool whose results are imported. */
interface ImportedTool {
  readonly name: "Maestro" | "Detox" | "JUnit"
  /** Where its results are searched, as the user gave it. */
  readonly paths: ReadonlyArray<string>
  /** Where it writes what can be imported. */
  readonly writes: string
  readonly read: (mask: Mask, log: ImportLog) => Promise<ReadonlyArray<RecordedRun>>
}

/** One run as the command prints it. */
interface ImportedRun {
  readonly name: string
  readonly status: string
  readonly isFlaky: boolean
  /** Whether it failed because its outcome is unknown. */
  readonly isInterrupted: boolean
  readonly durationMs: number | undefined
  readonly attempts: number
  readonly recordings: number
  readonly failureMessage: string | undefined
  readonly id: string | undefined
  readonly traceUrl: string | undefined
  /** Whether the host had it before. */
  readonly isKnown: boolean
  /** Whether its failure is left out of conclusions. */
  readonly isQuarantined: boolean
}

/** A run with what the flags give of it: the device, if the results name none. */
const withFlags = (run: RecordedRun, { device, platform }: ImportValues): RecordedRun => {
  const given = withoutUndefined({
    name: device === undefined ? undefined : plainLine(device, 200),
    platform
  })
  const all = { ...given, ...run.device }
  return Object.keys(all).length === 0 ? run : { ...run, device: all }
}

/** What identifies a run within one source. Two jobs and two apps may have equal results. */
const identity = (
  { device, durationMs, file, name, startedAt, status }: RunToSend["run"] | TestRun,
  { app, job }: Pick<TestRun, "app" | "job">
): string =>
  JSON.stringify([
    app,
    job,
    name,
    file,
    device?.name,
    device?.platform,
    status === "passed",
    durationMs,
    startedAt === undefined ? undefined : Date.parse(startedAt)
  ])

/** Whether runs that the host has are other ones of the same tests and job: those of another job of a matrix, if they share its name. */
const hasNamesake = (
  listed: ReadonlyArray<TestRun>,
  runs: ReadonlyArray<RunToSend>,
  own: Pick<TestRun, "app" | "job">
): boolean => {
  const tests = new Set(runs.map(({ run }) => testIdentity({ ...run, ...own })))
  const same = new Set(runs.map(({ run }) => identity(run, own)))
  return listed.some((run) => run.job === own.job && tests.has(testIdentity(run)) && !same.has(identity(run, run)))
}

/** What the host has of an import, and what it says of the failures where that is asked for. */
interface Imported {
  readonly registered: ReadonlyArray<{ readonly run: TestRun; readonly isKnown: boolean }>
  readonly failed: ReadonlyArray<TestRun>
  readonly comparison: Comparison | Stopped | undefined
  /** What is missing in the CI run, and whether it is an import of this job. */
  readonly missing: { readonly texts: ReadonlyArray<string>; readonly isOwn: boolean }
}

const nothing: Imported = {
  registered: [],
  failed: [],
  comparison: undefined,
  missing: { texts: [], isOwn: false }
}

/** What distinguishes the imports of a job. */
const commandOf = ({ name, paths }: ImportedTool, { device, platform }: ImportValues, cwd: string) => [
  name,
  device ?? "",
  platform ?? "",
  ...paths.map((path) => relative(cwd, resolve(cwd, path)))
]

const register = async (
  runs: ReadonlyArray<RunToSend>,
  tool: ImportedTool,
  mask: Mask,
  values: ImportValues,
  isQuarantined: ReturnType<typeof quarantining>,
  context: Context
): Promise<Imported> => {
  const expectedImports = expectedImportsIn(values["expect-imports"], context.env)
  const settings = await settingsOf(values, context)
  const provenance = required(settings, "owner", "repo")
  const comparedSource =
    values["fail-on"] === "new-failures" ? required(settings, "owner", "repo", "source").source : undefined
  const { signal } = context
  return asking(provenance, async (client) => {
    const [first] = runs
    const bundle = placeholder(tool.name, provenance)
    const job = jobOf(context.env)
    const all: Import = { client, provenance, bundle, mask, signal, job, cwd: context.cwd, sent: new Map() }
    const { source } = provenance
    const announcing = source !== undefined && {
      ...all,
      provenance: { ...provenance, source },
      command: commandOf(tool, values, context.cwd),
      expectedRuns: runs.length,
      expectedImports
    }
    const opened = announcing && (await announce(announcing))
    const close = async (registeredRuns: number): Promise<Imported["missing"]> => {
      if (!announcing) return nothing.missing
      if (!opened) {
        context.err(
          "Warning: this host is too old to know which imports are complete. One that is killed looks complete."
        )
        return nothing.missing
      }
      const imports = await announce(announcing, registeredRuns)
      const isOwn = imports?.missing.some(({ id }) => id.startsWith(importsOfJob(all))) ?? false
      return { texts: missingTexts(imports), isOwn }
    }
    if (first === undefined) return { ...nothing, missing: await close(0) }
    const query = { org: provenance.owner, repo: provenance.repo, kind: first.run.kind }
    const listed = source === undefined ? [] : await readRuns(client, { ...query, source }, signal)
    const known = new Map(listed.flatMap((run) => (run.startedAt === undefined ? [] : [[identity(run, run), run]])))
    const own = withoutUndefined({
      app: provenance.app,
      job: ciDetailsOf(provenance, (text) => mask.text(text)).job
    })
    if (!context.env["SLIPWAY_JOB"] && hasNamesake(listed, runs, own)) {
      const name = own.job === undefined ? "without a name" : `called ${own.job}`
      context.err(
        `Warning: another job or import ${name} registered other runs of the same tests. Give each job of a matrix its own name ` +
          "(SLIPWAY_JOB): without it, a later attempt at one may replace results of another."
      )
    }
    const one = async (run: RunToSend) => {
      const before = known.get(identity(run.run, own))
      return before === undefined
        ? { run: await registerRun(all, run), isKnown: false }
        : { run: before, isKnown: true }
    }
    // The first alone: from then on the host has the bytes of the bundle.
    const registered = [await one(first), ...(await mapConcurrent(runs.slice(1), 8, signal, one))]
    const missing = await close(registered.length)
    const failed = registered.map(({ run }) => run).filter((run) => run.status === "failed" && !isQuarantined(run))
    const sent = { registered, failed, comparison: undefined, missing }
    if (comparedSource === undefined || failed.length === 0) return sent
    const compared = { ...provenance, source: comparedSource }
    return { ...sent, comparison: await compare(client, compared, failed, signal).catch(notCompared) }
  })
}

const seconds = (milliseconds: number | undefined): string =>
  milliseconds === undefined ? "" : ` ${(milliseconds / 1000).toFixed(1)} s`

const line = ({ isFlaky, isKnown, isQuarantined, name, status, traceUrl, ...rest }: ImportedRun): string => {
  const sign = status === "passed" ? "✓" : "✗"
  const how = isFlaky
    ? ` (flaky: passed at try ${rest.attempts})`
    : isQuarantined
      ? " (quarantined)"
      : isKnown
        ? " (already registered)"
        : ""
  const why = rest.isInterrupted ? ` ${plainLine(rest.failureMessage ?? "", 200)}` : ""
  return `${sign} ${plainLine(name, 120)}${seconds(rest.durationMs)}${how}${why}${traceUrl === undefined ? "" : ` ${traceUrl}`}`
}

const counted = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`

/** Reads, registers and reports. Returns the exit code. */
export const runImport = async (tool: ImportedTool, values: ImportValues, context: Context): Promise<ExitCode> => {
  const failOn = failOnIn(values["fail-on"])
  if (failOn === "new-failures" && values["dry-run"] === true) {
    throw unusable("--fail-on new-failures asks the host, which --dry-run doesn't.")
  }
  oneOf("--platform", values.platform, ["ios", "android"])
  const isQuarantined = quarantining(context.cwd)
  const named = { hidden: values.mask ?? [], shown: values["no-mask"] ?? [] }
  const mask = makeMask(named)
  for (const name of [...named.hidden, ...named.shown]) {
    const value = context.env[name]
    if (value !== undefined) mask.hideVariable(name, value)
  }
  const log = makeImportLog()
  const recorded = (await tool.read(mask, log)).map((run) => withFlags(run, values))
  for (const name of mask.unknownNames()) {
    context.err(`--mask ${name}: there is no such variable, so nothing is hidden for it.`)
  }
  for (const { file, line, reason } of log.problems) {
    context.err(`${shown(context.cwd, file)}${line === undefined ? "" : `:${line}`}: ${reason}`)
  }
  const skipped = log.skippedTests
  if (recorded.length === 0 && skipped.length === 0)
    throw unusable(`There are no results of ${tool.name} in ${tool.paths.join(", ")}. ${tool.writes}`)
  const readSoFar = log.problems.length
  // All of it is read by now, so every secret is known before the first text is made.
  const runs = recorded.map((run) => toSend(run, mask, log))
  if (values["dry-run"] === true) for (const line of detectedLines(await settingsOf(values, context))) context.err(line)
  const sent = values["dry-run"] === true ? nothing : await register(runs, tool, mask, values, isQuarantined, context)

  const imported = recorded.map((run, index): ImportedRun => {
    const { durationMs, failureMessage, name = "" } = runs[index]?.run ?? {}
    const { isKnown = false, run: made } = sent.registered[index] ?? {}
    const judged = made ?? (runs[index] && { ...runs[index].run, ...withoutUndefined({ app: values.app }) })
    return {
      name,
      status: lastAttempt(run).status,
      isQuarantined: lastAttempt(run).status !== "passed" && judged !== undefined && isQuarantined(judged),
      isFlaky: isFlaky(run),
      isInterrupted: isInterrupted(lastAttempt(run)),
      attempts: run.attempts.length,
      durationMs,
      failureMessage,
      isKnown,
      id: made?.id,
      traceUrl: made?.traceUrl,
      recordings: runs[index]?.recordings.length ?? 0
    }
  })
  const flaky = imported.filter(({ isFlaky }) => isFlaky).length
  const failed = imported.filter(({ status }) => status !== "passed").length
  const quarantined = imported.filter((one) => one.isQuarantined).length
  const open = imported.filter((one) => one.isInterrupted).length
  const masked = mask.counts()
  if (values.json === true) {
    context.out(JSON.stringify({ runs: imported, skipped, problems: log.problems, notes: log.notes, masked }))
  } else {
    for (const one of imported) context.out(line(one))
  }
  for (const { file, line, reason } of log.problems.slice(readSoFar)) {
    context.err(`${shown(context.cwd, file)}${line === undefined ? "" : `:${line}`}: ${reason}`)
  }
  for (const note of [...skippedLines(skipped), ...log.notes]) context.err(note)
  if (masked.values > 0) {
    context.err(
      `Hidden: ${counted(masked.values, "value")}, where typed or set, and in ${counted(masked.places, "other place")}.`
    )
  }
  const known = imported.filter(({ isKnown }) => isKnown).length
  context.err(
    `${counted(imported.length, "run")}: ${imported.length - failed} passed${flaky === 0 ? "" : ` (${flaky} flaky)`}, ` +
      `${failed} failed${open === 0 ? "" : ` (${open} interrupted)`}${quarantined === 0 ? "" : ` (${quarantined} quarantined)`}${skipped.length === 0 ? "" : `; ${skipped.length} skipped`}.` +
      (values["dry-run"] === true ? " Nothing was sent." : known === 0 ? "" : ` The host had ${known} of them.`)
  )
  if (quarantined > 0) context.err(quarantinedLine(quarantined))
  if (sent.missing.texts.length > 0) {
    context.err(`This CI run is not complete:\n${sent.missing.texts.map((text) => `  ${text}`).join("\n")}`)
  }
  if (values.strict === true && log.problems.length > 0) return ExitCode.usage
  // What other jobs have open may still come.
  if (failOn !== undefined && sent.missing.isOwn) return ExitCode.failOn
  if (failOn === "new-failures") {
    const { comparison } = sent
    if (comparison === undefined) return ExitCode.done
    if (comparison instanceof Stopped) throw comparison
    context.err(comparisonLine(comparison, sent.failed))
    return exitOf(comparison, sent.failed)
  }
  const isMet = failOn !== undefined && (failed > quarantined || (failOn === "flaky" && flaky > 0))
  return isMet ? ExitCode.failOn : ExitCode.done
}

/** The id of a job within its CI run, as far as the CI has one: also those of a matrix, and the shards of one job. */
const variables = [
  "SLIPWAY_JOB",
  "GITHUB_JOB",
  // GitHub calls all jobs of a matrix the same; this is another one for each.
  "RUNNER_TRACKING_ID",
  "CI_JOB_NAME",
  "CI_NODE_INDEX",
  "CIRCLE_JOB",
  "CIRCLE_NODE_INDEX",
  "BUILDKITE_JOB_ID",
  "BITRISE_IO_PARALLEL_INDEX",
  "BITBUCKET_PARALLEL_STEP",
  "SYSTEM_JOBID",
  "STAGE_NAME",
  "SEMAPHORE_JOB_ID",
  "EAS_BUILD_ID"
]

/** Which job this is: a text that other jobs of the same CI run don't have. */
const jobOf = (env: Readonly<Record<string, string | undefined>>): string =>
  JSON.stringify(variables.map((name) => env[name] || null))

// * Registers runs, each with a preview of its own that holds its recordings. What is sent again, by a command that is run
// again, is known by its content: the host answers with what it has.

/** What all runs of an import have in common. */
interface Import {
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
interface Announcing extends Omit<Import, "provenance"> {
  readonly provenance: Import["provenance"] & { readonly source: string }
  /** The command with what selects its results, and how many runs they have. */
  readonly command: ReadonlyArray<string>
  readonly expectedRuns: number
  readonly expectedImports: number | undefined
}

/** What the ids of all imports of a job begin with. */
const importsOfJob = ({ job, provenance }: Pick<Import, "job" | "provenance">): string =>
  digest([job, provenance.job]).slice(0, 16)

/**
 * Announces an import, which is open until it is announced with the runs that it registered: what is killed or refused meanwhile leaves
 * it open. The same command of the same job opens the same import again. `undefined` from a host that is too old to know.
 */
const announce = async (
  { client, command, expectedImports, expectedRuns, job, mask, provenance, signal }: Announcing,
  registeredRuns?: number
): Promise<SourceImports | undefined> => {
  const { app, owner, repo, source } = provenance
  const announced = {
    owner,
    repo,
    id: `${importsOfJob({ job, provenance })}-${digest([command, app]).slice(0, 16)}`,
    expectedRuns,
    ...withoutUndefined({ registeredRuns, expectedImports }),
    ...gitDetailsOf(provenance),
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
    owner: provenance.owner,
    repo: provenance.repo,
    ...gitDetailsOf(provenance),
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
    ...gitDetailsOf(provenance),
    ...withoutUndefined({ source: provenance.source }),
    ...ciDetailsOf(provenance, (text) => mask.text(text))
  }
  return client.testRuns.register(body, { idempotencyKey: `slipway-ci-${digest([body, registration])}`, signal })
}
