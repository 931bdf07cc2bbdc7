import { Effect } from "effect"
import { Dialect, type Fields, type Listed } from "../../dialect/Dialect.ts"
import { must, testedBy } from "../../dialect/Violation.ts"
import type { Json } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import type { CheckTable } from "../steps/Check.ts"
import { a, b, keyOf, needsTwoRepositories, otherRepositories, unlinkedRepositories } from "../steps/accounts.ts"
import { answered2xx, mustAnswer, refuses } from "../steps/answers.ts"
import { eventually, settled } from "../steps/eventually.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { hostedPreview } from "../steps/previews.ts"
import {
  isRun,
  listRuns,
  listWith,
  mustListAll,
  mustNotBeStored,
  registerRun,
  runBranch,
  runIn,
  runName,
  storedRuns
} from "../steps/runs.ts"

const bytes = bundleSizeBytes

const without = (parameter: "org" | "repo"): CheckTable => ({
  [`runs.list.without-${parameter}`]: {
    title: `A list of test runs without \`${parameter}\` is refused.`,
    cost: { requests: 1, bytes: 0 },
    readOnly: true,
    *run() {
      const dialect = yield* Dialect
      const asked = dialect.listRuns({ [parameter]: undefined }, a)
      yield* refuses(asked, `A list of test runs without ${parameter}`, `runs.list.without-${parameter}`)
    }
  }
})

/** The repository and branch whose runs are listed, and the accounts that may list them. */
export const listedChecks: CheckTable = {
  "runs.list.repository-alone": {
    title: "The list of test runs needs no parameter except `org` and `repo`.",
    cost: { requests: 1, bytes: 0 },
    readOnly: true,
    *run() {
      const dialect = yield* Dialect
      const { observe } = yield* Session
      const answer = yield* dialect.listRuns({}, a)
      yield* mustAnswer(answer, "The list of test runs of a linked repository")
      yield* dialect.listed(answer)
      yield* observe("runs.list.status", answer.status)
    }
  },
  "runs.list.of-every-branch": {
    title: "The list of test runs has runs of every branch when no branch is asked for.",
    cost: { requests: 5, bytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      yield* registerRun("first", shareId)
      const name = yield* runName("first")
      const has = (listed: Listed) => runIn(listed, name) !== undefined
      const listed = yield* eventually(listRuns({ branch: undefined }), has)
      yield* must(has(listed), "A list without a branch has a run that was just registered.", "It was without it.")
    }
  },
  ...without("org"),
  ...without("repo"),
  "runs.list.unlinked-repository": {
    title: "A list of the test runs of a repository that is not linked to the account is refused.",
    cost: { requests: 2, bytes: 0 },
    readOnly: true,
    *run() {
      const dialect = yield* Dialect
      for (const { owner, repo } of yield* unlinkedRepositories) {
        const asked = dialect.listRuns({ org: owner, repo }, a)
        yield* refuses(asked, "A list for a repository that is not linked", "runs.list.unlinked-repository")
      }
    }
  },
  "runs.list.foreign-repository": {
    title: "A list of the test runs of another account's repository is refused, and the refusal has no run in it.",
    cost: { requests: 7, bytes },
    *run() {
      yield* needsTwoRepositories
      const dialect = yield* Dialect
      const { config } = yield* Session
      const { shareId } = yield* hostedPreview("preview")
      yield* registerRun("first", shareId)
      const { owner, repo } = config.accounts.a.linked
      const query = { org: owner, repo, branch: yield* runBranch, limit: 100 }
      // What was answered to the account may be in a cache.
      yield* mustAnswer(yield* dialect.listRuns(query, a), "The list of test runs of a linked repository")
      const asked = dialect.listRuns(query, b)
      const what = "A list for another account's repository"
      const answer = yield* refuses(settled(asked), what, "runs.list.foreign-repository")
      yield* must(!answer.text.includes(yield* runName("first")), `${what} returns no run of it.`, answer.text)
      const { linked } = config.accounts.b
      const ofB = dialect.listRuns({ ...query, org: linked.owner, repo: linked.repo }, a)
      yield* refuses(ofB, what, "runs.list.foreign-repository")
    }
  },
  "runs.list.of-its-repository": {
    title: "The list of test runs is without those of another repository's branch of the same name.",
    cost: { requests: 6, bytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      yield* registerRun("first", shareId)
      for (const { account, repository } of yield* otherRepositories) {
        const { owner, repo } = repository
        yield* mustNotBeStored("first", "A run of another repository", { org: owner, repo }, keyOf(account))
      }
    }
  }
}

