/**
 * The repositories of a larger team: two apps on two platforms, four weeks of CI runs and pull requests, odd names. Every failure and
 * slowdown is planned in {@link truth}, so that a test knows the right answer to each question.
 */
import { Clock, Effect, Redacted, Struct } from "effect"
import type { Caller } from "../../core/model/ApiKey.ts"
import type { ShareId } from "../../core/model/Preview.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { Administration } from "../../core/service/Administration.ts"
import { Authorization } from "../../core/service/Authorization.ts"
import { TestHistories } from "../../core/service/TestHistories.ts"
import { TestRuns } from "../../core/service/TestRuns.ts"
import type { Client } from "../client/index.ts"
import type { BundledApp } from "./bundle.ts"
import { contentOf } from "./ci.ts"
import { atItsStart, type End, pastReport, type PastCiRun, placeholderPreview } from "./history.ts"

export const owner = "slipway"
/** The repositories: one with much data, one with little, and one without any. */
export const repositories = { fleet: "fleet", kit: "harbour-kit", empty: "tide-tables" } as const

/** A test, as a key of {@link truth}: its flow, app and platform. */
interface FleetTest {
  readonly name: string
  readonly app: "customer" | "skipper"
  readonly platform: "ios" | "android"
}

const flows = [
  "Pay by card",
  "Reserve a berth",
  "Cancel a reservation",
  "Sign in with a passkey",
  "Change the language",
  "Search berths by depth",
  "Show the tide chart",
  "Chat with the harbour master",
  "Scan the gate code",
  "日本語の港を探す",
  "البحث عن مرسى",
  'Names with <b>"quotes"</b> & =1+1',
  "⛵️ Opens a shared link",
  "A reservation that begins before midnight of one day and ends after midnight of another is charged for both of them, once",
  "Reserve/Berth › with a pet (v2.1)"
] as const
const apps = ["customer", "skipper"] as const
const platforms = ["ios", "android"] as const

/** All 60 tests. */
export const fleetTests: ReadonlyArray<FleetTest> = flows.flatMap((name) =>
  apps.flatMap((app) => platforms.map((platform) => ({ name, app, platform })))
)

const test = (name: (typeof flows)[number], app: FleetTest["app"], platform: FleetTest["platform"]): FleetTest => ({
  name,
  app,
  platform
})

/** How many CI runs the main branch has, 12 hours apart. They are numbered from 0, the oldest. */
export const ciRunsOfMain = 40
const betweenMs = 12 * 3_600_000

/** What is wrong on the main branch, by the numbers of its CI runs. All other results passed. */
export const truth = {
  broken: [
    { test: test("Pay by card", "customer", "android"), since: 38, message: 'Assertion is false: "Paid" is visible' },
    { test: test("Reserve a berth", "customer", "ios"), since: 37, message: 'Assertion is false: "Paid" is visible' },
    {
      test: test("Show the tide chart", "skipper", "ios"),
      since: 29,
      message: 'Assertion is false: "High water" is visible'
    },
    { test: test("Scan the gate code", "skipper", "android"), since: 11, message: "Camera 0 is not available" }
  ],
  /** Broken by one commit and fixed by a later one: neither flaky nor intermittent. */
  fixed: [
    { test: test("Pay by card", "customer", "ios"), from: 20, until: 25 },
    { test: test("Cancel a reservation", "skipper", "ios"), from: 8, until: 9 }
  ],
  /** Passed only when they were tried again. */
  flaky: [
    { test: test("Chat with the harbour master", "customer", "ios"), runs: [3, 9, 16, 22, 28, 33, 36] },
    { test: test("⛵️ Opens a shared link", "skipper", "android"), runs: [30, 39] }
  ],
  /** Failed without being tried again, never two times in a row. */
  intermittent: [
    { test: test("Sign in with a passkey", "customer", "android"), runs: [2, 7, 13, 18, 24, 31, 37] },
    { test: test("日本語の港を探す", "skipper", "ios"), runs: [6, 14, 21, 35] }
  ],
  slower: [
    { test: test("Search berths by depth", "customer", "ios"), since: 22, by: 1.7 },
    { test: test("Reserve/Berth › with a pet (v2.1)", "skipper", "android"), since: 15, by: 1.6 }
  ],
  /** The first CI run of main that has builds. */
  builtSince: 36,
  /** The CI runs of branches, after that of main with the number `after`. What fails there beside the tests that are broken on main. */
  pulls: [
    {
      branch: "feature/pay-later",
      pr: 118,
      author: "Mira Okafor",
      message: "Pay later, by invoice",
      after: 39,
      added: [test("Pay by card", "customer", "ios")],
      flakyOnMain: [test("Sign in with a passkey", "customer", "android")]
    },
    {
      branch: "fix/日本語-検索",
      pr: 117,
      author: "Noor Haddad",
      message: "Search without regard to width",
      after: 38,
      added: [],
      flakyOnMain: [test("日本語の港を探す", "skipper", "ios")]
    },
    {
      branch: "renovate/a-branch-with-a-name-that-is-much-longer-than-any-column-of-a-table-should-ever-have-to-be",
      pr: 116,
      author: "renovate[bot]",
      message: "Update dependency react-native to v0.86.1",
      after: 36,
      added: [test("Change the language", "skipper", "ios"), test("Change the language", "skipper", "android")],
      flakyOnMain: []
    },
    { branch: "docs/readme", pr: 115, author: "Ada Berg", message: "Readme", after: 34, added: [], flakyOnMain: [] }
  ]
} as const

