import { Effect } from "effect"
import { isObject } from "../../dialect/search.ts"
import type { Answer, Json } from "../../session/Exchange.ts"
import { querying, saying, type Area, type Call, type Endpoint, type Fields } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import {
  answer,
  answering,
  answeringDone,
  answeringNotFound,
  changingFields,
  continuing,
  failing,
  failure,
  isDone,
  notFound,
  outright,
  withBody,
  without,
  type Where
} from "../parts/fronts.ts"
import { forEither, isBelowOwner, isUnlinked } from "../parts/isolation.ts"
import { followedBy, items, members } from "../parts/json.ts"
import { asIfAllowed, callers } from "../parts/keys.ts"
import { missing } from "../parts/missing.ts"
import { notLinked } from "../builds/reads.ts"
import { runsIn } from "../testRuns/list.ts"

/** What a host does wrong wherever a condition holds. Each violates a sentence of the interface. */
export interface Fault {
  readonly area: Area
  readonly endpoint: Endpoint
  /** Completes "The answer to a request …". */
  readonly text: string
  readonly front: (where: Where) => Front
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
    changing((fields) => (fields[name] === undefined ? {} : { [name]: followedBy("/other")(fields[name]) }))
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
      let last: Answer | undefined
      return continuing(where, (own) => {
        const before = last
        if (isDone(own)) last = own
        return Effect.succeed(isDone(own) && before !== undefined ? before : own)
      })(ask, ...host)
    }
]

/** Reads of a repository that isn't linked to the account are answered otherwise. */
const wrongNotFound = (...refused: ReadonlyArray<Where>): Rows => {
  const answered: Readonly<Record<string, Answer>> = {
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
  callers(area).map(([, , caller, is]) => [`is given to ${caller.toLowerCase()}`, doneAs(is, asIfAllowed)])

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
  "builds.latest": [
    ...lacks("url", "previewUrl", "status"),
    ...hasOther("url"),
    ["is 404 although it is there", (where) => answeringDone(where, () => notFound)],
    ...wrongNotFound(notLinked["latest.unlinked"][1], notLinked["latest.foreign"][1]),
    isolated,
    mixedUp
  ],
  "builds.read": [
    ...lacks("url", "previewUrl", "status"),
    ...hasOther("url"),
    ["is 404 although it is there", (where) => answeringDone(where, () => notFound)],
    ...wrongNotFound(notLinked["read.foreign"][1]),
    isolated,
    mixedUp
  ]
}

/** Metadata of which a list is without one of its items. */
const shortened = (name: "files" | "recordings"): Rows => [
  [`has no ${name}`, changing((fields) => (items(fields[name]).length > 0 ? { [name]: undefined } : {}))],
  [`is without the first of its ${name}`, changing((fields) => ({ [name]: items(fields[name]).slice(1) }))],
  [`is without the last of its ${name}`, changing((fields) => ({ [name]: items(fields[name]).slice(0, -1) }))]
]

const isMissing = (call: Call): boolean => missing(call).length > 0

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
    ...hasOther("url"),
    ...shortened("files"),
    ...shortened("recordings"),
    ["is 404 although it is there", (where) => answeringDone(where, () => notFound)],
    isolated,
    mixedUp
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
export const faults: ReadonlyArray<Fault> = [
  ...inArea("builds", { ...builds, put: puts }),
  ...inArea("previews", { ...previews, put: puts }),
  ...inArea("runs", runs)
]
