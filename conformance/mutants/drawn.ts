import type { HttpResponse, Json, KeyName } from "../session/Exchange.ts"
import {
  accountOf,
  by,
  items,
  keyOf,
  members,
  querying,
  saying,
  type Area,
  type Call,
  type Endpoint,
  type Fields,
  type Middleware
} from "./Mutant.ts"
import {
  answer,
  answering,
  answeringDone,
  answeringNotFound,
  changingFields,
  continuing,
  failing,
  failure,
  forEither,
  isBelowOwner,
  isDone,
  isMissing,
  isUnlinked,
  notFound,
  outright,
  withBody,
  without,
  type Where
} from "./fronts.ts"
import { Effect } from "effect"
import { isObject } from "../dialect/Dialect.ts"
import { createHash } from "node:crypto"

/** The keys of an account that lack the scope of an area. */
const lackedBy: Readonly<Record<Area, ReadonlyArray<KeyName>>> = {
  builds: ["previewUpload", "testRuns", "withoutBuilds"],
  previews: ["builds", "testRuns", "withoutPreviewUpload"],
  runs: ["builds", "previewUpload", "withoutTestRuns"]
}

/** The request with a key that has every scope, of the same account, or of account a when it had no key of an account. */
const asIfAllowed = (call: Call): Call => by(call, accountOf(call) ?? "a")

/** Who calls without the right key, and whether it is one. */
const callers = (area: Area): ReadonlyArray<readonly [caller: string, is: Where]> => [
  ["a request without a key", ({ by }) => by === "none"],
  ["an unknown key", ({ by }) => by === "unknown"],
  // A billed reservation needs another scope as well.
  [
    "a key with another scope",
    (call) => lackedBy[area].some((key) => keyOf(call) === key) && call.fields.billingKind === undefined
  ],
  [
    "a key with the two other scopes",
    (call) => keyOf(call) === lackedBy[area][2] && call.fields.billingKind === undefined
  ]
]

/** What isn't linked to the account that reads. */
const ofUnlinked: Where = ({ endpoint, query }, target) =>
  endpoint === "builds.latest" && isUnlinked(query.owner, query.repo, target)
const ofForeign: Where = (call) => /^builds\.(?:latest|read)$/.test(call.endpoint ?? "") && accountOf(call) === "b"

const runsIn = ({ json }: HttpResponse): ReadonlyArray<Json> => items(members(json).testRuns)

/** A request and what was before it: what a condition looks at. */
export interface Seen {
  readonly call: Call
  /** What it sends, and what its upload, build or preview was reserved with. */
  readonly fields: Fields
  /** How many requests to its endpoint were before. */
  readonly before: number
  /** How many of them were about the same resource. */
  readonly beforeOfSame: number
  /** Whether one about the same resource was refused before. */
  readonly isAfterRefusal: boolean
  /** Whether one about the same resource was done before. */
  readonly isAgain: boolean
  /** Whether another to its endpoint is under way. */
  readonly isTogether: boolean
}

/** What a request is about: two with the same text are about the same resource. */
const subjectOf = ({ endpoint, fields, url }: Call): string => {
  const { branch, commitSha, owner, platform, previewShareId, repo, token } = fields
  const named = token ?? previewShareId
  if (named !== undefined) return `${endpoint} ${String(named)}`
  const identity = endpoint?.endsWith(".reserve") === true ? [owner, repo, branch, platform, commitSha] : url
  return `${endpoint} ${JSON.stringify(identity)}`
}

interface Known {
  count: number
  refused: boolean
  done: boolean
}

/** Remembers the requests to a host. */
class Drawing {
  readonly #known = new Map<string, Known>()
  readonly #reserved = new Map<string, Fields>()
  readonly #underWay = new Map<string, number>()