const authors = ["Ada Berg", "Jonas Lind", "Mira Okafor", "Noor Haddad", "吉田 花"] as const
const messages = [
  "Charge berths by the night",
  "Load pictures of boats lazily",
  "Remove the old payment form",
  "Show depths in metres",
  "Fix the keyboard of the chat"
] as const

/** What git and CI know of a CI run of the main branch. */
export const commitOfMain = (number: number) => ({
  branch: "main",
  commitSha: (0x2000_0000 + number * 0x51_7cc1).toString(16).repeat(5),
  commitMessage: `${messages[number % messages.length]} (#${60 + number})`,
  author: authors[(number * 3) % authors.length] ?? authors[0]
})
/** The same of the CI run of a pull request. */
export const commitOfPull = (pr: number) => {
  const pull = truth.pulls.find((one) => one.pr === pr) ?? truth.pulls[0]
  return {
    branch: pull.branch,
    commitSha: (pr * 0x1f_3d_5b7).toString(16).padStart(8, "f").repeat(5),
    commitMessage: pull.message,
    author: pull.author,
    pr
  }
}
export const sourceOfMain = (number: number): string => `github:91${String(4000 + number)}/1`
export const sourceOfPull = (pr: number): string => `github:92${pr}/1`

const isTest = (a: FleetTest, b: FleetTest): boolean =>
  a.name === b.name && a.app === b.app && a.platform === b.platform

const endOnMain = (one: FleetTest, number: number): End => {
  const broken = truth.broken.find(({ test }) => isTest(test, one))
  if (broken !== undefined && number >= broken.since) return { end: "failed", message: broken.message }
  if (truth.fixed.some(({ from, test, until }) => isTest(test, one) && number >= from && number < until)) {
    return { end: "failed", message: "Network request failed" }
  }
  if (truth.flaky.some(({ runs, test }) => isTest(test, one) && runs.some((run) => run === number))) {
    return { end: "flaky", message: `Timed out after ${number} s` }
  }
  if (truth.intermittent.some(({ runs, test }) => isTest(test, one) && runs.some((run) => run === number))) {
    return { end: "failed", message: 'Element not found: Text matching regex: "Continue"' }
  }
  return { end: "passed" }
}

/** A number from 0 to 1 that is the same in each demo. */
const drawn = (text: string): number => {
  let hash = 2_166_136_261
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619)
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_507)
  hash = Math.imul(hash ^ (hash >>> 13), 3_266_489_909)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}

const durationOf = (one: FleetTest, number: number): number => {
  const slower = truth.slower.find(({ test }) => isTest(test, one))
  const key = `${one.name} ${one.app} ${one.platform}`
  // The sum of draws is close to a normal distribution with a deviation of 8 %.
  const noise = [1, 2, 3].reduce((sum, at) => sum + drawn(`${key} ${number} ${at}`) - 0.5, 0) * 0.16
  return Math.round(
    1000 * (4 + 16 * drawn(key)) * (1 + noise) * (slower !== undefined && number >= slower.since ? slower.by : 1)
  )
}

const devices = {
  ios: { name: "iPhone 16", platform: "ios", osVersion: "18.4" },
  android: { name: "Pixel 9", platform: "android", osVersion: "15" }
} as const

interface FleetCiRun extends PastCiRun {
  /** The number of the CI run of main that it is, or comes after. */
  readonly number: number
  readonly endOf: (test: FleetTest) => End
}

/** Whether there are builds of a CI run: of the last ones of the main branch, and of those of branches. */
const hasBuilds = ({ git, number }: FleetCiRun): boolean => git.pr !== undefined || number >= truth.builtSince

