/** Six weeks of CI of the demo's repository, as its history shows them: results, most of them without recordings. */
import { Clock, DateTime, Effect, Redacted, Struct } from "effect"
import { importedEntry } from "../../core/rules/imports.ts"
import { ShareId } from "../../core/model/Preview.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { Authorization } from "../../core/service/Authorization.ts"
import { TestRuns } from "../../core/service/TestRuns.ts"
import { placeholder } from "../ci/import/placeholder.ts"
import type { Client } from "../client/index.ts"
import { demoRuns, lastCiRuns, provenance, repository } from "./account.ts"
import type { BundledApp } from "./bundle.ts"
import { uploadPreview } from "./ci.ts"

/** A test, and how its runs end, by the number of later CI runs of the branch. */
interface DemoTest {
  readonly kind: "maestro" | "detox"
  readonly name: string
  readonly seconds: number
  readonly ends?: (age: number) => "failed" | "flaky" | undefined
  readonly slower?: (age: number) => number
  readonly message?: string
  /** The folders of the runs that have recordings, by the same number. */
  readonly recorded?: Readonly<Record<number, string>>
  readonly tags?: ReadonlyArray<string>
}

/** The commit that broke a test, and how many CI runs of the main branch have it. */
export const breaking = {
  commitSha: "0bad5ea5".repeat(5),
  commitMessage: "Reserve slips by the hour",
  author: "Mira Okafor",
  ciRuns: 6
}

/** The messages and the authors of the other commits, in turn. */
const changes = [
  ["Show the wind beside each slip", "Ada Berg"],
  ["Load pictures of boats when they are near the screen", "Jonas Lind"],
  ["Update React Native", "Mira Okafor"],
  ["Sort slips by length and depth", "Ada Berg"],
  ["Fix the back button of a reservation", "Noor Haddad"]
] as const

/** Two of them are flaky, one is broken, and one gets slower. */
export const demoTests: ReadonlyArray<DemoTest> = [
  { kind: "maestro", name: "Counting people at the gate", seconds: 3.5 },
  { kind: "maestro", name: "Settings › shows lengths in feet", seconds: 3.3 },
  { kind: "maestro", name: "Opening the harbour", seconds: 5, tags: ["smoke"] },
  { kind: "maestro", name: "Browsing the slips", seconds: 9, tags: ["smoke"] },
  {
    kind: "maestro",
    name: "Searching a slip by name",
    seconds: 12,
    ends: (age) => (age % 7 === 3 ? "flaky" : age % 29 === 8 ? "failed" : undefined),
    message: 'Element not found: Text matching regex: "Corncrake"'
  },
  {
    kind: "maestro",
    name: "Reserving a slip",
    tags: ["smoke", "money"],
    seconds: 4,
    ends: (age) => (age < breaking.ciRuns ? "failed" : undefined),
    message: 'Assertion is false: "In berth" is visible',
    recorded: { [breaking.ciRuns]: "reserve-passed", [breaking.ciRuns - 1]: "reserve-failed", 0: "reserve-failed" }
  },
  { kind: "maestro", name: "Cancelling a reservation", seconds: 16 },
  { kind: "detox", name: "Slips › sorts by length", seconds: 8 },
  {
    kind: "detox",
    name: "Slips › shows a picture of each boat",
    seconds: 10,
    slower: (age) => 1 + Math.max(0, 40 - age) / 25
  },
  {
    kind: "detox",
    name: "Weather › updates while it is shown",
    seconds: 20,
    ends: (age) => (age % 5 === 1 ? "flaky" : undefined),
    message: "Timed out while waiting for expectation: TOBEVISIBLE WITH MATCHER(id == “wind”) TIMEOUT(5s)"
  },
  { kind: "detox", name: "Settings › keeps the theme", seconds: 7 },
  { kind: "detox", name: "Settings › signs out", seconds: 6 }
]

/** A CI run of the past. */
export interface PastCiRun {
  readonly source: string
  readonly git: {
    readonly branch: string
    readonly commitSha: string
    readonly commitMessage: string
    readonly author: string
    readonly pr?: number
  }
  readonly startedAtMs: number
}

/** A CI run of the demo's repository. `age` counts the later ones of its branch. */
interface DemoCiRun extends PastCiRun {
  readonly age: number
  readonly tests: ReadonlyArray<DemoTest>
}

const ciRunsOfMain = 60
const betweenMs = (42 * 86_400_000) / ciRunsOfMain

