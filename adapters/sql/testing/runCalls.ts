/** Calls of the ports of test runs and their histories, and of the lists for the pages. */
import { Effect, Option } from "effect"
import { BuildId } from "../../../core/model/Build.ts"
import { ReservationId } from "../../../core/model/Reservation.ts"
import { TestId } from "../../../core/model/TestHistory.ts"
import { TestRunId, type RunCursor } from "../../../core/model/TestRun.ts"
import { OverviewStore } from "../../../core/ports/OverviewStore.ts"
import { TestHistoryStore } from "../../../core/ports/TestHistoryStore.ts"
import { TestRunStore, type RunFilter } from "../../../core/ports/TestRunStore.ts"
import { ciRunOf, testIdOf } from "../../../core/rules/testIdentity.ts"
import { keyOf } from "../../kit/parts/buildPorts.ts"
import { changeWith } from "../../kit/parts/histories.ts"
import type { Prepared } from "./calls.ts"
import { instant, makeOnce, makeRun } from "../../kit/parts/samples.ts"

/** The field values of most runs, and those of only a few. */
export const common = { branch: "main", source: "ci", pr: 1, kind: "maestro", status: "passed" } satisfies RunFilter
export const rare = { branch: "rare", source: "rare", pr: 2, kind: "detox", status: "failed" } satisfies RunFilter

/** The calls of test runs and histories, to be made once and in order. */
export const runCalls = Effect.fnUntraced(function* ({ account, preview, repository, run, once }: Prepared) {
  const runs = yield* TestRunStore
  const histories = yield* TestHistoryStore
  const at = keyOf(repository)
  const list = (filter: RunFilter, after: Option.Option<RunCursor> = Option.none()) =>
    runs.list({ account: account.id, repository: at, filter, after, limit: 10, bytes: 2 ** 20 })
  const withHistories = <E, R>(steps: () => Generator<Effect.Effect<unknown, E, R>, void, never>) =>
    Effect.provideService(Effect.gen(steps), TestHistoryStore, histories)
  const testId = testIdOf(run)
  const tests = { account: account.id, repository: at, filter: {}, order: { by: "newest" }, limit: 10 } as const
  const ciRuns = { account: account.id, repository: at, limit: 10 }
  const ofBranch = { branch: common.branch }
  const middle = Option.some({ createdAt: instant(500_000_000), id: TestRunId.make("x") })

  return {
    "TestRunStore.loadForRegister": runs.loadForRegister(account.id, at, preview.shareId),
    "TestRunStore.insert": runs.insert({ run: makeRun(repository, preview) }),
    "TestRunStore.insert, kept": runs.insert({ run: makeRun(repository, preview), once: makeOnce(account) }),
    "TestRunStore.insert, answered already": Effect.flip(runs.insert({ run: makeRun(repository, preview), once })),
    "TestRunStore.insert, with its history": withHistories(function* () {
      const again = makeRun(repository, preview, { name: "Checkout", branch: "main", source: "ci" })
      yield* runs.insert({ run: again, history: yield* changeWith(again) })
    }),
    "TestRunStore.insert, of a new test": withHistories(function* () {
      const first = makeRun(repository, preview, { name: "New", branch: "main", source: "ci" })
      yield* runs.insert({ run: first, history: { ...(yield* changeWith(first)), evicted: TestId.make("old") } })
    }),
    "TestHistoryStore.loadForRun": histories.loadForRun({
      repositoryId: repository.id,
      testId,
      branch: run.branch,
      ciRun: ciRunOf(run)
    }),
    "TestHistoryStore.storedRuns": histories.storedRuns(testId, { limit: 10, bytes: 2 ** 20 }),
    "TestHistoryStore.room": histories.room(repository.id, 10),
    "TestHistoryStore.list": histories.list(tests),
    "TestHistoryStore.list, of a branch, behind a test": histories.list({
      ...tests,
      filter: ofBranch,
      order: { by: "newest", after: { lastRunAt: instant(1e6), testId } }
    }),
    "TestHistoryStore.list, of failed tests": histories.list({ ...tests, filter: { ...ofBranch, status: "failed" } }),
    "TestHistoryStore.list, of passed tests": histories.list({ ...tests, filter: { ...ofBranch, status: "passed" } }),
    "TestHistoryStore.list, of flaky tests": histories.list({
      ...tests,
      filter: { ...ofBranch, flakySince: instant(0) }
    }),
    "TestHistoryStore.list, of a text": histories.list({
      ...tests,
      filter: { ...ofBranch, text: "none", app: "none" }
    }),
    "TestHistoryStore.list, of a tag and a device": histories.list({
      ...tests,
      filter: { ...ofBranch, tag: "none", device: "none" }
    }),
    "TestHistoryStore.list, of slow tests": histories.list({ ...tests, filter: ofBranch, order: { by: "slowest" } }),
    "TestHistoryStore.find": histories.find(account.id, testId, undefined),
    "TestHistoryStore.findEach": histories.findEach(account.id, [testId], common.branch),
    "TestHistoryStore.branchesOf": histories.branchesOf(account.id, testId, 10),
    "TestHistoryStore.ciRuns": histories.ciRuns(ciRuns),
    "TestHistoryStore.ciRuns, of a branch, behind one": histories.ciRuns({
      ...ciRuns,
      ...ofBranch,
      after: { startedAt: instant(1e6), ciRun: "x" }
    }),
    "TestHistoryStore.searchTests": histories.searchTests(account.id, "a", 10),
    "TestHistoryStore.searchCiRuns, of a pull request": histories.searchCiRuns(account.id, { pr: common.pr }, 10),
    "TestHistoryStore.searchCiRuns, of a commit": histories.searchCiRuns(account.id, { commit: "abcd" }, 10),
    "TestHistoryStore.searchCiRuns, of a branch": histories.searchCiRuns(account.id, { branch: common.branch }, 10),
    "TestHistoryStore.findCiRun": histories.findCiRun(account.id, at, ciRunOf(run)),
    "TestHistoryStore.saveImports": histories.saveImports({
      repositoryId: repository.id,
      accountId: account.id,
      ciRun: "source-new",
      startedAt: instant(1),
      passed: 0,
      failed: 0,
      flaky: 0,
      runs: 0,
      durationMs: 0,
      imports: [{ id: "maestro", expectedRuns: 1, openedAt: 1 }],
      importsVersion: 1
    }),
    "TestHistoryStore.branches": histories.branches(account.id, at),
    "TestRunStore.find": runs.find(account.id, run.id),
    "TestRunStore.list": list({}),
    "TestRunStore.list, behind a run": list({}, middle),
    "TestRunStore.list, of a branch": list({ branch: common.branch }),
    "TestRunStore.list, of a source": list({ source: common.source }),
    "TestRunStore.list, of a CI run": list({ ciRun: common.source }),
    "TestRunStore.list, of a pull request": list({ pr: common.pr }),
    "TestRunStore.list, of an app": list({ app: "rider" }),
    "TestRunStore.list, of a kind": list({ kind: common.kind }),
    "TestRunStore.list, of a status": list({ status: common.status }),
    "TestRunStore.list, of everything": list(common),
    "TestRunStore.list, of everything, behind a run": list(common, middle)
  } satisfies Record<string, Effect.Effect<unknown, unknown>>
})

