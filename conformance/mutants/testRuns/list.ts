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
  withBody,
  type Where
} from "../parts/fronts.ts"
import { isBelowOwner, isUnlinked } from "../parts/isolation.ts"
import { fitsPattern, items, members } from "../parts/json.ts"

/** The runs in a list as the reference host answers it. */
export const runsIn = ({ json }: Answer): ReadonlyArray<Json> => items(members(json).testRuns)

const list = at("runs.list")
const without = (parameter: string) => like("runs.list", { [parameter]: undefined })

/** Answers a refused list as the same list was answered to an account before. */
const cached: Front = (ask) => {
  const known = new Map<string, Answer>()
  return (call) =>
    Effect.map(ask(call), (answered) => {
      if (call.endpoint !== "runs.list") return answered
      if (isDone(answered)) known.set(call.url, answered)
      return known.get(call.url) ?? answered
    })
}

/** Adds the runs of an account's linked repository to the list of another repository of the owner. */
const ofOwner: Front = continuing(list, (own, call, ask, { config }) => {
  const { linked, second } = config.accounts.a
  if (!isDone(own) || accountOf(call) !== "a" || call.query.repo !== second?.repo) return Effect.succeed(own)
  return Effect.map(ask(querying(call, { repo: linked.repo })), (others) =>
    withBody(own, { testRuns: [own, others].flatMap(runsIn) })
  )
})

/** Adds the runs of the other account to the list of an account. */
const ofBoth: Front = continuing(list, (own, call, ask, { config }) => {
  const other = accountOf(call) === "a" ? "b" : "a"
  const { owner, repo } = config.accounts[other].linked
  return Effect.map(ask(querying(by(call, other), { org: owner, repo })), (others) =>
    isDone(own) ? withBody(own, { testRuns: [...runsIn(own), ...runsIn(others)] }) : own
  )
})

const nameOf = (run: Json): string => JSON.stringify([members(run).name, members(run).commitSha])

/** Lists other runs. */
const changingRuns = (change: (runs: ReadonlyArray<Json>) => ReadonlyArray<Json>): Front =>
  changingFields(list, (fields) => ({ ...fields, testRuns: change(items(fields.testRuns)) }))

const promptOnlyHidden: Front = (ask, ...host) => {
  const hidden = new Set<unknown>()
  const hiding = changingRuns((runs) => runs.filter((run) => !hidden.has(members(run).id)))(ask, ...host)
  return (call) =>
    Effect.tap(hiding(call), ({ json }) =>
      Effect.sync(
        () => call.endpoint === "runs.register" && call.fields.name === undefined && hidden.add(members(json).id)
      )
    )
}

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
  "list.cached": [
    "A list that was answered to its account is answered to every caller that asks for the same.",
    ["list.foreign-repository", "key.list", "scope.list"],
    cached
  ],
  "list.of-owner": [
    "The list of a repository has the runs of another of the account's repositories.",
    "list.of-its-repository",
    ofOwner
  ],
  "list.below-owner-empty": [
    "The list of any repository of a linked repository's owner is answered 200, and is empty.",
    "list.unlinked-repository",
    outright(
      at("runs.list", ({ query }, target) => isBelowOwner(query.org, query.repo, target)),
      answer(200, { testRuns: [] })
    )
  ],
  "list.equal-replaced": [
    "A run replaces an earlier one of the same name and commit.",
    "list.equal-runs",
    changingRuns((runs) => [...Map.groupBy(runs, (run) => nameOf(run)).values()].flatMap(([newest]) => newest ?? []))
  ],
  "list.prompt-only-hidden": ["A run without a name is not listed.", "name.either", promptOnlyHidden],
  "list.repository-ignored": [
    "The list of a repository has the runs of every account's repositories.",
    "list.of-its-repository",
    ofBoth
  ]
}

/** Adds the runs of branches whose names are like the requested one. */
const byLikeness =
  (isLike: (name: string, asked: string) => boolean): Front =>
  (ask, ...host) => {
    const branches = new Set<string>()
    const listed = continuing(at("runs.list"), (own, call, ask) => {
      const { branch } = call.query
      const others = [...branches].filter((name) => name !== branch && isLike(name, String(branch)))
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
    byLikeness((name, asked) => name.startsWith(asked))
  ],
  "list.branch-by-pattern": [
    "The list filtered by a branch has the runs of every branch that fits its name as a pattern of SQL.",
    "list.filter-branch",
    byLikeness(fitsPattern)
  ],
  "list.branch-normalized": [
    "The list filtered by a branch has the runs of a branch whose name is written in other code points.",
    "list.filter-branch",
    byLikeness((name, asked) => name.normalize() === asked.normalize())
  ],
  ...eachOf({ maestro: 0, detox: 0 }, (_, kind) => [
    `list.${kind}-ignored`,
    `The list filtered by the kind \`${kind}\` isn't filtered.`,
    `list.filter-${kind}`,
    queryingInstead(like("runs.list", { kind }), { kind: undefined })
  ]),
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
const unbounded = (where: Where): Front =>
  instead(where, (call, ask) =>
    Effect.flatMap(ask(querying(call, { limit: 100 })), (first) => {
      const { nextCursor: cursor } = members(first.json)
      return cursor === undefined || cursor === null
        ? Effect.succeed(first)
        : Effect.map(ask(querying(call, { limit: 100, cursor })), (second) =>
            withBody(first, { testRuns: [first, second].flatMap(runsIn) })
          )
    })
  )

/** Lists the runs of a branch with this status first, whatever the limit. */
const statusFirst = (status: string): Front =>
  instead(
    at("runs.list", ({ query: { branch } }) => branch !== undefined),
    (call, ask) =>
      Effect.map(ask(querying(call, { limit: 100 })), (all) => {
        const isFirst = (run: Json) => (members(run).status === status ? 0 : 1)
        const ordered = runsIn(all).toSorted((one, other) => isFirst(one) - isFirst(other))
        const { limit = 100 } = call.query
        return isDone(all)
          ? withBody(all, { testRuns: ordered.slice(0, Math.min(100, Math.max(1, Number(limit)))) })
          : all
      })
  )

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
  "list.high-taken": ["A limit above 100 is not lowered to 100.", "list.limit-upper", unbounded(tooHigh)],
  "list.little-higher-taken": [
    "A limit from 101 to 150 is not lowered to 100.",
    "list.limit-upper",
    unbounded(limited((limit) => limit > 100 && limit <= 150))
  ],
  "list.limit-wraps": [
    "A limit that doesn't fit 32 bits becomes another number.",
    "list.limit-upper",
    asking(
      limited((limit) => limit >= 2 ** 31),
      (call) => querying(call, { limit: Number(call.query.limit) | 0 })
    )
  ],
  "list.default-over": [
    "A list without a limit may have more than 100 runs.",
    "list.limit-upper",
    unbounded(without("limit"))
  ],
  "list.failed-first": ["The list of test runs has the failed ones first.", "list.newest-first", statusFirst("failed")],
  "list.passed-first": [
    "The list of test runs has those first that passed.",
    "list.newest-of-many",
    statusFirst("passed")
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