  #of(name: string): Known {
    const known = this.#known.get(name) ?? { count: 0, refused: false, done: false }
    this.#known.set(name, known)
    return known
  }

  /** A request begins. */
  begin(call: Call): Seen {
    const [all, same] = [this.#of(call.endpoint ?? ""), this.#of(subjectOf(call))]
    const id = String(call.fields["previewShareId"] ?? new URL(call.url).pathname.split("/").at(-1))
    const reserved = call.reservation?.call.fields ?? this.#reserved.get(id)
    const together = this.#underWay.get(call.endpoint ?? "") ?? 0
    this.#underWay.set(call.endpoint ?? "", together + 1)
    return {
      call,
      fields: { ...reserved, ...call.query, ...call.fields },
      before: all.count++,
      beforeOfSame: same.count++,
      isAfterRefusal: same.refused,
      isAgain: same.done,
      isTogether: together > 0
    }
  }

  /** It is answered. */
  end(call: Call, answer: HttpResponse): void {
    this.#underWay.set(call.endpoint ?? "", (this.#underWay.get(call.endpoint ?? "") ?? 1) - 1)
    this.#of(subjectOf(call))[isDone(answer) ? "done" : "refused"] = true
    const { id, shareId } = members(answer.json)
    const made = call.endpoint === "builds.reserve" ? id : call.endpoint === "previews.reserve" ? shareId : undefined
    if (typeof made === "string" && isDone(answer)) this.#reserved.set(made, call.fields)
  }
}

/** When a mutant has its fault: completes "… if …", the endpoints it is for, all by default, and whether it holds. */
type Condition = readonly [text: string, holds: (sight: Seen) => boolean, endpoints?: ReadonlyArray<Endpoint>]

const text = (value: unknown): string => (typeof value === "string" ? value : "")
const ofUploads = [
  "builds.reserve",
  "builds.finalize",
  "builds.read",
  "previews.reserve",
  "previews.finalize",
  "previews.read",
  "put"
] as const
const ofBuilds = ["builds.reserve", "builds.finalize", "builds.latest", "builds.read"] as const
const ofPreviews = ["previews.reserve", "previews.finalize", "previews.read"] as const
/** For the endpoints that get the name of a branch. */
const ofBranches = ["builds.reserve", "builds.finalize", "builds.latest", "builds.read", "runs.register"] as const
const ofRuns = ["runs.register"] as const
/** For the endpoints that want a key. */
const ofCallers = [...ofBuilds, ...ofPreviews, ...ofRuns, "runs.list"] as const

const files = ({ fields }: Seen): number => items(fields.files).length
const place = ({ call }: Seen): number => call.reservation?.putUrls.indexOf(call.url) ?? -1
const places = ({ call }: Seen): number => call.reservation?.putUrls.length ?? 0
const bytes = ({ call }: Seen): number => (typeof call.body === "object" ? call.body.byteLength : -1)
const isPowerOfTwo = (count: number): boolean => count > 2 && Number.isInteger(Math.log2(count))