const ciRunsUntil = (now: number): ReadonlyArray<FleetCiRun> => {
  const start = (number: number) => now - (ciRunsOfMain - 1 - number) * betweenMs - 3_600_000
  const main = Array.from({ length: ciRunsOfMain }, (_, number): FleetCiRun => ({
    source: sourceOfMain(number),
    git: commitOfMain(number),
    startedAtMs: start(number),
    number,
    endOf: (one) => endOnMain(one, number)
  }))
  const pulls = truth.pulls.map(({ added, after, branch, flakyOnMain, pr }): FleetCiRun => ({
    source: sourceOfPull(pr),
    git: commitOfPull(pr),
    startedAtMs: start(after) + 1_800_000,
    number: after,
    endOf: (one) => {
      const known = truth.broken.find(({ since, test }) => isTest(test, one) && since <= after)
      if (known !== undefined) return { end: "failed", message: known.message }
      const fails: ReadonlyArray<FleetTest> = [...added, ...flakyOnMain]
      return fails.some((failing) => isTest(failing, one))
        ? { end: "failed", message: `Assertion is false: "${branch}" is visible` }
        : { end: "passed" }
    }
  }))
  return [...main, ...pulls].toSorted((a, b) => a.startedAtMs - b.startedAtMs)
}

const reportOf = (one: FleetTest, ciRun: FleetCiRun, previewShareId: ShareId) => ({
  kind: "maestro" as const,
  name: one.name,
  app: one.app,
  file: `flows/${one.app}/${flows.findIndex((name) => name === one.name) + 1}.yaml`,
  job: `e2e (${one.app}, ${one.platform})`,
  device: devices[one.platform],
  previewShareId,
  ...withoutUndefined({ base: ciRun.git.pr === undefined ? undefined : "main" }),
  ...pastReport(ciRun, ciRun.endOf(one), durationOf(one, ciRun.number))
})

const registerAll = Effect.fnUntraced(function* (
  caller: Caller,
  repo: string,
  ciRun: FleetCiRun,
  { preview, tests }: { readonly preview: ShareId; readonly tests: ReadonlyArray<FleetTest> }
) {
  const runs = yield* TestRuns
  yield* Effect.forEach(tests, (one) => runs.register(caller, { owner, repo, report: reportOf(one, ciRun, preview) }), {
    concurrency: "unbounded",
    discard: true
  }).pipe(atItsStart(ciRun))
})

/** Uploads the builds of a CI run: one of each app and platform, all with the same content. */
const uploadBuilds = (client: Client, app: BundledApp, { git }: FleetCiRun) =>
  Effect.forEach(
    apps.flatMap((name) => platforms.map((platform) => ({ app: name, platform }))),
    (build) =>
      Effect.promise(() =>
        client.builds.upload({
          owner,
          repo: repositories.fleet,
          ...Struct.omit(git, ["pr"]),
          ...build,
          ...contentOf(app)
        })
      ),
    { discard: true }
  )

/** Links the repositories of the team and registers their runs, each at its time in the past, unless an earlier start did. Answers how many. */
export const seedFleet = Effect.fnUntraced(function* (
  client: Client,
  { account, app, key }: { readonly account: string; readonly app: BundledApp; readonly key: string }
) {
  const administration = yield* Administration
  for (const repo of Object.values(repositories)) yield* administration.linkRepository({ account, owner, repo })
  const { fleet, kit } = repositories
  yield* administration.configureRepository({
    account,
    owner,
    repo: fleet,
    webUrl: "https://github.example/slipway/fleet"
  })
  const caller = yield* (yield* Authorization).authenticate(Redacted.make(key))
  const before = yield* (yield* TestHistories).ciRuns(caller, { owner, repo: fleet, limit: 100 })
  const seeded = new Set(before.ciRuns.map(({ source }) => source))
  const ciRuns = ciRunsUntil(yield* Clock.currentTimeMillis).filter(({ source }) => !seeded.has(source))
  if (ciRuns.length === 0) return 0
  const preview = yield* placeholderPreview(client, { owner, repo: fleet })
  for (const ciRun of ciRuns) {
    if (hasBuilds(ciRun)) yield* uploadBuilds(client, app, ciRun)
    yield* registerAll(caller, fleet, ciRun, { preview, tests: fleetTests })
  }
  const little = ciRuns.slice(-1).map(({ startedAtMs, number }): FleetCiRun => {
    return { source: sourceOfMain(0), git: commitOfMain(0), startedAtMs, number, endOf: () => ({ end: "passed" }) }
  })
  const kitPreview = yield* placeholderPreview(client, { owner, repo: kit })
  for (const ciRun of little) {
    yield* registerAll(caller, kit, ciRun, { preview: kitPreview, tests: fleetTests.slice(0, 3) })
  }
  return ciRuns.length * fleetTests.length + 3 * little.length
})
