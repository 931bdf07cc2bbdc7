import { Dialect, must, type Fields } from "../dialect/Dialect.ts"
import { Session } from "../session/Session.ts"
import {
  a,
  answered2xx,
  b,
  bundleSizeBytes,
  hostedPreview,
  isRun,
  listRuns,
  listWith,
  mustAnswer,
  mustNotBeStored,
  mustNotFail,
  mustNotFailOnBodies,
  needsTwoRepositories,
  refuses,
  registerRun,
  runBranch,
  runIn,
  runName,
  sendRun,
  settled,
  storedRuns,
  toChecks,
  unlinkedRepositories,
  wrongKeyReads,
  type CheckTable
} from "./steps.ts"
import type { Credential, Json } from "../session/Exchange.ts"
import { Effect } from "effect"

const bytes = bundleSizeBytes

/** What a registration accepts. */
const registerChecks: CheckTable = {
  "runs.register.stored": {
    title: "A registered test run is in the list of its repository and branch.",
    cost: { requests: 5, bytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      yield* registerRun("first", shareId)
      yield* storedRuns(["first"])
    }
  }
}

/** Which previews and repositories a registration may name. */
const namedChecks: CheckTable = {
  "runs.register.unknown-preview": {
    title: "A registration that names a preview which doesn't exist is refused, and no run is stored.",
    cost: { requests: 2, bytes: 0 },
    *run() {
      const { unique } = yield* Session
      const what = "A registration that names a preview which doesn't exist"
      yield* refuses(sendRun("first", unique("preview")), what, "runs.register.unknown-preview")
      yield* mustNotBeStored("first", what)
    }
  }
}

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
const listedChecks: CheckTable = {
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
  }
}

/** Filters whose values and meaning the interface doesn't show: each target chooses. */
const openFilters: Readonly<Record<string, Fields>> = {
  "status.passed": { status: "passed" },
  "status.failed": { status: "failed" },
  "source.ci": { source: "ci" },
  "pr.7": { pr: 7 }
}

/** What filters the list of test runs. */
const filterChecks: CheckTable = {
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

/** In which order runs are listed. */
const orderChecks: CheckTable = {
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

/** Which keys the endpoints of test runs accept. */
const keyChecks: CheckTable = {
  ...wrongKeyReads(
    "runs",
    ["builds", "previewUpload", "withoutTestRuns"],
    { cost: { requests: 6, bytes: 0 }, readOnly: true },
    Effect.succeed([(as: Credential) => Dialect.use((dialect) => dialect.listRuns({}, as))])
  )
}

const mismatches: Readonly<Record<string, Fields>> = {
  "no-preview": { previewShareId: undefined },
  "no-repository": { owner: undefined, repo: undefined },
  "short-commit": { commitSha: "0123abc" },
  "kind-not-a-text": { kind: 1 },
  "status-not-a-text": { status: true },
  "negative-step-count": { stepCount: -1 },
  "duration-with-a-fraction": { durationMs: 1.5 },
  "step-beyond-the-last": { status: "failed", stepCount: 2, failedStepIndex: 2 }
}

const queries: Readonly<Record<string, Fields>> = {
  "unknown-kind": { kind: "espresso" },
  "unknown-status": { status: "no such status" },
  "limit-not-a-number": { limit: "many" },
  "limit-with-a-fraction": { limit: 1.5 },
  "empty-limit": { limit: "" },
  "pr-not-a-number": { pr: "many" }
}

/** A mistake of the caller must not be answered with 5xx. */
const mistakeChecks: CheckTable = {
  "runs.mistakes.register": {
    title: "A registration with an invalid field doesn't return 5xx.",
    cost: { requests: 3 + Object.keys(mismatches).length, bytes: bundleSizeBytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      for (const [mistake, fields] of Object.entries(mismatches)) {
        yield* mustNotFail("runs", `register.${mistake}`, yield* sendRun(mistake, shareId, fields))
      }
    }
  },
  "runs.mistakes.body": {
    title: "A body that isn't a JSON object doesn't return 5xx.",
    cost: { requests: 2, bytes: 40 },
    *run() {
      yield* mustNotFailOnBodies("runs", "test-runs", "register")
    }
  },
  "runs.mistakes.list": {
    title: "A list of test runs with an invalid parameter doesn't return 5xx.",
    cost: { requests: Object.keys(queries).length, bytes: 0 },
    readOnly: true,
    *run() {
      const dialect = yield* Dialect
      for (const [mistake, query] of Object.entries(queries)) {
        yield* mustNotFail("runs", `list.${mistake}`, yield* dialect.listRuns(query, a))
      }
    }
  }
}

/** The checks of the profile `testRuns`, in the order of the interface. */
export const testRunChecks = toChecks(
  registerChecks,
  namedChecks,
  listedChecks,
  filterChecks,
  orderChecks,
  keyChecks,
  mistakeChecks
)