/** What a fault can depend on. */
const dimensions: Readonly<Record<string, ReadonlyArray<Condition>>> = {
  which: [
    ["it is for iOS", ({ fields }) => fields.platform === "ios", [...ofBuilds, ...ofPreviews, "put"]],
    ["it is for Android", ({ fields }) => fields.platform === "android", ofBuilds],
    ["account a asks", ({ call }) => accountOf(call) === "a", ofCallers],
    ["account b asks", ({ call }) => accountOf(call) === "b", ofCallers],
    ["its key has every scope", ({ call }) => keyOf(call) === "all", ofCallers],
    ["its key has two scopes", ({ call }) => keyOf(call)?.startsWith("without") === true, ofCallers],
    ["it is the object that was declared first", (sight) => place(sight) === 0, ["put"]],
    [
      "it is neither the first object nor the last",
      (sight) => place(sight) > 0 && place(sight) < places(sight) - 1,
      ["put"]
    ],
    ["it is the object that was declared last", (sight) => place(sight) === places(sight) - 1, ["put"]],
    ["it is a Maestro run", ({ fields }) => fields.kind === "maestro", ofRuns],
    ["it is a Detox run", ({ fields }) => fields.kind === "detox", ofRuns],
    ["it passed", ({ fields }) => fields.status === "passed", ofRuns],
    ["it failed", ({ fields }) => fields.status !== "passed", ofRuns]
  ],
  when: [
    ["it is the first about its resource", ({ beforeOfSame }) => beforeOfSame === 0],
    ["it isn't the first about its resource", ({ beforeOfSame }) => beforeOfSame > 0],
    ["one about its resource was done before", ({ isAgain }) => isAgain],
    ["one about its resource was refused before", ({ isAfterRefusal }) => isAfterRefusal],
    ["another one is under way", ({ isTogether }) => isTogether],
    ["it is the first of all", ({ before }) => before === 0],
    ["it isn't one of the first three", ({ before }) => before > 2],
    ["it is one of two", ({ before }) => before % 2 === 1],
    ["it is one of three", ({ before }) => before % 3 === 2]
  ],
  how: [
    ["its body comes in chunks", ({ call }) => call.manner?.chunked === true],
    ["its connection is closed afterwards", ({ call }) => call.manner?.close === true],
    ["its headers are in capitals", ({ call }) => call.manner?.capitals === true],
    ["it accepts gzip", ({ call }) => call.manner?.gzip === true],
    ["it has the headers of tracing", ({ call }) => call.manner?.headers === "tracing"]
  ],
  "how much": [
    ["its body has a power of two bytes", (sight) => isPowerOfTwo(bytes(sight)), ["put"]],
    ["its body is one byte above a power of two", (sight) => isPowerOfTwo(bytes(sight) - 1), ["put"]],
    ["its body has more than 64 KiB", (sight) => bytes(sight) > 65_536, ["put"]],
    ["its body has more than 1 MiB", (sight) => bytes(sight) > 1_048_576, ["put"]],
    ["it has more than 8 files", (sight) => files(sight) > 8, ofUploads],
    ["it has more than 32 files", (sight) => files(sight) > 32, ofUploads],
    ["it has a power of two of files", (sight) => isPowerOfTwo(files(sight)), ofUploads],
    ["it has more than 5 recordings", ({ fields }) => items(fields.recordings).length > 5, [...ofPreviews, "put"]],
    ["it took more than a minute", ({ fields }) => Number(fields.durationMs) > 60_000, ofRuns],
    ["its limit is above 40", ({ fields }) => Number(fields.limit) > 40, ["runs.list"]],
    ["its limit is at most 2", ({ fields }) => Number(fields.limit) <= 2, ["runs.list"]]
  ],
  "with what": [
    ["it has no files", (sight) => files(sight) === 0, ofUploads],
    ["it has files", (sight) => files(sight) > 0, ofUploads],
    ["it has more than two files", (sight) => files(sight) > 2, ofUploads],
    ["it has recordings", ({ fields }) => items(fields.recordings).length > 0, [...ofPreviews, "put"]],
    ["its bundle isn't transformed", ({ fields }) => fields.isTransformed === false, [...ofUploads]],
    ["its bundle is transformed", ({ fields }) => fields.isTransformed === true, [...ofUploads]],
    ["its branch has a slash", ({ fields }) => text(fields.branch).includes("/"), ofBranches],
    ["its branch isn't in ASCII", ({ fields }) => /\P{ASCII}/u.test(text(fields.branch)), ofBranches],
    ["the name of its branch is long", ({ fields }) => text(fields.branch).length > 40, ofBranches],
    ["its commit ends with a digit below 8", ({ fields }) => /[0-7]$/.test(text(fields.commitSha)), ofBuilds],
    ["it has a name", ({ fields }) => fields.name !== undefined, ofRuns],
    ["it has a prompt", ({ fields }) => fields.prompt !== undefined, ofRuns],
    ["it has a failureMessage", ({ fields }) => fields.failureMessage !== undefined, ofRuns],
    ["it has no limit", ({ fields }) => fields.limit === undefined, ["runs.list"]],
    ["it has a limit below 100", ({ fields }) => Number(fields.limit) < 100, ["runs.list"]],
    ["it has a limit of 100 or more", ({ fields }) => Number(fields.limit) >= 100, ["runs.list"]],
    ["it names a branch", ({ fields }) => fields.branch !== undefined, ["runs.list"]],
    ["it names a kind", ({ fields }) => fields.kind !== undefined, ["runs.list"]]
  ]
}

/** What a host does wrong wherever a condition holds. Each violates a sentence of the interface. */
interface Fault {
  readonly area: Area
  readonly endpoint: Endpoint
  /** Completes "The answer to a request …". */
  readonly text: string
  readonly front: (where: Where) => Middleware
  /** Whether it accepts a wrong key. Then it is a fault in a repeated request too, of which the interface says nothing else. */
  readonly isOfKeys: boolean
  /** Whether it refuses what it should do. The interface doesn't say which names a branch may have. */
  readonly refuses: boolean
}

type Row = readonly [text: string, front: Fault["front"]]
type Rows = ReadonlyArray<Row>

const changing =
  (change: (fields: Fields, call: Call) => Fields): Row[1] =>
  (where) =>
    changingFields(where, (fields, call) => ({ ...fields, ...change(fields, call) }))

