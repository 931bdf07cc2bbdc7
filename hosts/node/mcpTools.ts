/** The tools of `/mcp`: what an agent reads of test results, and quarantine. They use the services that pages and the API use. */
import { DateTime, Effect, Option, Schema } from "effect"
import * as Base64 from "effect/encoding/Base64"
import { toQuarantineList, toQuarantineRecord } from "../../core/api/quarantines.ts"
import { toTestHistoryRecord, toTestList } from "../../core/api/tests.ts"
import type { Caller } from "../../core/model/ApiKey.ts"
import { InvalidRequest, type Problem } from "../../core/model/Problem.ts"
import type { Preview } from "../../core/model/Preview.ts"
import { QuarantineOwner, QuarantineReason } from "../../core/model/Quarantine.ts"
import { TestId } from "../../core/model/TestHistory.ts"
import { TestRunId, type TestRunView } from "../../core/model/TestRun.ts"
import { atMost } from "../../core/model/Text.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { missingTexts } from "../../core/rules/imports.ts"
import { conclusionOf } from "../../core/rules/events.ts"
import { quarantineDays } from "../../core/rules/quarantine.ts"
import { recordingObject } from "../../core/rules/reservations.ts"
import { messageLine } from "../../core/rules/testResults.ts"
import { testIdOf } from "../../core/rules/testRuns.ts"
import { Authorization } from "../../core/service/Authorization.ts"
import { Overview } from "../../core/service/Overview.ts"
import { Previews } from "../../core/service/Previews.ts"
import { Quarantines } from "../../core/service/Quarantines.ts"
import { Settings } from "../../core/service/Settings.ts"
import { TestHistories } from "../../core/service/TestHistories.ts"
import { type Attempts, TestRuns } from "../../core/service/TestRuns.ts"
import { type Path, paths } from "../viewer/access/site.ts"
import { beginning } from "../viewer/content/beginning.ts"
import { alignSteps, differenceOf } from "../viewer/trace/align.ts"
import { linesAround, logReader } from "../viewer/trace/lines.ts"
import { noSteps, recordedSteps, slice } from "../viewer/trace/recordedSteps.ts"
import { failingStep, lengthOf, momentOf } from "../viewer/trace/steps.ts"
import type { Step } from "../viewer/trace/traceData.ts"

/** The services that the tools use. */
export const toolServices = [Authorization, Overview, Previews, Quarantines, Settings, TestHistories, TestRuns] as const
type Needs = InstanceType<(typeof toolServices)[number]>

/** What a tool answers: facts, and screenshots. */
export interface Answer {
  readonly facts: object
  readonly images?: ReadonlyArray<{ readonly mimeType: string; readonly data: string }>
}

/** A tool: its input, which clients show to models as JSON Schema, and its answer. `changes` is what it changes, if anything. */
interface Tool<A> {
  readonly title: string
  readonly description: string
  readonly input: Schema.Codec<A, unknown>
  readonly changes?: { readonly destructive: boolean }
  readonly answer: (caller: Caller, input: A) => Effect.Effect<Answer, Problem, Needs>
}

/** A tool with any input: `use` gets it with the type of its input. */
export interface AnyTool {
  readonly use: <B>(take: <A>(tool: Tool<A>) => B) => B
}

const tool = <A>(one: Tool<A>): AnyTool => ({ use: (take) => take(one) })

// Clients give the schemas to models, and not all of them know the patterns of the API's own fields.
const line = (description: string, most = 1024) =>
  Schema.String.check(
    Schema.isNonEmpty({ message: "must not be empty" }),
    atMost(most),
    Schema.makeFilter(
      (value: string) => (value.isWellFormed() && !/\p{Cc}/u.test(value)) || "must not contain control characters"
    )
  ).annotate({ description })
const repository = {
  owner: line("The owner of the repository, such as acme.", 100),
  repo: line("The name of the repository, such as app.", 100)
}
const whole = (description: string, minimum: number, maximum: number) =>
  Schema.Int.check(
    Schema.isBetween({ minimum, maximum }, { message: `must be a whole number from ${minimum} to ${maximum}` })
  ).annotate({ description })
const page = {
  limit: Schema.optionalKey(whole("How many to list; 20 by default.", 1, 50)),
  cursor: Schema.optionalKey(line("The cursor of an earlier answer, to continue after it."))
}
const run = { run: line("The id of a run.", 128) }
const test = { test: line("The id of a test.", 128) }
const app = Schema.optionalKey(line("Only tests of this app.", 100))

