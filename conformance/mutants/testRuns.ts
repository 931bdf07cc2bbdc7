import { Effect } from "effect"
import type { HttpResponse, Json } from "../session/Exchange.ts"
import {
  accountOf,
  by,
  eachOf,
  fitsPattern,
  items,
  members,
  querying,
  reading,
  saying,
  toMutants,
  type Call,
  type Middleware,
  type MutantTable
} from "./Mutant.ts"
import {
  answer,
  asking,
  at,
  changingFields,
  continuing,
  failure,
  instead,
  isBelowOwner,
  isDone,
  isUnlinked,
  lacking,
  like,
  outright,
  present,
  queryingInstead,
  refusing,
  sayingInstead,
  withBody,
  type Where
} from "./fronts.ts"
import { isObject } from "../dialect/Dialect.ts"
import { choiceMutants, keyMutants, mistakeMutants } from "./everyResource.ts"

/** Refuses registrations like this. */
const refusingLike = (pattern: Parameters<typeof like>[1]): Middleware => refusing(like("runs.register", pattern))

/** Which registrations are accepted. */
const registerMutants: MutantTable = {
  "register.failure-message-refused": [
    "A registration with a failureMessage is refused.",
    ["register.every-field", "register.zeros"],
    refusingLike({ failureMessage: present })
  ],
  "register.failure-message-required": [
    "A registration with the status `failed` is refused without a failureMessage.",
    [
      "register.without-failure-fields",
      "status.other-word",
      "list.other-filters",
      "list.newest-of-many",
      "list.newest-first",
      "list.equal-runs"
    ],
    refusingLike({ status: "failed", failureMessage: undefined })
  ],
  "register.no-steps-refused": [
    "A registration with a stepCount of 0 is refused.",
    "register.zeros",
    refusingLike({ stepCount: 0 })
  ],
  "register.first-step-refused": [
    "A registration with a failedStepIndex of 0 is refused.",
    "register.zeros",
    refusingLike({ failedStepIndex: 0 })
  ],
  "kind.detox-refused": [
    "A Detox run is refused.",
    ["kind.known", "list.filter-maestro", "list.filter-detox"],
    refusingLike({ kind: "detox" })
  ],
  "kind.defaults": [
    "A registration without a kind is accepted for a Maestro run.",
    "kind.required",
    sayingInstead(like("runs.register", { kind: undefined }), { kind: "maestro" })
  ],
  "kind.any": [
    "A registration with any kind is accepted.",
    "kind.other",
    sayingInstead(like("runs.register", { kind: "espresso" }), { kind: "maestro" })
  ],
  "name.required": [
    "A registration with a prompt is refused without a name.",
    "name.either",
    refusingLike({ name: undefined, prompt: present })
  ],
  "name.prompt-refused": [
    "A registration with a prompt beside the name is refused.",
    ["name.either", "register.every-field"],
    refusingLike({ name: present, prompt: present })
  ],
  "name.unnamed": [
    "A registration with neither name nor prompt is accepted.",
    "name.neither",
    sayingInstead(like("runs.register", { name: undefined, prompt: undefined }), { name: "Unnamed run" })
  ]
}

const register = at("runs.register")

const links = { previewUrl: "register.preview-url", traceUrl: "register.trace-url" }

/** The links that a registration answers. */
const linkMutants: MutantTable = {
  ...lacking("register", "The answer to a registration", register, links),
  "register.other-host": [
    "The traceUrl that a registration answers is on another host than the previewUrl.",
    "register.viewer-host",
    changingFields(register, (fields) => ({
      ...fields,
      traceUrl: new URL(new URL(String(fields.traceUrl)).pathname, "http://traces.example").href
    }))
  ]
}

const registered = answer(201, {
  id: "1",
  previewUrl: "http://reference.example/previews/1",
  traceUrl: "http://reference.example/runs/1"
})

/** Registers a run for account b after account a was refused. `choose` chooses the answer. */
const forB = (choose: (refusal: HttpResponse, done: HttpResponse) => HttpResponse): Middleware =>
  continuing(register, (refusal, call, ask, { config }) =>
    accountOf(call) === "a" && !isDone(refusal)
      ? Effect.map(ask(saying(by(call, "b"), config.accounts.b.linked)), (done) => choose(refusal, done))
      : Effect.succeed(refusal)
  )

/** Registers in account a's linked repository instead. */
const inTheLinkedOne = (where: Where): Middleware =>
  asking(where, (call, { config }) => saying(call, config.accounts.a.linked))