const lacks = (...names: ReadonlyArray<string>): Rows =>
  names.map((name) => [`has no ${name}`, (where) => without(where, name)])

const hasOther = (...names: ReadonlyArray<string>): Rows =>
  names.map((name) => [
    `has another ${name}`,
    changing(({ [name]: value }) => (typeof value === "string" ? { [name]: `${value}/other` } : {}))
  ])

const hasRelative = (...names: ReadonlyArray<string>): Rows =>
  names.map((name) => [
    `has a relative ${name}`,
    changing(({ [name]: url }) =>
      typeof url === "string" ? { [name]: new URL(url, "http://any.example").pathname } : {}
    )
  ])

/** What is wrong at any endpoint. */
const anywhere: Rows = [
  ["is 400 although it is done", (where) => answeringDone(where, () => answer(400, { code: "invalid_request" }))],
  ["is 500 although it is done", (where) => answeringDone(where, () => failure)],
  ["is 500 where it is refused", failing]
]

/** The answer to a request before it, about another resource. */
const mixedUp: Row = [
  "is that to a request before it",
  (where) =>
    (ask, ...host) => {
      let last: HttpResponse | undefined
      return continuing(where, (own) => {
        const before = last
        if (isDone(own)) last = own
        return Effect.succeed(isDone(own) && before !== undefined ? before : own)
      })(ask, ...host)
    }
]

/** Reads of a repository that isn't linked to the account are answered otherwise. */
const wrongNotFound = (...refused: ReadonlyArray<Where>): Rows => {
  const answered: Readonly<Record<string, HttpResponse>> = {
    "is 403": answer(403, { code: "forbidden" }),
    "is 404 without the code not_found,": answer(404, { code: "missing" }),
    "is 200": answer(200, {})
  }
  return Object.entries(answered).map(([how, wrong]) => [
    `${how} for a repository that isn't linked`,
    (where) => answeringNotFound((call, target) => refused.some((is) => is(call, target)) && where(call, target), wrong)
  ])
}

/** A request that the host refused is done as another one. */
const doneAs =
  (isWrong: Where, change: (call: Call, target: Parameters<Where>[1]) => Call): Row[1] =>
  (where) =>
    continuing(where, (refusal, call, ask, target) =>
      isDone(refusal) || !isWrong(call, target) ? Effect.succeed(refusal) : ask(change(call, target))
    )

/** The wrong keys that are accepted. */
const unguarded = (area: Area): Rows =>
  callers(area).map(([caller, is]) => [`is given to ${caller}`, doneAs(is, asIfAllowed)])

const isolated: Row = ["is given to the other account", forEither]

const forUnlinked: Rows = [
  [
    "is given for a repository that isn't linked",
    doneAs(
      ({ fields }, target) =>
        isUnlinked(fields.owner, fields.repo, target) || isBelowOwner(fields.owner, fields.repo, target),
      (call, { config }) => saying(call, config.accounts.a.linked)
    )
  ]
]

/** Lists of slots without one, or with one of another. */
const slots = (...groups: ReadonlyArray<"files" | "recordings">): Rows => {
  const which: Readonly<Record<string, (count: number) => number>> = {
    first: () => 0,
    middle: (count) => Math.floor(count / 2),
    last: (count) => count - 1
  }
  const other = (
    group: string,
    change: (all: ReadonlyArray<Json>, place: number) => ReadonlyArray<Json>,
    at: (count: number) => number
  ) =>
    changing(({ slots }) => {
      const all = items(members(slots)[group])
      return isObject(slots) && all.length > 0 ? { slots: { ...slots, [group]: change(all, at(all.length)) } } : {}
    })
  return groups.flatMap((group) =>
    Object.entries(which).flatMap(([name, at]): Rows => [
      [`has no slot for the ${name} of its ${group}`, other(group, (all, place) => all.toSpliced(place, 1), at)],
      [
        `has the slot of another object for the ${name} of its ${group}`,
        other(group, (all, place) => (all.length < 2 ? all : all.with(place, all[place === 0 ? 1 : 0] ?? null)), at)
      ],
      [
        `has no putUrl for the ${name} of its ${group}`,
        other(group, (all, place) => all.with(place, { ...members(all[place]), putUrl: null } as Json), at)
      ]
    ])
  )
}

