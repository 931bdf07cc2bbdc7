import { Effect } from "effect"
import type { Answer, Json } from "../../session/Exchange.ts"
import { accountOf, by, querying } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import type { MutantTable } from "../parts/Mutant.ts"
import {
  answer,
  asking,
  at,
  failure,
  continuing,
  instead,
  isDone,
  outright,
  refusing,
  withBody,
  changingFields
} from "../parts/fronts.ts"
import { forEither, isUnlinked } from "../parts/isolation.ts"
import { items, members } from "../parts/json.ts"

/** The runs in a list as the reference host answers it. */
export const runsIn = ({ json }: Answer): ReadonlyArray<Json> => items(members(json).testRuns)

const list = at("runs.list")
const lacking = (parameter: string) => at("runs.list", ({ query }) => query[parameter] === undefined)

const unneeded = (parameter: "org" | "repo"): MutantTable => ({
  [`runs.list.${parameter}-unneeded`]: [
    `A list without \`${parameter}\` is answered for the account's repository.`,
    `runs.list.without-${parameter}`,
    asking(lacking(parameter), (call, { config }) => {
      const { owner, repo } = config.accounts.a.linked
      return querying(call, { org: owner, repo })
    })
  ]
})

/** Adds the runs of the other account to the list of an account. */
const ofBoth: Front = continuing(list, (own, call, ask, { config }) => {
  const other = accountOf(call) === "a" ? "b" : "a"
  const { owner, repo } = config.accounts[other].linked
  return Effect.map(ask(querying(by(call, other), { org: owner, repo })), (others) =>
    isDone(own) ? withBody(own, { testRuns: [...runsIn(own), ...runsIn(others)] }) : own
  )
})

/** The repository and branch whose runs are listed, and the accounts that may list them. */
export const listedMutants: MutantTable = {
  "runs.list.empty": [
    "The list of test runs is always empty.",
    [
      "runs.register.stored",
      "runs.list.of-every-branch",
      "runs.list.filter-branch",
      "runs.list.filter-maestro",
      "runs.list.filter-detox",
      "runs.list.limit-upper",
      "runs.list.newest-of-many"
    ],
    changingFields(list, () => ({ testRuns: [] }))
  ],
  "runs.list.branch-required": [
    "A list is refused without a branch.",
    "runs.list.repository-alone",
    refusing(lacking("branch"))
  ],
  "runs.list.limit-required": [
    "A list is refused without a limit.",
    "runs.list.repository-alone",
    refusing(lacking("limit"))
  ],
  "runs.list.default-branch": [
    "A list without a branch has the runs of the branch `main`.",
    "runs.list.of-every-branch",
    asking(lacking("branch"), (call) => querying(call, { branch: "main" }))
  ],
  ...unneeded("org"),
  ...unneeded("repo"),
  "runs.list.unlinked-empty": [
    "The list of a repository that is linked to no account is answered 200, and is empty.",
    "runs.list.unlinked-repository",
    outright(
      at("runs.list", ({ query }, target) => isUnlinked(query.org, query.repo, target)),
      answer(200, { testRuns: [] })
    )
  ],
  "runs.list.foreign-shown": [
    "The list of another account's repository is shown.",
    "runs.list.foreign-repository",
    forEither(list)
  ],
  "runs.list.repository-ignored": [
    "The list of a repository has the runs of every account's repositories.",
    "runs.list.of-its-repository",
    ofBoth
  ]
}

/** Adds the runs of branches whose names begin with the requested one. */
const byPrefix: Front = (ask, ...host) => {
  const branches = new Set<string>()
  const listed = continuing(at("runs.list"), (own, call, ask) => {
    const { branch } = call.query
    const others = [...branches].filter((name) => name !== branch && name.startsWith(String(branch)))
    return Effect.map(
      Effect.forEach(others, (branch) => ask(querying(call, { branch }))),
      (more) => (isDone(own) ? withBody(own, { testRuns: [...more, own].flatMap(runsIn) }) : own)
    )
  })(ask, ...host)
  return (call) => {
    if (call.endpoint === "runs.register" && typeof call.fields.branch === "string") branches.add(call.fields.branch)
    return listed(call)
  }
}

const kindIgnored = (kind: "maestro" | "detox"): MutantTable => ({
  [`runs.list.${kind}-ignored`]: [
    `The list filtered by the kind \`${kind}\` isn't filtered.`,
    `runs.list.filter-${kind}`,
    asking(
      at("runs.list", ({ query }) => query.kind === kind),
      (call) => querying(call, { kind: undefined })
    )
  ]
})