/** Those of six weeks, oldest first; the last ones without the tests that have recordings. */
const ciRunsUntil = (now: number): ReadonlyArray<DemoCiRun> => {
  const earlier = Array.from({ length: ciRunsOfMain - 1 }, (_, index): DemoCiRun => {
    const age = ciRunsOfMain - 1 - index
    const [commitMessage, author] = changes[index % changes.length] ?? changes[0]
    const commit =
      age === breaking.ciRuns - 1
        ? Struct.omit(breaking, ["ciRuns"])
        : { commitSha: (0x1000_0000 + index * 0x9_e377).toString(16).repeat(5), commitMessage, author }
    const startedAtMs = Math.round(now - (age + 0.1) * betweenMs)
    return { source: `demo:${4200 + index}/1`, git: { ...provenance, ...commit }, startedAtMs, age, tests: demoTests }
  })
  const last = lastCiRuns.map(({ git, source }): DemoCiRun => {
    const recorded: ReadonlySet<string> = new Set(
      demoRuns.filter((run) => run.source === source).map(({ name }) => name)
    )
    const tests = demoTests.filter(({ name }) => !recorded.has(name))
    return { source, git, startedAtMs: Math.round(now - 0.1 * betweenMs), age: 0, tests }
  })
  return [...earlier, ...last]
}

/** How the run of a test ended. */
export interface End {
  readonly end: "passed" | "failed" | "flaky" | undefined
  readonly message?: string | undefined
}

/** What a run reports of its end: one that is flaky failed at first. */
const endReport = ({ end, message }: End, durationMs: number) => {
  const failure = { status: "failed" as const, durationMs, ...withoutUndefined({ failureMessage: message }) }
  const success = { status: "passed" as const, durationMs }
  return end === "flaky"
    ? { ...success, durationMs: 2 * durationMs, attempts: [failure, success] }
    : end === "failed"
      ? failure
      : success
}

/** What each run of a CI run reports. */
export const pastReport = ({ git, source, startedAtMs }: PastCiRun, end: End, durationMs: number) => ({
  source,
  ...Struct.pick(git, ["branch", "commitSha", "commitMessage", "author"]),
  ...withoutUndefined({ pr: git.pr }),
  startedAt: DateTime.makeUnsafe(startedAtMs),
  ...endReport(end, durationMs)
})

const reportOf = (test: DemoTest, ciRun: DemoCiRun) => {
  const { ends, kind, message, name, seconds, slower, tags } = test
  const { age } = ciRun
  // Equal in each demo, and different in each run.
  const spread = 0.9 + (((age * 7919 + name.length * 104_729) % 100) / 100) * 0.25
  const durationMs = Math.round(seconds * 1000 * (slower?.(age) ?? 1) * spread)
  return { kind, name, ...withoutUndefined({ tags }), ...pastReport(ciRun, { end: ends?.(age), message }, durationMs) }
}

/** Does what happened in a CI run at its time: the clock stands at its start. */
export const atItsStart =
  ({ startedAtMs }: PastCiRun) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Clock.Clock, (clock) =>
      Effect.provideService(effect, Clock.Clock, {
        currentTimeMillisUnsafe: () => startedAtMs,
        currentTimeMillis: Effect.succeed(startedAtMs),
        currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
        currentTimeNanos: clock.currentTimeNanos,
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: clock.monotonicTimeNanos,
        sleep: (duration) => clock.sleep(duration)
      })
    )

/** Uploads the preview of runs without recordings, as an import does. */
export const placeholderPreview = Effect.fnUntraced(function* (
  client: Client,
  of: { readonly owner: string; readonly repo: string }
) {
  const bundle = { body: placeholder("Maestro", of), contentType: "text/javascript" }
  const preview = yield* Effect.promise(() =>
    client.previews.upload({ ...of, entry: importedEntry, isTransformed: true, billingKind: "test_run", bundle })
  )
  return ShareId.make(preview.shareId)
})

/** Registers the runs of six weeks, each at its time in the past, unless an earlier start of the demo did. Answers how many. */
export const seedHistory = Effect.fnUntraced(function* (client: Client, key: string, app: BundledApp) {
  const runs = yield* TestRuns
  const caller = yield* (yield* Authorization).authenticate(Redacted.make(key))
  const ciRuns = ciRunsUntil(yield* Clock.currentTimeMillis)
  const [first] = ciRuns
  const before = yield* runs.list(caller, { ...repository, filter: { source: first?.source }, limit: 1 })
  if (before.runs.length > 0) return 0
  const previewShareId = yield* placeholderPreview(client, repository)
  for (const ciRun of ciRuns) {
    yield* Effect.forEach(
      ciRun.tests,
      Effect.fnUntraced(function* (test) {
        const report = { ...reportOf(test, ciRun), previewShareId }
        const folder = test.recorded?.[ciRun.age]
        if (folder === undefined) return yield* runs.register(caller, { ...repository, report })
        const { preview, recorded } = yield* Effect.promise(() =>
          uploadPreview(client, app, { folder, git: ciRun.git })
        )
        const own = {
          ...Struct.omit(recorded, ["recordings"]),
          previewShareId: ShareId.make(preview.shareId)
        }
        return yield* runs.register(caller, { ...repository, report: { ...report, ...own } })
      }),
      { concurrency: "unbounded", discard: true }
    ).pipe(atItsStart(ciRun))
  }
  return ciRuns.reduce((sum, { tests }) => sum + tests.length, 0)
})