/** What is wrong in reads of one resource. */
const read: Rows = [
  ...hasOther("url"),
  ["is 404 although it is there", (where) => answeringDone(where, () => notFound)],
  isolated,
  mixedUp
]

const builds: Readonly<Partial<Record<Endpoint, Rows>>> = {
  "builds.reserve": [
    ...lacks("url", "token", "putUrl", "contentType"),
    ...hasOther("url"),
    ...slots("files"),
    ...forUnlinked,
    isolated
  ],
  "builds.finalize": [
    ["is 200", (where) => answeringDone(where, ({ json }) => answer(200, members(json)))],
    ...lacks("url", "previewUrl", "status"),
    ...hasOther("url"),
    ...hasRelative("url", "previewUrl"),
    isolated,
    mixedUp
  ],
  "builds.latest": [...lacks("url", "previewUrl", "status"), ...read, ...wrongNotFound(ofUnlinked, ofForeign)],
  "builds.read": [...lacks("url", "previewUrl", "status"), ...read, ...wrongNotFound(ofForeign)]
}

/** Metadata of which a list is without one of its items. */
const shortened = (name: "files" | "recordings"): Rows => [
  [`has no ${name}`, changing((fields) => (items(fields[name]).length > 0 ? { [name]: undefined } : {}))],
  [`is without the first of its ${name}`, changing((fields) => ({ [name]: items(fields[name]).slice(1) }))],
  [`is without the last of its ${name}`, changing((fields) => ({ [name]: items(fields[name]).slice(0, -1) }))]
]

const previews: Readonly<Partial<Record<Endpoint, Rows>>> = {
  "previews.reserve": [
    ...lacks("shareId", "token", "putUrl", "objectKey", "contentType"),
    ...slots("files", "recordings")
  ],
  "previews.finalize": [
    ...lacks("url"),
    isolated,
    [
      "is 201 although an object is missing",
      (where) =>
        answering(where, (own, call) =>
          !isDone(own) && isMissing(call) ? answer(201, { url: "http://any.example/hosted", status: "ready" }) : own
        )
    ]
  ],
  "previews.read": [
    ...lacks("url", "device", "git", "account"),
    ...read,
    ...shortened("files"),
    ...shortened("recordings")
  ]
}

/** What becomes of the runs whose registrations a condition holds for. */
const stored =
  (change: (run: Json) => ReadonlyArray<Json>): Row[1] =>
  (where) =>
  (ask, target) => {
    const chosen = new Set<Json | undefined>()
    return (call) =>
      Effect.map(ask(call), (own) => {
        if (!isDone(own)) return own
        if (where(call, target)) chosen.add(members(own.json).id)
        if (call.endpoint !== "runs.list" || !runsIn(own).some((run) => chosen.has(members(run).id))) return own
        const testRuns = runsIn(own).flatMap((run) => (chosen.has(members(run).id) ? change(run) : [run]))
        return withBody(own, { ...members(own.json), testRuns })
      })
  }

const flipped = (run: Json): Json =>
  isObject(run) ? { ...run, status: run.status === "passed" ? "failed" : "passed" } : run

const listing =
  (change: (runs: ReadonlyArray<Json>) => ReadonlyArray<Json>): Row[1] =>
  (where) =>
    changingFields(where, (fields) => ({ ...fields, testRuns: change(items(fields.testRuns)) }))

/** A list that was asked for in another way. */
const askedFor =
  (change: (query: Fields) => Fields): Row[1] =>
  (where) =>
    continuing(where, (own, call, ask) => {
      const changes = change(call.query)
      return isDone(own) && Object.keys(changes).some((name) => call.query[name] !== undefined)
        ? ask(querying(call, changes))
        : Effect.succeed(own)
    })