/** Accepts a refused registration if this is true of what the accounts read of the preview that it names. */
const takenIf = (holds: (previews: ReadonlyArray<HttpResponse>) => boolean): Middleware =>
  continuing(register, (answer, call, ask) => {
    const { previewShareId } = call.fields
    if (isDone(answer) || typeof previewShareId !== "string") return Effect.succeed(answer)
    const read = reading(call, "previews.read", `/previews/${previewShareId}`)
    return Effect.map(Effect.all([ask(by(read, "a")), ask(by(read, "b"))]), (previews) =>
      holds(previews) ? registered : answer
    )
  })

/** Accepts a registration of a preview of which a run was registered before. */
const afterOwn: Middleware = (ask) => {
  const known = new Set<unknown>()
  return (call) =>
    Effect.map(ask(call), (answered) => {
      const { endpoint, fields } = call
      if (endpoint !== "runs.register") return answered
      if (isDone(answered)) known.add(fields.previewShareId)
      return known.has(fields.previewShareId) && isLinkedTo(call) ? registered : answered
    })
  // A registration that is refused for another reason stays refused.
  function isLinkedTo({ fields }: Call): boolean {
    return ["maestro", "detox"].includes(String(fields.kind)) && fields.name !== undefined
  }
}

/** Accepts a registration of an own preview of which an object has arrived. */
const oncePartly: Middleware = (ask) => {
  const arrived = new Map<unknown, unknown>()
  return (call) =>
    Effect.map(ask(call), (answered) => {
      const { endpoint, fields, reservation } = call
      if (endpoint === "put" && isDone(answered) && reservation !== undefined) {
        arrived.set(reservation.id, accountOf(reservation.call))
      }
      if (endpoint === "previews.finalize" && isDone(answered)) arrived.delete(reservation?.id)
      const isOwn = accountOf(call) !== undefined && arrived.get(fields.previewShareId) === accountOf(call)
      return endpoint === "runs.register" && isOwn && !isDone(answered) ? registered : answered
    })
}

/** Which preview and which repository a run may name. */
const groundMutants: MutantTable = {
  "register.foreign-preview-taken": [
    "A registration that names another account's preview is accepted, for that account.",
    "register.foreign-preview",
    forB((refusal, done) => (isDone(done) ? done : refusal))
  ],
  "register.foreign-after-own": [
    "Any account may register a run of a preview once its own account has registered one.",
    "register.foreign-preview",
    afterOwn
  ],
  "register.partly-uploaded-taken": [
    "A registration that names a preview is accepted once a part of the preview is uploaded.",
    "register.not-uploaded",
    oncePartly
  ],
  "register.foreign-preview-stored": [
    "A registration that names another account's preview is refused, and stored for that account.",
    "register.foreign-preview",
    forB((refusal) => refusal)
  ],
  "register.unknown-preview-taken": [
    "A registration that names a preview that doesn't exist is accepted.",
    "register.unknown-preview",
    takenIf((previews) => !previews.some(isDone))
  ],
  "register.not-uploaded-taken": [
    "A registration that names a preview is accepted before the preview is uploaded.",
    "register.not-uploaded",
    takenIf((previews) => previews.some(({ json }) => members(json).status === "uploading"))
  ],
  "register.unlinked-taken": [
    "A registration for a repository that is linked to no account is accepted.",
    "register.unlinked-repository",
    inTheLinkedOne(at("runs.register", ({ fields }, target) => isUnlinked(fields.owner, fields.repo, target)))
  ],
  "register.foreign-taken": [
    "A registration for another account's repository is accepted.",
    "register.foreign-repository",
    inTheLinkedOne(
      at(
        "runs.register",
        (call, { config }) => accountOf(call) === "a" && call.fields.owner === config.accounts.b.linked.owner
      )
    )
  ]
}

const text = (status: Json | undefined): string => (typeof status === "string" ? status : "")

/** Statuses that aren't `passed`: completes "A run … is stored as passed.", the name of the check, and whether it is one. */
const alsoPassing: Readonly<
  Record<string, readonly [run: string, check: string, is: (status: Json | undefined) => boolean]>