/** The address of a page. */
const urlOf = (path: Path) => Effect.map(Settings, ({ viewerUrl }) => viewerUrl.replace(/\/+$/, "") + path)

const nameOf = ({ name, prompt }: Pick<TestRunView["run"], "name" | "prompt">): string => name ?? prompt ?? ""

/** What identifies a run, and how it ended. A failure in quarantine is marked beside its status. */
const runFacts = Effect.fnUntraced(function* ({ repository, run }: TestRunView) {
  const { app, branch, commitSha, device, durationMs, failureMessage, file, id, pr, quarantined, source, status } = run
  return {
    run: id,
    test: testIdOf(run),
    ...repository,
    kind: run.kind,
    name: nameOf(run),
    status,
    ...(quarantined === true ? { quarantined } : {}),
    ...withoutUndefined({ file, app, device, branch, commitSha, pr, source, durationMs }),
    registeredAt: run.createdAt,
    ...withoutUndefined({ message: failureMessage }),
    url: yield* urlOf(paths.run(id))
  }
})

const ofStep = (step: Step) => ({
  step: step.index + 1,
  name: step.name,
  status: step.status,
  durationMs: lengthOf(step),
  ...withoutUndefined({ message: step.message })
})

/** The recordings of a run, for a caller who may see previews, or why there are none. */
const previewOf = Effect.fnUntraced(function* (caller: Caller, { run }: TestRunView) {
  if (!caller.scopes.includes("preview_upload"))
    return "The key lacks the scope preview_upload, so steps, logs and screenshots can't be read."
  const previews = yield* Previews
  return yield* Effect.catchTag(previews.read(caller, run.previewShareId), "NotFound", () =>
    Effect.succeed("The preview of this run was deleted, and with it its steps, logs and screenshots.")
  )
})

const stepsOf = (preview: Preview | string) =>
  typeof preview === "string" ? Effect.succeed(noSteps) : recordedSteps(preview)

/** How much of a log is read, and of a screenshot; and how many steps before a failure are answered. */
const most = { log: 2 ** 20, logs: 2, screenshot: 2 * 2 ** 20, steps: 15, differences: 60, tests: 50 }
const linesOfSlice = 500

const read = (preview: Preview, index: number, bytes: number) =>
  Effect.flatMap(Previews, (previews) =>
    beginning((range) => previews.openIn(preview, { name: recordingObject(index), range }), bytes)
  )

/** The lines of the logs around a moment. */
const logsAround = (preview: Preview, moment: number | undefined) =>
  Effect.forEach(
    preview.declaration.recordings
      .flatMap((one, index) => (one.kind === "log" ? [{ ...one, index }] : []))
      .slice(0, most.logs),
    Effect.fnUntraced(function* ({ index, name, startedAtMs }) {
      const { bytes, isPlain, isWhole } = yield* read(preview, index, most.log)
      if (!isPlain) return { name, note: "This log has a content encoding that can't be read here." }
      const all = new TextDecoder().decode(bytes).split(/\r?\n/)
      const lines = all.filter((text) => text.trim() !== "")
      const reader = logReader(startedAtMs)
      const timed: Array<ReturnType<typeof reader>> = []
      for (let at = 0; at < lines.length; at += linesOfSlice) {
        yield* slice(() => timed.push(...lines.slice(at, at + linesOfSlice).map(reader)))
      }
      const shown = linesAround(timed, moment).map(({ text }) => text.slice(0, 500))
      return { name, lines: shown, ...(isWhole ? {} : { note: "Only the beginning of this log was read." }) }
    })
  )

/** The type of a picture by its first bytes: models refuse one that is declared as another. */
const pictureType = (bytes: Uint8Array): string | undefined => {
  const head = String.fromCharCode(...bytes.subarray(0, 12))
  if (head.startsWith("\u0089PNG\r\n")) return "image/png"
  if (head.startsWith("\u00ff\u00d8\u00ff")) return "image/jpeg"
  if (/^GIF8[79]a/.test(head)) return "image/gif"
  return /^RIFF[^]{4}WEBP/.test(head) ? "image/webp" : undefined
}

/** The screenshots closest to a moment, else the last ones. */
const screenshotsAt = Effect.fnUntraced(function* (preview: Preview, moment: number | undefined, count: number) {
  const nearest = preview.declaration.recordings
    .map((one, index) => ({ ...one, index }))
    .filter(({ kind, sizeBytes }) => kind === "screenshot" && sizeBytes <= most.screenshot)
    .map((one) => ({ ...one, away: Math.abs((one.startedAtMs ?? Infinity) - (moment ?? Infinity)) || 0 }))
    .toSorted((a, b) => (a.away === b.away ? b.index - a.index : a.away - b.away))
    .slice(0, count)
  return yield* Effect.forEach(nearest, ({ index, name, startedAtMs }) =>
    Effect.map(read(preview, index, most.screenshot), ({ bytes }) => ({
      name,
      startedAtMs,
      mimeType: pictureType(bytes),
      data: Base64.encode(bytes)
    }))
  )
})