const runs: Readonly<Partial<Record<Endpoint, Rows>>> = {
  "runs.register": [
    ...lacks("previewUrl", "traceUrl"),
    ...hasRelative("previewUrl", "traceUrl"),
    [
      "has a traceUrl on another host",
      changing(({ traceUrl }) => ({ traceUrl: String(traceUrl).replace(/^https?:\/\/[^/]+/, "http://traces.example") }))
    ],
    ["is of a run that isn't stored", stored(() => [])],
    ["is of a run that is stored twice", stored((run) => [run, run])],
    ["is of a run that is stored with the other status", stored((run) => [flipped(run)])],
    ...forUnlinked
  ],
  "runs.list": [
    ["is without its first run", listing((all) => all.slice(1))],
    ["is without its second run", listing((all) => all.toSpliced(1, 1))],
    ["is without its last run", listing((all) => all.slice(0, -1))],
    ["is empty", listing(() => [])],
    [
      "has one run more than its limit",
      askedFor(({ limit }) => (Number(limit) >= 1 && Number(limit) < 100 ? { limit: Number(limit) + 1 } : {}))
    ],
    ["ignores the limit", askedFor(({ limit }) => (Number(limit) < 100 ? { limit: 100 } : {}))],
    ["ignores the branch", askedFor(() => ({ branch: undefined }))],
    ["ignores the kind", askedFor(() => ({ kind: undefined }))],
    isolated
  ]
}

const isGiven = ({ reservation, url }: Call): boolean => reservation?.putUrls.includes(url) === true
const isPut = ({ method }: Call): boolean => method === "PUT"

const puts: Rows = [
  [
    "is 200, and the object is lost",
    (where) => outright((call, target) => isPut(call) && isGiven(call) && where(call, target), answer(200, {}))
  ],
  [
    "is 200 although the URL was altered",
    (where) => answering(where, (own, call) => (isDone(own) || isGiven(call) ? own : answer(200, {})))
  ],
  [
    "is 200 for another method",
    (where) => answering(where, (own, call) => (isDone(own) || isPut(call) ? own : answer(200, {})))
  ]
]

const inArea = (area: Area, tables: Readonly<Partial<Record<Endpoint, Rows>>>): ReadonlyArray<Fault> =>
  Object.entries(tables).flatMap(([endpoint, rows]) => {
    const guards = endpoint === "put" ? [] : unguarded(area)
    return [...rows, ...anywhere, ...guards].map((row) => ({
      area,
      endpoint: endpoint as Endpoint,
      text: row[0],
      front: row[1],
      isOfKeys: guards.includes(row),
      refuses: row[0].startsWith("is 400")
    }))
  })

/** Everything that a drawn mutant can do wrong. */
const faults: ReadonlyArray<Fault> = [
  ...inArea("builds", { ...builds, put: puts }),
  ...inArea("previews", { ...previews, put: puts }),
  ...inArea("runs", runs)
]

/** A mutant of the grammar: a fault, wherever all of its conditions hold. */
export interface Drawn {
  /** `seed:place`, or `always#place` of one that is always tried. */
  readonly name: string
  readonly fault: Fault
  readonly conditions: ReadonlyArray<Condition>
  /** What it does wrong, in one sentence. */
  readonly sentence: string
}

const drawnOf = (name: string, fault: Fault, conditions: ReadonlyArray<Condition>): Drawn => {
  const when = conditions.length === 0 ? "" : ` if ${conditions.map(([text]) => text).join(" and ")}`
  const sentence = `The answer to ${fault.endpoint} of ${fault.area} ${fault.text}${when}.`
  return { name, fault, conditions, sentence }
}

/** Chooses by the seed, the place of a mutant and what is chosen, so each mutant can be drawn again alone. */
const chooser =
  (name: string) =>
  <A>(what: string, some: ReadonlyArray<A>): A => {
    const place = createHash("sha256")
      .update(JSON.stringify([name, what]))
      .digest()
      .readUInt32BE()
    const chosen = some[place % some.length]
    if (chosen === undefined) throw new Error(`There is nothing to choose as ${what}`)
    return chosen
  }

/** How many conditions a mutant has, each as often as it is here. */
const counts = [0, 1, 1, 1, 2]

const drawAtRandom = (name: string): Drawn => {
  const choose = chooser(name)
  const fault = choose("fault", faults)
  const fits = ([, , endpoints]: Condition) =>
    (endpoints?.includes(fault.endpoint) ?? true) &&
    !(fault.refuses && endpoints === ofBranches) &&
    !(fault.isOfKeys && endpoints === ofCallers)
  const fitting = Object.values(dimensions)
    .map((all) => all.filter(fits))
    .filter((all) => all.length > 0)
  const first = choose("dimension", fitting)
  const second = choose(
    "second dimension",
    fitting.filter((one) => one !== first)
  )
  const conditions = [choose("condition", first), choose("second condition", second)].slice(0, choose("count", counts))
  return drawnOf(name, fault, conditions)
}