/** A filtered list must have the run that fits and not the other. */
const filter = (
  id: string,
  title: string,
  filtersOf: (branch: string) => ReadonlyArray<{ readonly fitting: Fields; readonly other: Fields }>,
  count = 1
): CheckTable => ({
  [`runs.list.filter-${id}`]: {
    title,
    cost: { requests: 3 + 3 * count, bytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      for (const [index, { fitting, other }] of filtersOf(yield* runBranch).entries()) {
        const labels = [`other ${index}`, `fitting ${index}`] as const
        yield* registerRun(labels[0], shareId, other)
        yield* registerRun(labels[1], shareId, fitting)
        const [otherName, fittingName] = [yield* runName(labels[0]), yield* runName(labels[1])]
        const has = (listed: Listed, name: string) => runIn(listed, name) !== undefined
        const listed = yield* eventually(listRuns(fitting), (listed) => has(listed, fittingName))
        const text = `A list filtered by ${JSON.stringify(fitting)}`
        yield* must(has(listed, fittingName), `${text} has the run that fits.`, "It was without it.")
        yield* must(!has(listed, otherName), `${text} is without the run that doesn't fit.`, "It had it.")
        const fits = listed.runs.filter(({ json }) => isRun(json, fittingName))
        const isOnce = must(fits.length === 1, `${text} has a run once.`, `It had it ${fits.length} times.`)
        yield* testedBy("runs.register.stored")(isOnce)
        const isPassed = must(
          fits.every(({ passed }) => passed),
          `${text} has a passed run as passed.`,
          "It was failed."
        )
        yield* testedBy("runs.status.passed")(isPassed)
      }
    }
  }
})

const kind = (fitting: string, other: string): CheckTable =>
  filter(fitting, `The list filtered by the kind \`${fitting}\` has the runs of that kind and no other.`, () => [
    { fitting: { kind: fitting }, other: { kind: other } }
  ])

/** Filters whose values and meaning the interface doesn't show: each target chooses. */
const openFilters: Readonly<Record<string, Fields>> = {
  "status.passed": { status: "passed" },
  "status.failed": { status: "failed" },
  "source.ci": { source: "ci" },
  "pr.7": { pr: 7 }
}

/** Names of branches, each with one that isn't it: it begins like it, or fits it as a pattern, or is written otherwise. */
const likeBranches = (branch: string): ReadonlyArray<readonly [fitting: string, other: string]> => [
  [branch, `${branch}-too`],
  [`${branch}_a`, `${branch}-a`],
  [`${branch}%`, `${branch}-any`],
  [`${branch}/\u00e9`, `${branch}/e\u0301`]
]

/** What filters the list of test runs. */
export const filterChecks: CheckTable = {
  ...filter(
    "branch",
    "The list filtered by a branch has the runs of that branch, and none of a branch whose name is like its name.",
    (branch) =>
      likeBranches(branch).map(([fitting, other]) => ({ fitting: { branch: fitting }, other: { branch: other } })),
    4
  ),
  ...kind("maestro", "detox"),
  ...kind("detox", "maestro"),
  "runs.list.other-filters": {
    title: "The list accepts `status`, `source` and `pr`, or refuses their values.",
    cost: { requests: 10, bytes },
    *run() {
      const dialect = yield* Dialect
      const { config, observe } = yield* Session
      const { shareId } = yield* hostedPreview("preview")
      yield* registerRun("passed", shareId, { status: "passed", source: "ci", pr: 7 })
      yield* registerRun("failed", shareId, { status: "failed", source: "nightly", pr: 8 })
      yield* storedRuns(["passed", "failed"])
      const names = [yield* runName("passed"), yield* runName("failed")]
      for (const [situation, query] of Object.entries(openFilters)) {
        const answer = yield* dialect.listRuns({ branch: yield* runBranch, limit: 100, ...query }, a)
        yield* must(answer.status < 500, "A filter doesn't return 5xx.", `${situation}: ${answer.status}`)
        const listed = answered2xx(answer) ? yield* dialect.listed(answer) : undefined
        const seen: Json = listed === undefined ? answer.status : names.map((name) => runIn(listed, name) !== undefined)
        yield* observe(`runs.list.filter.${situation}`, seen)
      }
      const { statusFilter } = config.bindings
      for (const [wanted, other] of statusFilter === undefined ? [] : [names, names.toReversed()]) {
        const status = statusFilter?.[wanted === names[0] ? "passed" : "failed"]
        const listed = yield* listRuns({ status })
        const isRight = runIn(listed, wanted ?? "") !== undefined && runIn(listed, other ?? "") === undefined
        const expected = `The list filtered by the status ${status}, as \`statusFilter\` of the config says, has just the runs of that status.`
        yield* must(isRight, expected, listed.answer.text)
      }
    }
  }
}

