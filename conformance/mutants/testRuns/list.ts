import { Effect } from "effect"
import type { Answer, Json } from "../../session/Exchange.ts"
import { accountOf, by, querying } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import { eachOf, type MutantTable } from "../parts/Mutant.ts"
import {
  answer,
  asking,
  at,
  changingFields,
  continuing,
  failure,
  instead,
  isDone,
  like,
  outright,
  present,
  queryingInstead,
  refusing,
  withBody
} from "../parts/fronts.ts"
import { forEither, isUnlinked } from "../parts/isolation.ts"
import { items, members } from "../parts/json.ts"

/** The runs in a list as the reference host answers it. */
export const runsIn = ({ json }: Answer): ReadonlyArray<Json> => items(members(json).testRuns)

const list = at("runs.list")
const without = (parameter: string) => like("runs.list", { [parameter]: undefined })

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
  "list.empty": [
    "The list of test runs is always empty.",
    [
      "register.stored",
      "list.of-every-branch",
      "list.filter-branch",
      "list.filter-maestro",
      "list.filter-detox",
      "list.limit-upper",
      "list.newest-of-many"
    ],
    changingFields(list, () => ({ testRuns: [] }))
  ],
  "list.branch-required": ["A list is refused without a branch.", "list.repository-alone", refusing(without("branch"))],
  "list.limit-required": ["A list is refused without a limit.", "list.repository-alone", refusing(without("limit"))],
  "list.default-branch": [
    "A list without a branch has the runs of the branch `main`.",
    "list.of-every-branch",
    queryingInstead(without("branch"), { branch: "main" })
  ],
  ...eachOf({ org: "owner", repo: "repo" } as const, (name, parameter) => [
    `list.${parameter}-unneeded`,
    `A list without \`${parameter}\` is answered for the account's repository.`,
    `list.without-${parameter}`,
    asking(without(parameter), (call, { config }) => querying(call, { [parameter]: config.accounts.a.linked[name] }))
  ]),
  "list.unlinked-empty": [
    "The list of a repository that is linked to no account is answered 200, and is empty.",
    "list.unlinked-repository",
    outright(
      at("runs.list", ({ query }, target) => isUnlinked(query.org, query.repo, target)),
      answer(200, { testRuns: [] })
    )
  ],
  "list.foreign-shown": [
    "The list of another account's repository is shown.",
    "list.foreign-repository",
    forEither(list)
  ],
  "list.repository-ignored": [
    "The list of a repository has the runs of every account's repositories.",
    "list.of-its-repository",
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

/** What filters the list of test runs. */
export const filterMutants: MutantTable = {
  "list.branch-by-prefix": [
    "The list filtered by a branch has the runs of every branch whose name begins with its name.",
    "list.filter-branch",
    byPrefix
  ],
  ...eachOf({ maestro: 0, detox: 0 }, (_, kind) => [
    `list.${kind}-ignored`,
    `The list filtered by the kind \`${kind}\` isn't filtered.`,
    `list.filter-${kind}`,
    queryingInstead(like("runs.list", { kind }), { kind: undefined })
  ]),
  "list.kind-ignored": [
    "The list is not filtered by kind.",
    ["list.filter-maestro", "list.filter-detox"],
    queryingInstead(list, { kind: undefined })
  ],
  "list.source-fails": [
    "A list filtered by a source is answered 500.",
    "list.other-filters",
    outright(like("runs.list", { source: present }), failure)
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
  "list.one-more": [
    "A list has one run more than its limit.",
    "list.limit",
    asking(
      limited(() => true),
      (call) => querying(call, { limit: Number(call.query.limit) + 1 })
    )
  ],
  "list.low-refused": ["A list with a limit below 1 is refused.", "list.limit-lower", refusing(tooLow)],
  "list.low-ignored": [
    "A limit below 1 is ignored.",
    "list.limit-lower",
    queryingInstead(tooLow, { limit: undefined })
  ],
  "list.high-refused": ["A list with a limit above 100 is refused.", "list.limit-upper", refusing(tooHigh)],
  "list.high-taken": ["A limit above 100 is not lowered to 100.", "list.limit-upper", unbounded],
  "list.limit-ignored": [
    "The limit of a list is ignored: it has up to 100 runs.",
    ["list.limit", "list.limit-lower"],
    queryingInstead(list, { limit: 100 })
  ],
  "list.limit-oldest": [
    "A list with a limit has the oldest runs.",
    "list.newest-of-many",
    instead(
      limited((limit) => limit >= 1 && limit < 100),
      (call, ask) =>
        Effect.map(ask(querying(call, { limit: 100 })), (all) =>
          withBody(all, { testRuns: runsIn(all).slice(-Number(call.query.limit)) })
        )
    )
  ],
  "list.numbers-as-texts": [
    "The runs of a branch are numbered, and listed in the order of the numbers as texts.",
    "list.newest-of-many",
    byNumberAsText
  ],
  "list.oldest-first": [
    "The list of test runs is oldest first.",
    ["list.newest-first", "list.newest-of-many"],
    changingFields(list, (fields) => ({ ...fields, testRuns: items(fields.testRuns).toReversed() }))
  ]
}