/** The calls of the lists for the pages. */
export const overviewCalls = Effect.fnUntraced(function* ({ account, build, preview, repository, run }: Prepared) {
  const overview = yield* OverviewStore
  const at = keyOf(repository)
  const buildsOf = { account: account.id, repository: at, limit: 10 }

  return {
    "OverviewStore.branches": overview.branches({ account: account.id, limit: 10 }),
    "OverviewStore.branches, of a repository": overview.branches(buildsOf),
    "OverviewStore.builds": overview.builds(buildsOf),
    "OverviewStore.builds, of a platform": overview.builds({ ...buildsOf, platform: "android" }),
    "OverviewStore.builds, of an app": overview.builds({ ...buildsOf, app: "rider" }),
    "OverviewStore.builds, of a branch": overview.builds({ ...buildsOf, branch: common.branch }),
    "OverviewStore.builds, of a branch and a platform": overview.builds({
      ...buildsOf,
      branch: common.branch,
      platform: "android"
    }),
    "OverviewStore.builds, behind a build": overview.builds({ ...buildsOf, after: BuildId.make("b5") }),
    "OverviewStore.builds, of a branch, behind a build": overview.builds({
      ...buildsOf,
      branch: common.branch,
      after: BuildId.make("b5")
    }),
    "OverviewStore.uploads": overview.uploads(account.id, build.id, 10),
    "OverviewStore.runs": overview.runs(account.id, 10),
    "OverviewStore.runsOf": overview.runsOf(account.id, preview.shareId, 10),
    "OverviewStore.previews": overview.previews({ account: account.id, repository: at, limit: 10 }),
    "OverviewStore.previews, without those of test runs": overview.previews({
      account: account.id,
      repository: at,
      isTestRun: false,
      limit: 10
    }),
    "OverviewStore.previews, behind a preview": overview.previews({
      account: account.id,
      repository: at,
      after: ReservationId.make("p5"),
      limit: 10
    }),
    "OverviewStore.neighbours": overview.neighbours(account.id, run.id),
    "OverviewStore.billedSince": overview.billedSince(account.id, instant(0))
  } satisfies Record<string, Effect.Effect<unknown, unknown>>
})