const mustList = Effect.fnUntraced(function* (limit: number, expected: number, as = a) {
  const { runs } = yield* eventually(listRuns({ limit }, as), ({ runs }) => runs.length === expected)
  yield* must(
    runs.length === expected,
    `A list with the limit ${limit} of a branch with more runs has ${expected}.`,
    `It had ${runs.length}.`
  )
})

const ofThree = (id: string, title: string, limits: Readonly<Record<string, number>>): CheckTable => ({
  [id]: {
    title,
    cost: { requests: 7 + Object.keys(limits).length, bytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      const labels = ["first", "second", "third"]
      for (const label of labels) yield* registerRun(label, shareId)
      yield* storedRuns(labels)
      for (const [limit, expected] of Object.entries(limits)) yield* mustList(Number(limit), expected)
    }
  }
})

/** The most runs in one list. */
const most = 100

/** Limits above it: the next one, a common one, and those that don't fit 32 bits. */
const above = [most + 1, 150, 1000, 2 ** 31, 2 ** 32 + 1]

/** A target may store times in whole seconds, so two runs this far apart in milliseconds have different times. */
const apartMs = 1100

/** Waits for this time. It lists now and then, because the clock of a recording advances only with its exchanges. */
const untilApart = Effect.gen(function* () {
  const session = yield* Session
  const end = (yield* session.now) + apartMs
  while ((yield* session.now) < end) {
    for (let pause = 0; pause < 5; pause++) yield* session.pause
    yield* listRuns()
  }
})

/** How many runs are listed, and in which order. */
export const limitChecks: CheckTable = {
  ...ofThree("runs.list.limit", "A list of three runs with the limit 2 has two.", { "2": 2 }),
  ...ofThree("runs.list.limit-lower", "A limit below 1 counts as 1.", { "0": 1, "-5": 1 }),
  "runs.list.limit-upper": {
    title: "A limit above 100 counts as 100, no list has more than 100 runs, and one without a limit isn't empty.",
    cost: { requests: most + 6 + above.length, bytes },
    *run() {
      // By account b, so that these runs are in no list of another check.
      const key = keyOf("b")
      const { shareId } = yield* hostedPreview("preview", { account: "b" })
      const withoutLimit = listRuns({ limit: undefined }, key)
      yield* registerRun("run 0", shareId, {}, key)
      const { runs: only } = yield* eventually(withoutLimit, ({ runs }) => runs.length === 1)
      yield* must(only.length === 1, "A list without a limit has the only run of its branch.", `It had ${only.length}.`)
      for (let run = 1; run <= most; run++) yield* registerRun(`run ${run}`, shareId, {}, key)
      for (const limit of above) yield* mustList(limit, most, key)
      const { runs } = yield* withoutLimit
      yield* must(runs.length <= most, `A list without a limit has at most ${most} runs.`, `It had ${runs.length}.`)
    }
  },
  "runs.list.newest-of-many": {
    title:
      "Of more than a hundred runs, a list with the limit 2 has the two newest, and a longer one begins with them.",
    cost: { requests: most + 20, bytes },
    *run() {
      const key = keyOf("b")
      const { shareId } = yield* hostedPreview("preview", { account: "b" })
      const last = ["last but one", "last"]
      for (let run = 0; run < most; run++) yield* registerRun(`run ${run}`, shareId, {}, key)
      yield* untilApart
      // The others passed: an order by status would have these last.
      for (const label of last) yield* registerRun(label, shareId, { status: "failed" }, key)
      const names = yield* Effect.forEach(last, runName)
      const leads = ({ runs }: Listed) => names.every((name) => runs.slice(0, 2).some(({ json }) => isRun(json, name)))
      for (const limit of [2, most]) {
        const listed = yield* eventually(listRuns({ limit }, key), leads)
        const came = listed.runs.slice(0, 2).map(({ json }) => json)
        yield* must(leads(listed), `A list with the limit ${limit} begins with the two newest runs.`, came)
      }
    }
  },
  "runs.list.equal-runs": {
    title: "Two runs of one name and commit are both listed.",
    cost: { requests: 6, bytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      yield* registerRun("same", shareId, { status: "failed", durationMs: 1000 })
      yield* registerRun("same", shareId, { status: "passed", durationMs: 2000 })
      yield* mustListAll(2)
    }
  },
  "runs.list.newest-first": {
    title: "The list of test runs is newest first.",
    cost: { requests: 20, bytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      yield* registerRun("older", shareId, { status: "failed" })
      yield* untilApart
      yield* registerRun("newer", shareId)
      const { runs } = yield* listWith(["older", "newer"])
      const newer = yield* runName("newer")
      const [first] = runs.map(({ json }) => json)
      yield* must(isRun(first, newer), `The run ${newer}, which was registered last, is first.`, first)
    }
  }
}