/** What filters the list of test runs. */
export const filterMutants: MutantTable = {
  "runs.list.branch-by-prefix": [
    "The list filtered by a branch has the runs of every branch whose name begins with its name.",
    "runs.list.filter-branch",
    byPrefix
  ],
  ...kindIgnored("maestro"),
  ...kindIgnored("detox"),
  "runs.list.kind-ignored": [
    "The list is not filtered by kind.",
    ["runs.list.filter-maestro", "runs.list.filter-detox"],
    asking(at("runs.list"), (call) => querying(call, { kind: undefined }))
  ],
  "runs.list.source-fails": [
    "A list filtered by a source is answered 500.",
    "runs.list.other-filters",
    outright(
      at("runs.list", ({ query }) => query.source !== undefined),
      failure
    )
  ]
}

const limited = (when: (limit: number) => boolean) =>
  at("runs.list", ({ query: { limit } }) => /^-?\d+$/.test(String(limit)) && when(Number(limit)))

const tooLow = limited((limit) => limit < 1)
const tooHigh = limited((limit) => limit > 100)

/** Lists more than 100 runs, by joining two pages. */
const unbounded: Front = continuing(tooHigh, (first, call, ask) => {
  const { nextCursor: cursor } = members(first.json)
  return cursor === undefined
    ? Effect.succeed(first)
    : Effect.map(ask(querying(call, { cursor })), (second) =>
        withBody(first, { testRuns: [first, second].flatMap(runsIn) })
      )
})

/** Numbers the runs of each branch, and orders a list by the texts of the numbers. */
const byNumberAsText: Front = (ask) => {
  const numbers = new Map<Json | undefined, number>()
  const counts = new Map<Json | undefined, number>()
  const text = (run: Json) => String(numbers.get(members(run).id) ?? 0)
  return (call) => {
    if (call.endpoint === "runs.register") {
      return Effect.tap(ask(call), ({ json }) =>
        Effect.sync(() => {
          const number = (counts.get(call.fields.branch) ?? 0) + 1
          counts.set(call.fields.branch, number)
          numbers.set(members(json).id, number)
        })
      )
    }
    const { branch, limit } = call.query
    if (call.endpoint !== "runs.list" || branch === undefined || !(Number(limit) >= 2)) return ask(call)
    return Effect.map(ask(querying(call, { limit: 100 })), (all) => {
      const ordered = runsIn(all).toSorted((one, other) => (text(one) < text(other) ? 1 : -1))
      return isDone(all) ? withBody(all, { testRuns: ordered.slice(0, Number(limit)) }) : all
    })
  }
}

/** How many runs are listed, and in which order. */
export const limitMutants: MutantTable = {
  "runs.list.one-more": [
    "A list has one run more than its limit.",
    "runs.list.limit",
    asking(
      limited(() => true),
      (call) => querying(call, { limit: Number(call.query.limit) + 1 })
    )
  ],
  "runs.list.low-refused": ["A list with a limit below 1 is refused.", "runs.list.limit-lower", refusing(tooLow)],
  "runs.list.low-ignored": [
    "A limit below 1 is ignored.",
    "runs.list.limit-lower",
    asking(tooLow, (call) => querying(call, { limit: undefined }))
  ],
  "runs.list.high-refused": ["A list with a limit above 100 is refused.", "runs.list.limit-upper", refusing(tooHigh)],
  "runs.list.high-taken": ["A limit above 100 is not lowered to 100.", "runs.list.limit-upper", unbounded],
  "runs.list.limit-ignored": [
    "The limit of a list is ignored: it has up to 100 runs.",
    ["runs.list.limit", "runs.list.limit-lower"],
    asking(list, (call) => querying(call, { limit: 100 }))
  ],
  "runs.list.limit-oldest": [
    "A list with a limit has the oldest runs.",
    "runs.list.newest-of-many",
    instead(
      limited((limit) => limit >= 1 && limit < 100),
      (call, ask) =>
        Effect.map(ask(querying(call, { limit: 100 })), (all) =>
          withBody(all, { testRuns: runsIn(all).slice(-Number(call.query.limit)) })
        )
    )
  ],
  "runs.list.numbers-as-texts": [
    "The runs of a branch are numbered, and listed in the order of the numbers as texts.",
    "runs.list.newest-of-many",
    byNumberAsText
  ],
  "runs.list.oldest-first": [
    "The list of test runs is oldest first.",
    ["runs.list.newest-first", "runs.list.newest-of-many"],
    changingFields(list, (fields) => ({ ...fields, testRuns: items(fields.testRuns).toReversed() }))
  ]
}