/** Mutants of the grammar that are tried in every run: vendors got through with these. */
const always: ReadonlyArray<readonly [Area, Endpoint, fault: string, ...conditions: ReadonlyArray<string>]> = [
  ["builds", "builds.latest", "is 403 for a repository that isn't linked", "it is for Android"],
  ["builds", "builds.latest", "is 404 although it is there", "its branch has a slash"],
  ["builds", "builds.reserve", "is given for a repository that isn't linked"],
  ["builds", "builds.reserve", "has no slot for the last of its files", "it has more than two files"],
  ["builds", "builds.reserve", "has the slot of another object for the last of its files"],
  ["builds", "put", "is 200, and the object is lost", "it is for Android"],
  ["previews", "put", "is 400 although it is done", "another one is under way"],
  ["previews", "previews.finalize", "is given to the other account", "it has recordings"],
  ["previews", "previews.read", "is without the first of its recordings"],
  ["previews", "previews.read", "is without the last of its files"],
  ["runs", "runs.register", "is given for a repository that isn't linked"],
  ["runs", "runs.list", "ignores the kind"]
]

const thatIs = <A>(some: ReadonlyArray<A>, is: (one: A) => boolean, text: string): A => {
  const found = some.find(is)
  if (found === undefined) throw new Error(`The grammar has no ${text}`)
  return found
}

const drawNamed = (name: string, place: number): Drawn => {
  const [area, endpoint, text, ...conditions] = thatIs(always, (one) => one === always[place], name)
  const isMeant = (one: Fault) => one.area === area && one.endpoint === endpoint && one.text === text
  const all = Object.values(dimensions).flat()
  const chosen = conditions.map((text) => thatIs(all, ([own]) => own === text, text))
  return drawnOf(name, thatIs(faults, isMeant, text), chosen)
}

/** The names of the mutants that are always tried. */
export const alwaysTried: ReadonlyArray<string> = always.map((_, place) => `always#${place}`)

/** The mutant of this name. */
export const draw = (name: string): Drawn => {
  const [, place] = name.split("#")
  return place === undefined ? drawAtRandom(name) : drawNamed(name, Number(place))
}

/** Whether a mutant has its fault in a request. */
export const isFaulty = ({ conditions, fault }: Drawn, sight: Seen): boolean => {
  const { call, isAgain } = sight
  const isHere = call.endpoint === fault.endpoint && (call.reservation?.profile ?? fault.area) === fault.area
  const isUnspecified = isAgain && !fault.isOfKeys && /finalize|put/.test(fault.endpoint)
  return isHere && !isUnspecified && conditions.every(([, holds]) => holds(sight))
}

/** The front of a mutant. `onDiffering` is called when it answers otherwise than the host behind it. */
export const frontOf =
  (drawn: Drawn, onDiffering: () => void): Middleware =>
  (ask, target) => {
    const scene = new Drawing()
    const sights = new WeakMap<Call, Seen>()
    const answers = new WeakMap<Call, string>()
    const asText = ({ json, status }: HttpResponse) => JSON.stringify([status, json])
    const front = drawn.fault.front((call) => {
      const sight = sights.get(call)
      return sight !== undefined && isFaulty(drawn, sight)
    })((call) => Effect.tap(ask(call), (own) => Effect.sync(() => answers.set(call, asText(own)))), target)
    return (call) =>
      Effect.suspend(() => {
        sights.set(call, scene.begin(call))
        return Effect.tap(front(call), (answer) =>
          Effect.sync(() => {
            scene.end(call, answer)
            if (asText(answer) !== answers.get(call)) onDiffering()
          })
        )
      })
  }

/** The front of a host without a fault. It reports what the conditions of mutants see. */
export const seeing =
  (onSight: (sight: Seen) => void): Middleware =>
  (ask) => {
    const scene = new Drawing()
    return (call) =>
      Effect.suspend(() => {
        onSight(scene.begin(call))
        return Effect.tap(ask(call), (answer) => Effect.sync(() => scene.end(call, answer)))
      })
  }

/** The quantile of the normal distribution for 95 %. */
const z = 1.96

/** Wilson's 95 % interval of a share. */
export const interval = (hits: number, count: number): readonly [least: number, most: number] => {
  const share = hits / count
  const center = share + z ** 2 / (2 * count)
  const spread = z * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2))
  const whole = 1 + z ** 2 / count
  return [(center - spread) / whole, (center + spread) / whole]
}