> = {
  "other-words": [
    "with the status `success` or `ok`",
    "other-word",
    (status) => ["success", "ok"].includes(text(status))
  ],
  "any-case": ["with `passed` in another case", "other-case", (status) => text(status).toLowerCase() === "passed"],
  trimmed: ["with the status `passed` and a space", "padded", (status) => text(status).trim() === "passed"],
  beginning: ["with a status that begins with `passed`", "longer", (status) => text(status).startsWith("passed_")],
  ending: ["with a status that ends with `passed`", "longer", (status) => /\w passed$/.test(text(status))],
  "a-line": ["with `passed` on a line of its status", "longer", (status) => /^passed$/m.test(text(status))],
  true: ["with the status `true`, which is not a text,", "not-a-text", (status) => status === true],
  default: ["without a status", "absent", (status) => status === undefined]
}

/** Which runs are stored as passed. */
const statusMutants: MutantTable = {
  "status.never-passed": [
    "A run with the status `passed` is stored as failed.",
    ["status.passed", "status.passed-with-message"],
    changingFields(at("runs.list"), (fields) => ({
      ...fields,
      testRuns: items(fields.testRuns).map((run) => (isObject(run) ? { ...run, status: "failed" } : run))
    }))
  ],
  "status.message-fails": [
    "A run with the status `passed` and a failureMessage is stored as failed.",
    "status.passed-with-message",
    sayingInstead(like("runs.register", { status: "passed", failureMessage: present }), { status: "failed" })
  ],
  ...eachOf(alsoPassing, ([run, check, is], id) => [
    `status.${id}`,
    `A run ${run} is stored as passed.`,
    `status.${check}`,
    sayingInstead(like("runs.register", { status: is }), { status: "passed" })
  ])
}

/** The runs in a list as the reference host answers it. */
export const runsIn = ({ json }: HttpResponse): ReadonlyArray<Json> => items(members(json).testRuns)

const list = at("runs.list")
const without = (parameter: string) => like("runs.list", { [parameter]: undefined })

/** Answers a refused list as the same list was answered to an account before. */
const cached: Middleware = (ask) => {
  const known = new Map<string, HttpResponse>()
  return (call) =>
    Effect.map(ask(call), (answered) => {
      if (call.endpoint !== "runs.list") return answered
      if (isDone(answered)) known.set(call.url, answered)
      return known.get(call.url) ?? answered
    })
}

/** Adds the runs of an account's linked repository to the list of another repository of the owner. */
const ofOwner: Middleware = continuing(list, (own, call, ask, { config }) => {
  const { linked, second } = config.accounts.a
  if (!isDone(own) || accountOf(call) !== "a" || call.query.repo !== second?.repo) return Effect.succeed(own)
  return Effect.map(ask(querying(call, { repo: linked.repo })), (others) =>
    withBody(own, { testRuns: [own, others].flatMap(runsIn) })
  )
})

/** Adds the runs of the other account to the list of an account. */
const ofBoth: Middleware = continuing(list, (own, call, ask, { config }) => {
  const other = accountOf(call) === "a" ? "b" : "a"
  const { owner, repo } = config.accounts[other].linked
  return Effect.map(ask(querying(by(call, other), { org: owner, repo })), (others) =>
    isDone(own) ? withBody(own, { testRuns: [...runsIn(own), ...runsIn(others)] }) : own
  )
})

const nameOf = (run: Json): string => JSON.stringify([members(run).name, members(run).commitSha])

/** Lists other runs. */
const changingRuns = (change: (runs: ReadonlyArray<Json>) => ReadonlyArray<Json>): Middleware =>
  changingFields(list, (fields) => ({ ...fields, testRuns: change(items(fields.testRuns)) }))

const promptOnlyHidden: Middleware = (ask, ...host) => {
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
const listedMutants: MutantTable = {
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
  (isLike: (name: string, asked: string) => boolean): Middleware =>
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
const filterMutants: MutantTable = {
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
const unbounded = (where: Where): Middleware =>
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
const statusFirst = (status: string): Middleware =>
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
const byNumberAsText: Middleware = (ask) => {
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
const limitMutants: MutantTable = {
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

const sequenceMutants: MutantTable = {
  "sequence.kind-of-named": [
    "A list of one kind is without the runs that have no name.",
    "sequence",
    changingFields(
      at("runs.list", ({ query }) => query.kind !== undefined),
      (fields) => ({ ...fields, testRuns: items(fields.testRuns).filter((run) => members(run).name !== undefined) })
    )
  ]
}

/** Hosts with a fault in test runs, in the order of the checks. */
export const testRunMutants = toMutants(
  "runs",
  registerMutants,
  statusMutants,
  linkMutants,
  groundMutants,
  listedMutants,
  filterMutants,
  limitMutants,
  sequenceMutants,
  keyMutants("runs"),
  mistakeMutants.runs,
  choiceMutants.runs
)