const readRun = Effect.fnUntraced(function* (caller: Caller, id: string) {
  return yield* (yield* TestRuns).read(caller, TestRunId.make(id))
})

/** A group of tests of a CI run: how many there are, and the first of them. */
const groupOf = Effect.fnUntraced(function* (tests: ReadonlyArray<Attempts>) {
  const listed = yield* Effect.forEach(tests.slice(0, most.tests), ([latest, ...earlier]) =>
    Effect.map(runFacts(latest), ({ message, ...facts }) => ({
      ...facts,
      ...withoutUndefined({ message: message === undefined ? undefined : messageLine(message) }),
      ...(earlier.length === 0 ? {} : { earlierAttempts: earlier.map(({ run }) => run.status) })
    }))
  )
  return { count: tests.length, tests: listed }
})

const isIn = (field: string, message: string) =>
  new InvalidRequest({ detail: "The request does not fit; see issues.", issues: [{ path: field, message }] })

/** How many CI runs of a pull request's newest commit are compared. */
const maxCiRuns = 5

export const tools: Readonly<Record<string, AnyTool>> = {
  list_repositories: tool({
    title: "List repositories",
    description: "Lists the repositories of the account. The other tools need the owner and name of one.",
    // An empty struct is every value but null.
    input: Schema.Record(Schema.String, Schema.Unknown),
    answer: Effect.fnUntraced(function* (caller) {
      const repositories = yield* (yield* Overview).repositories(caller)
      return {
        facts: {
          repositories: repositories.map(({ defaultBranch, owner, repo }) => ({
            owner,
            repo,
            ...withoutUndefined({ defaultBranch })
          }))
        }
      }
    })
  }),

  list_tests: tool({
    title: "List tests",
    description:
      "Lists the tests of a repository whose last result is failed (state: broken), that are flaky, or all, those that ran last first. Numbers cover the last 100 results of each test.",
    input: Schema.Struct({
      ...repository,
      state: Schema.Literals(["broken", "flaky", "all"]),
      branch: Schema.optionalKey(line("Only results of this branch; without it, those of all branches.")),
      app,
      text: Schema.optionalKey(line("Only tests whose name, file, platform and app have all of these words.", 200)),
      ...page
    }),
    answer: Effect.fnUntraced(function* (caller, { limit = 20, state, ...query }) {
      const listed = yield* (yield* TestHistories).list(caller, {
        ...query,
        limit,
        ...(state === "broken" ? { status: "failed" as const } : {}),
        flaky: state === "flaky"
      })
      return { facts: toTestList(listed) }
    })
  }),

  list_failures: tool({
    title: "List the failures of a pull request",
    description:
      "Lists the failures of the newest commit of a pull request (pr), or of one CI run (source), compared with the base branch: new ones, known ones, those in quarantine, and flaky tests.",
    input: Schema.Struct({
      ...repository,
      pr: Schema.optionalKey(whole("The number of the pull request.", 1, 2 ** 31 - 1)),
      source: Schema.optionalKey(line("The source of a CI run, such as github:123456.")),
      app
    }),
    answer: Effect.fnUntraced(function* (caller, { app, owner, pr, repo, source }) {
      if ((pr === undefined) === (source === undefined))
        return yield* isIn("pr", "is required, or source in its place; not both")
      const histories = yield* TestHistories
      const { ciRuns, nextCursor } =
        source === undefined
          ? yield* histories.ciRuns(caller, { owner, repo, fits: (one) => one.pr === pr, limit: 50 })
          : { ciRuns: [], nextCursor: undefined }
      const [newest] = ciRuns
      const sources =
        source === undefined
          ? ciRuns.flatMap((one) => (one.commitSha === newest?.commitSha ? (one.source ?? []) : [])).slice(0, maxCiRuns)
          : [source]
      const compared = yield* Effect.forEach(sources, (one) =>
        Effect.gen(function* () {
          const failures = yield* histories.failures(caller, { owner, repo, source: one, app })
          const { base, ciRun, flakyOnBase, imports, isWhole, totals } = failures
          const { branch, commitSha } = ciRun
          return {
            source: one,
            ...withoutUndefined({ branch, commitSha, base }),
            conclusion: isWhole ? conclusionOf(totals, imports) : totals.failed > 0 ? "failed" : "incomplete",
            ...totals,
            missing: missingTexts(imports),
            new: yield* groupOf(failures.new),
            flakyOnBase: [...flakyOnBase.keys()],
            known: yield* groupOf(failures.known),
            inQuarantine: yield* groupOf(failures.quarantined),
            flakyTests: yield* groupOf(failures.flaky),
            url: yield* urlOf(paths.source({ owner, repo }, one, app))
          }
        })
      )
      const note =
        compared.length === 0 && nextCursor !== undefined
          ? { note: "The newest CI runs of the repository have none of this pull request; older ones were not read." }
          : {}
      return { facts: { ciRuns: compared, ...note } }
    })
  }),

  read_run: tool({
    title: "Read a run",
    description:
      "Reads one run of a test: how it ended, its message, the steps until the failure, the log around it, and the screenshots closest to it as images.",
    input: Schema.Struct({
      ...run,
      screenshots: Schema.optionalKey(whole("How many screenshots to answer; 2 by default.", 0, 4))
    }),
    answer: Effect.fnUntraced(function* (caller, { run: id, screenshots = 2 }) {
      const view = yield* readRun(caller, id)
      const preview = yield* previewOf(caller, view)
      const { isWhole, steps } = yield* stepsOf(preview)
      const failing = view.run.status === "failed" ? failingStep(steps, view.run.failedStepIndex) : undefined
      const moment = failing === undefined ? undefined : momentOf(failing)
      const until = failing === undefined ? steps.length : failing.index + 1
      const pictures = typeof preview === "string" ? [] : yield* screenshotsAt(preview, moment, screenshots)
      const { attempts, commitMessage, tags } = view.run
      return {
        facts: {
          ...(yield* runFacts(view)),
          ...withoutUndefined({ attempts, commitMessage, tags }),
          ...(typeof preview === "string" ? { recordings: preview } : {}),
          ...(failing === undefined ? {} : { failingStep: ofStep(failing) }),
          stepsUntilThere: steps.slice(Math.max(0, until - most.steps), until).map(ofStep),
          ...(isWhole ? {} : { note: "The run has more steps than were read." }),
          logs: typeof preview === "string" ? [] : yield* logsAround(preview, moment),
          screenshots: pictures.map(({ mimeType, name, startedAtMs }) => ({
            name,
            ...withoutUndefined({ startedAtMs }),
            ...(mimeType === undefined ? { note: "This file is no picture that can be answered." } : { mimeType })
          }))
        },
        images: pictures.flatMap(({ data, mimeType }) => (mimeType === undefined ? [] : [{ data, mimeType }]))
      }
    })
  }),

  compare_with_last_pass: tool({
    title: "Compare with the last pass",
    description:
      "Compares a run with the last pass of its test, on the default branch or else on its own branch: commits, durations, and the steps that differ.",
    input: Schema.Struct(run),
    answer: Effect.fnUntraced(function* (caller, { run: id }) {
      const histories = yield* TestHistories
      const view = yield* readRun(caller, id)
      const history = yield* histories.find(caller, testIdOf(view.run), view.run.branch)
      const onDefault = yield* histories.lastPassOnDefault(caller, history)
      const passed = onDefault?.run ?? history.test.summary.lastPassed
      if (passed === undefined || passed.runId === view.run.id)
        return { facts: { ...(yield* runFacts(view)), lastPass: "This test has no other run that passed." } }
      const pass = yield* Effect.catchTag(readRun(caller, passed.runId), "NotFound", () => Effect.undefined)
      if (pass === undefined)
        return { facts: { ...(yield* runFacts(view)), lastPass: { ...passed, note: "That run was deleted." } } }
      const [before, after] = yield* Effect.all([
        Effect.flatMap(previewOf(caller, pass), stepsOf),
        Effect.flatMap(previewOf(caller, view), stepsOf)
      ])
      const pairs = alignSteps(before.steps, after.steps)
      const differing = pairs.flatMap((pair) => {
        const difference = differenceOf(pair)
        if (difference === "same") return []
        const { left, right } = pair
        return [{ difference, ...withoutUndefined({ pass: left && ofStep(left), run: right && ofStep(right) }) }]
      })
      return {
        facts: {
          run: yield* runFacts(view),
          lastPass: yield* runFacts(pass),
          comparedSteps: pairs.length,
          differences: differing.slice(0, most.differences),
          ...(differing.length > most.differences ? { moreDifferences: differing.length - most.differences } : {}),
          url: yield* urlOf(paths.compare(pass.run.id, view.run.id))
        }
      }
    })
  }),

  read_test: tool({
    title: "Read the history of a test",
    description:
      "Reads the history of a test: how often it failed or was flaky, since when it fails, its last pass, its quarantine, and its last results.",
    input: Schema.Struct({
      ...test,
      branch: Schema.optionalKey(line("Only results of this branch; without it, those of all branches.")),
      limit: Schema.optionalKey(whole("How many results to list; 20 by default.", 1, 100))
    }),
    answer: Effect.fnUntraced(function* (caller, { branch, limit = 20, test: id }) {
      const { repository, test } = yield* (yield* TestHistories).find(caller, TestId.make(id), branch)
      const { results, ...facts } = toTestHistoryRecord(test)
      const quarantine = Option.getOrUndefined(yield* (yield* Quarantines).find(caller, test.testId))
      const now = yield* DateTime.now
      return {
        facts: {
          ...repository,
          ...facts,
          ...withoutUndefined({ quarantine: quarantine && toQuarantineRecord(quarantine, now) }),
          results: results.slice(0, limit),
          url: yield* urlOf(paths.test(id, branch))
        }
      }
    })
  }),

  component_tree: tool({
    title: "Find the component tree",
    description:
      "Tells where the component tree of the app at the failure can be inspected. The host can't read it: it needs a replay in a browser.",
    input: Schema.Struct(run),
    answer: Effect.fnUntraced(function* (caller, { run: id }) {
      const view = yield* readRun(caller, id)
      const preview = yield* previewOf(caller, view)
      if (typeof preview === "string") return { facts: { available: false, reason: preview } }
      return {
        facts: {
          available: false,
          reason:
            "A component tree exists only while the app runs in a replay, and the host has no browser to run it. Open the page below in a browser that is signed in, play the steps up to the failure, and read the tab Inspector. A bundle that is only a placeholder has no app to replay.",
          url: yield* urlOf(paths.replaySteps(paths.preview(preview.shareId)))
        }
      }
    })
  }),

  list_quarantines: tool({
    title: "List quarantines",
    description: "Lists the quarantined tests of a repository, the newest first, with those that ended lately.",
    input: Schema.Struct({ ...repository, ...page }),
    answer: Effect.fnUntraced(function* (caller, { limit = 20, ...query }) {
      const listed = yield* (yield* Quarantines).list(caller, { ...query, limit })
      return { facts: toQuarantineList(listed, yield* DateTime.now) }
    })
  }),

  quarantine_test: tool({
    title: "Quarantine a test",
    description:
      "Quarantines a test, in place of an earlier quarantine: its failures are shown as quarantined and fail no CI run until the end. Ask the user before. Needs a key with the scope quarantine.",
    input: Schema.Struct({
      ...test,
      reason: line("Why, such as a link to an issue.", 500),
      owner: Schema.optionalKey(line("Who fixes the test.", 100)),
      days: Schema.optionalKey(
        whole(`How many days it lasts; ${quarantineDays.default} by default.`, 1, quarantineDays.maximum)
      )
    }),
    changes: { destructive: false },
    answer: Effect.fnUntraced(function* (caller, { days, owner, reason, test: id }) {
      yield* (yield* Authorization).require(caller, ["quarantine"])
      const { repository, test } = yield* (yield* TestHistories).find(caller, TestId.make(id))
      const { app, file, kind, name, platform, prompt } = test
      const added = yield* (yield* Quarantines).add(caller, {
        ...repository,
        test: { kind, ...withoutUndefined({ app, file, name, platform, prompt }) },
        reason: QuarantineReason.make(reason),
        ...(owner === undefined ? {} : { fixer: QuarantineOwner.make(owner) }),
        ...(days === undefined ? {} : { until: { days } })
      })
      return { facts: toQuarantineRecord(added, yield* DateTime.now) }
    })
  }),

  end_quarantine: tool({
    title: "End a quarantine",
    description:
      "Ends the quarantine of a test: its next failures count again. Ask the user before. Needs a key with the scope quarantine.",
    input: Schema.Struct(test),
    changes: { destructive: true },
    answer: Effect.fnUntraced(function* (caller, { test: id }) {
      yield* (yield* Authorization).require(caller, ["quarantine"])
      yield* (yield* Quarantines).remove(caller, TestId.make(id))
      return { facts: { test: id, quarantined: false } }
    })
  })
}
