/**
 * Draws sequences of steps from the id of a run, carries them out, and shrinks a sequence that fails. What a target must
 * answer after each step is in `drawnUploads.ts` and `drawnRuns.ts`; here is what both share.
 */
import { Effect } from "effect"
import { Dialect, eachMember, isObject, named, Violation, type Declared, type Fields } from "../dialect/Dialect.ts"
import {
  CurrentManner,
  mannerText,
  pathSpellings,
  type HttpResponse,
  type Credential,
  type Json,
  type Manner
} from "../session/Exchange.ts"
import { isRedacted } from "../session/redaction.ts"
import { Session, sha256, type NoResponse } from "../session/Session.ts"
import { conditionsOf, makeSenders } from "./senders.ts"
import { answered2xx, hasTwoRepositories, isRefused, type Skipped } from "./steps.ts"
import type { Config } from "../config/Config.ts"

/** Draws from a seed. The same calls in the same order draw the same. */
export interface Draw {
  /** A whole number from 0 to below `count`. */
  readonly below: (count: number) => number
  readonly pick: <A>(values: ReadonlyArray<A>) => A
  readonly chance: (percent: number) => boolean
  /** The next of a shuffled list: all of its values come before one comes again, over all checks that share the seed. */
  readonly next: <A>(name: string, values: ReadonlyArray<A>) => A
}

/** Numbers from 0 to below 1 (mulberry32). */
const numbers = (seed: string) => {
  let state = Number.parseInt(sha256(seed).slice(0, 8), 16)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const shuffled = <A>(values: ReadonlyArray<A>, seed: string): ReadonlyArray<A> => {
  const random = numbers(seed)
  return values
    .map((value) => ({ value, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ value }) => value)
}

/** The drawing of the check at this place of `places`, which take the values of shuffled lists in turn. */
export const makeDraw = (seed: string, place: number, places: number): Draw => {
  const random = numbers(`${seed} ${place}`)
  const taken = new Map<string, number>()
  const below = (count: number) => Math.floor(random() * count)
  const at = <A>(values: ReadonlyArray<A>, index: number): A => {
    const value = values[index]
    if (value === undefined && index >= values.length) throw new Error("There is nothing to draw from")
    return value as A
  }
  return {
    below,
    pick: (values) => at(values, below(values.length)),
    chance: (percent) => random() * 100 < percent,
    next: (name, values) => {
      const count = (taken.get(name) ?? -places + place) + places
      taken.set(name, count)
      const round = Math.floor(count / values.length)
      return at(shuffled(values, `${seed} ${name} ${round}`), count % values.length)
    }
  }
}

/** Fails with a violation of the sentence of this id unless the condition holds. Each of them binds (MUST). */
export const holds = (
  sentence: string,
  condition: boolean,
  expected: string,
  came: Json | undefined
): Effect.Effect<void, Violation> =>
  condition
    ? Effect.void
    : new Violation({
        expected: `${expected} [${sentence}]`,
        came: typeof came === "string" ? came : JSON.stringify(came ?? null)
      })

/** The ways in which requests are sent that a right target answers alike. */
export const manners: ReadonlyArray<Manner> = [
  {},
  { close: true },
  { capitals: true },
  { gzip: true },
  { chunked: true },
  { spelled: true },
  { accept: "any" },
  { accept: "listed" },
  { accept: "none", charset: true },
  { capitals: true, close: true },
  { headers: "tracing" }
]

/** What is refused is sent in these as well. HEAD and another spelling of a path may be refused in another way. */
export const refusedManners: ReadonlyArray<Manner> = [
  ...manners,
  { head: true },
  ...pathSpellings.map((path) => ({ path })),
  { headers: "proxy" },
  { headers: "cache" },
  { headers: "browser" },
  { headers: "override" },
  { spelled: true, headers: "proxy" }
]

export const inManner = <A, E, R>(effect: Effect.Effect<A, E, R>, manner: Manner | undefined): Effect.Effect<A, E, R> =>
  manner === undefined ? effect : Effect.provideService(effect, CurrentManner, manner)

/** Whether a body without a length was refused by closing the connection. */
export const isClosed = ({ status }: HttpResponse, { chunked }: Manner): boolean => chunked === true && status === 0

/**
 * Carries out all of these, at most so many at once, and fails with the first of those that fail: a recording has the same requests, in
 * whatever order their answers came.
 */
export const allOf = <A, E, R>(
  some: ReadonlyArray<Effect.Effect<A, E, R>>,
  concurrency: number | "unbounded" = "unbounded"
): Effect.Effect<Array<A>, E, R> =>
  Effect.flatMap(Effect.forEach(some, Effect.exit, { concurrency }), (exits) => Effect.forEach(exits, (exit) => exit))

/** Sends in this manner, and again as usual where that is refused: only a length or another type may be insisted on. */
export const tolerantly = Effect.fnUntraced(function* <E, R>(
  sentence: string,
  send: Effect.Effect<HttpResponse, E, R>,
  manner: Manner = {}
) {
  const answer = yield* inManner(send, manner)
  if (!(isRefused(answer) || isClosed(answer, manner)) || Object.keys(manner).length === 0) return answer
  const usual = yield* send
  const isTolerated = manner.chunked === true || manner.charset === true || !answered2xx(usual)
  const text = `A request that is accepted is accepted ${mannerText(manner)} too.`
  yield* holds(sentence, isTolerated, text, `It returned ${answer.status}, and ${usual.status} as usual.`)
  return usual
})

/** Ends of names that a target may refuse; one that it takes is a name as every other. */
export const oddEnds = [
  "é",
  "e\u0301",
  "ß",
  "日本",
  "😀",
  "%",
  "%2F",
  "%41",
  "+",
  " x",
  "#1",
  "?x",
  "&b",
  "=",
  "'",
  '"',
  "\\",
  "<b>"
]
  .concat([
    ";",
    ":",
    ",",
    "(x)",
    "[0]",
    "{id}",
    "$HOME",
    "~1",
    "^",
    "*",
    "|",
    "@",
    "!",
    ".",
    "..x",
    "-",
    "_",
    "__proto__"
  ])
  .concat(["x".repeat(60), "y".repeat(200), "İ", "ﬀ", "\u00a0x", "\u200bx", "\u202ex", "null", "undefined", "0", "1e3"])
const separatedBy =
  (separator: string) =>
  (name: string): readonly [string, string] => [name, name.replace(/-(?=[^-]*$)/, separator)]
const endingAt =
  (length: number) =>
  (name: string): readonly [string, string] => [`${name.padEnd(length, "-long")}1`, `${name.padEnd(length, "-long")}2`]

/** Two names, made of one, that a store takes for the same if it simplifies names, reads them as numbers, or cuts them. */
export const nameTwins: Readonly<Record<string, (name: string, digits: string) => readonly [string, string]>> = {
  "/ for -": separatedBy("/"),
  "_ for -": separatedBy("_"),
  ". for -": separatedBy("."),
  "+ for -": separatedBy("+"),
  "nothing for -": separatedBy(""),
  "two -": separatedBy("--"),
  "- for /": (name) => [`x/${name}`, `x-${name}`],
  "_ for /": (name) => [`x/${name}`, `x_${name}`],
  "a zero after a number": (_, digits) => [`${digits}.1`, `${digits}.10`],
  "a zero before a number": (_, digits) => [digits, `0${digits}`],
  "an exponent": (_, digits) => [`${digits}000`, `${digits}e3`],
  "another end": (name) => [`${name}1`, `${name}2`],
  "one in the other": (name) => [name, `${name}x`],
  "another beginning": (name) => [`a${name}`, `b${name}`],
  capitals: (name) => [name, name.toUpperCase()],
  "a capital": (name) => [name, name.slice(0, 1).toUpperCase() + name.slice(1)],
  "an accent": (name) => [name, name.replace(/[aeiou]/, (one) => `${one}\u0301`.normalize("NFC"))],
  "a decomposed accent": (name) => [`${name}\u00e9`, `${name}e\u0301`],
  ...Object.fromEntries([60, 100, 128, 255].map((length) => [`a length of ${length}`, endingAt(length)]))
}
/** Six digits of a text, none of them a zero at the beginning. */
export const digitsIn = (text: string): string =>
  String(100_000 + (Number.parseInt(sha256(text).slice(0, 8), 16) % 900_000))

/** The fields by their names, where a row shows them under the same names: a target may write them in other ways. */
const isShown = (declared: Json, shown: Json): boolean => {
  if (typeof declared !== typeof shown || typeof declared === "object" || isRedacted(String(shown))) return true
  const [one, other] = [declared, shown].map((value) =>
    // Without colours and other control characters.
    String(value)
      .normalize("NFC")
      .replaceAll(/\p{Cc}\[[\d;]*m/gu, "")
      .replaceAll(/[\p{Cc}\s]+/gu, " ")
      .trim()
      .toLowerCase()
  )
  return (
    one !== undefined &&
    other !== undefined &&
    (one === other ||
      (typeof declared === "string" && (other.includes(one) || (other.length > 6 && one.includes(other)))))
  )
}

const echoed = [
  "owner",
  "repo",
  "branch",
  "platform",
  "commitSha",
  "contentHash",
  "bundleSizeBytes",
  "bundleOrigin",
  "entry",
  "isTransformed"
].concat(["kind", "name", "prompt", "previewShareId", "stepCount", "durationMs", "bundleContentType", "billingKind"])
/** Of failed runs. */
const echoedFailure = ["failureMessage", "failedStepIndex"]

/** The values of these fields. Under their names, a target may have other values of its own. */
const enumerations: Readonly<Record<string, RegExp>> = { kind: /^(?:maestro|detox)$/i, platform: /^(?:ios|android)$/i }
/** Whether a member is of a part of a row that has names and kinds of its own. */
const isOfPart = (path: ReadonlyArray<string>): boolean =>
  path.slice(0, -1).some((one) => /account|author|organi|owner|project|repo|team|tenant|user/i.test(one))

const pathOf = (url: Json | undefined): Json | undefined => (typeof url === "string" ? url.split("?")[0] : url)

/** What a row has under the name of a declared field and isn't what was declared. */
export const contradiction = (json: Json | undefined, declared: Fields): string | undefined => {
  const all = [...eachMember(json)]
  for (const name of declared.status === "passed" ? echoed : [...echoed, ...echoedFailure]) {
    const isUrl = name === "bundleOrigin"
    const said = isUrl ? pathOf(declared[name]) : declared[name]
    const isName = name === "name" || name === "kind"
    const { value: shown } = all.find((one) => one.name === name && !(isName && isOfPart(one.path))) ?? {}
    if (said === undefined || said === null || shown === undefined || shown === null || said === "") continue
    if (enumerations[name]?.test(String(shown)) === false) continue
    // A long text may be cut.
    const isLong = String(said).length > 1000
    // A recording may have no values of queries.
    if (isUrl && pathOf(shown) === said) continue
    if (!(isLong ? isShown(String(said).slice(0, 40), String(shown).slice(0, 40)) : isShown(said, shown)))
      return `${name} was declared as ${JSON.stringify(said)} and reads ${JSON.stringify(shown)}.`
  }
  const { deviceSpec } = declared
  if (!isObject(deviceSpec)) return undefined
  const sizes = all.flatMap(({ name, path, value }) => {
    const said = name === "width" || name === "height" ? deviceSpec[name] : undefined
    const isSize = typeof said === "number" && typeof value === "number" && path.some((one) => /device/i.test(one))
    return isSize ? [{ name, said, value }] : []
  })
  // A target may round all of them.
  const isRounded = sizes.every(({ value }) => Number.isInteger(value))
  const wrong = sizes.find(({ said, value }) => said !== value && !(isRounded && Math.abs(said - value) < 1))
  return wrong && `The ${wrong.name} of the device was declared as ${wrong.said} and reads ${wrong.value}.`
}

/** What a row has under the name of a field that wasn't declared, and was declared of something else. */
export const strangeIn = (json: Json | undefined, declared: Fields, others: Iterable<Fields>): string | undefined => {
  const all = [...eachMember(json)]
  const isUndeclared = (name: string) => declared[name] === undefined || declared[name] === null
  for (const fields of others) {
    const { deviceSpec, entry, bundleOrigin, failureMessage, prompt } = fields
    const texts = Object.entries({ entry, bundleOrigin, failureMessage, prompt })
    for (const [name, said] of texts) {
      const isStrange = isUndeclared(name) && typeof said === "string" && said.length > 16
      if (isStrange && all.some((one) => one.name === name && one.value === said))
        return `${name} was not declared, and reads ${said}, which was declared of something else.`
    }
    const sizes = isObject(deviceSpec) ? Object.entries(deviceSpec) : []
    const [strange] = isUndeclared("deviceSpec") ? sizes.filter(([, size]) => Number(size) > 3000) : []
    if (strange !== undefined && all.some(({ name, value }) => name === strange[0] && value === strange[1]))
      return `The ${strange[0]} of the device was not declared, and reads ${String(strange[1])}, which was declared of something else.`
  }
  return undefined
}

/** How a target names the kinds and types of objects: of the same kind, type and end, it shows the same of each. */
export type KindsShown = Map<string, Json>

/** What a row says of a declared object, beside its path or name, and isn't what was declared. */
export const contradictionOfObjects = (
  json: Json | undefined,
  objects: Iterable<readonly [name: string, Declared & { readonly kind?: string }]>,
  shown: KindsShown = new Map()
): string | undefined => {
  const all = [...objects]
  // A file and a recording may have the same name.
  const isUnique = (name: string) => all.filter(([one]) => one === name).length === 1
  const byName = new Map(all.filter(([name]) => isUnique(name)))
  for (const { value } of eachMember(json)) {
    if (!isObject(value)) continue
    const [, named] =
      Object.entries(value).find(([name, one]) => name !== "entry" && typeof one === "string" && byName.has(one)) ?? []
    const { content, contentType, kind = "" } = byName.get(String(named)) ?? {}
    const { contentHash, sizeBytes } = value
    if (content === undefined) continue
    for (const [member, said] of Object.entries(value)) {
      if (!/^(?:kind|type|content_?type|mime_?type)$/i.test(member) || typeof said !== "string") continue
      const same = JSON.stringify([member, kind, contentType, /\.[^./]*$/.exec(String(named))?.[0] ?? ""])
      const known = shown.get(same) ?? said
      shown.set(same, known)
      if (known !== said)
        return `The ${member} of ${named} reads ${said}, and that of one of the same kind and type ${String(known)}.`
    }
    if (typeof sizeBytes === "number" && sizeBytes !== content.bytes.byteLength)
      return `${named} has ${content.bytes.byteLength} bytes and reads ${sizeBytes}.`
    if (typeof contentHash === "string" && contentHash.toLowerCase() !== content.sha256)
      return `${named} has the digest ${content.sha256} and reads ${contentHash}.`
  }
  return undefined
}

/** The account that metadata names, if it does so under a usual name. */
export const attributionIn = (json: Json | undefined): Json | undefined => {
  const said = named(json, ["account", "accountId", "accountName"], (value): value is Json => value !== null)
  if (!isObject(said)) return said
  const { id, name, slug } = said
  return id === undefined && name === undefined && slug === undefined ? undefined : [id ?? "", name ?? "", slug ?? ""]
}

/** The decoded answer to a read: each value by its path. Of a URL, what may be signed again is left out. */
export type Shown = ReadonlyMap<string, string>

const withoutSignature = (value: Json): Json =>
  typeof value === "string" && /^https?:/i.test(value) ? (value.split(/[?#]/)[0] ?? value) : value

export const shownIn = ({ json, status }: HttpResponse): Shown =>
  new Map([
    ["", String(status)],
    ...[...eachMember(json)].map(({ path, value }) => {
      const isInner = typeof value === "object" && value !== null
      return [`/${path.join("/")}`, isInner ? "" : JSON.stringify(withoutSignature(value))] as const
    })
  ])

/** Where two answers differ, each place without the numbers of list items. */
export const differences = (one: Shown, other: Shown): ReadonlyArray<string> =>
  [...new Set([...one.keys(), ...other.keys()])].filter((path) => one.get(path) !== other.get(path))

/** Whether it is a count of what an account has, which other checks change. */
const isCounter = (path: string, one: Shown, other: Shown): boolean =>
  /usage|quota|total|count|stats|remaining|account/i.test(path) &&
  [one, other].every((shown) => /^\d+$/.test(shown.get(path) ?? ""))

const placeOf = (path: string): string => path.replaceAll(/\/\d+(?=\/|$)/g, "/*")

interface Repository {
  readonly owner: string
  readonly repo: string
}

type Step<A, E = NoResponse> = Effect.Effect<A, E, Session | Dialect>

/** A read that a sequence repeats. */
export interface Read {
  /** Completes "The read of …". */
  readonly name: string
  readonly send: Step<HttpResponse>
}

/** How many changed rows of a sequence are read with their earlier etag. */
export const maxConditional = 6

/** How long the two reads lie apart that show what changes by itself, in milliseconds. */
const controlMs = 1100

/** The last answer to every read that a sequence knows, and how a later one is compared with it. */
export const makeRows = () => {
  const rows = new Map<
    string,
    { readonly read: Read; readonly shown: Shown; readonly at?: number; readonly conditions?: ReadonlyArray<Manner> }
  >()
  const moving = new Set<string>()
  let conditional = 0
  let isSettled = false

  /** Waits until every earlier write must be visible. */
  const settle = Effect.gen(function* () {
    const { config, wait } = yield* Session
    if (!isSettled && config.windowMs > 0) yield* wait(config.windowMs)
    isSettled = true
  })
  /** Something was written, or may have been. */
  const touch = Effect.sync(() => void (isSettled = false))

  /** Requires that a read answers what it did last, whole. What changes by itself between two reads doesn't count. */
  const mustMatch = Effect.fnUntraced(function* (sentence: string, expected: string, read: Read, manner: Manner) {
    const shown = rows.get(read.name)?.shown
    if (shown === undefined) return
    const send = inManner(read.send, manner)
    const answer = yield* send
    const differing = (now: Shown) =>
      differences(shown, now).filter((path) => !moving.has(placeOf(path)) && !isCounter(path, shown, now))
    if (differing(shownIn(answer)).length === 0) return
    const { wait } = yield* Session
    // Without the manner, which may send an id of the request that the target repeats.
    const once = shownIn(yield* read.send)
    yield* wait(controlMs)
    for (const path of differences(once, shownIn(yield* read.send))) moving.add(placeOf(path))
    const again = shownIn(yield* send)
    const [path] = differing(again)
    const came = `${path === "" ? "The status" : path} was ${shown.get(path ?? "") ?? "missing"} and is ${again.get(path ?? "") ?? "missing"}.`
    yield* holds(sentence, path === undefined, expected, came)
    rows.set(read.name, { read, shown: again })
  })

  /** Reads everything again, and requires that each whole row is as it was. */
  const mustStay = Effect.fnUntraced(function* (sentence: string, what: string, manner: Manner = {}) {
    yield* settle
    for (const [name, { read }] of rows) {
      yield* mustMatch(sentence, `${what} leaves ${name} as it was.`, read, manner)
    }
  })

  /** Remembers what a read answers now. Once that is something else, its earlier `etag` isn't current any more. */
  const learn = Effect.fnUntraced(function* (sentence: string, read: Read, answer: HttpResponse) {
    const before = rows.get(read.name)
    const shown = shownIn(answer)
    const at = yield* Effect.flatMap(Session, ({ now }) => now)
    const conditions = answered2xx(answer) ? conditionsOf(answer) : []
    rows.set(read.name, { read, shown, at, conditions })
    if (conditional >= maxConditional || !answered2xx(answer)) return
    // A time, and a weak etag, may be of the second of a change.
    const isLong = at - (before?.at ?? at) > 2 * controlMs
    const conclusive =
      before?.conditions?.filter(({ ifNoneMatch: etag = "W/" }) => isLong || !etag.startsWith("W/")) ?? []
    const condition = conclusive[conditional % conclusive.length]
    if (before === undefined || condition === undefined || differences(before.shown, shown).length === 0) return
    conditional += 1
    const { status } = yield* inManner(read.send, condition)
    if (status !== 304) return
    const { wait } = yield* Session
    const once = shownIn(yield* read.send)
    yield* wait(controlMs)
    for (const path of differences(once, shownIn(yield* read.send))) moving.add(placeOf(path))
    const path = differences(before.shown, once).find((one) => !moving.has(placeOf(one)))
    yield* holds(
      sentence,
      path === undefined,
      `A read of ${read.name} ${mannerText(condition)} of an earlier answer returns what has changed.`,
      `It returned 304, and ${path} is another one.`
    )
  })
  return { learn, mustMatch, mustStay, settle, touch, count: () => rows.size }
}
export type Rows = ReturnType<typeof makeRows>

/** Requires that a request is refused with 4xx: with 404 and the code not_found where the interface states it. */
export const mustRefuse = Effect.fnUntraced(function* (
  sentence: string,
  what: string,
  answer: HttpResponse,
  manner: Manner = {},
  isNotFound = false
) {
  // Whether there is a HEAD, and what another path means, isn't said: a page of the target may be there.
  if (manner.head === true || manner.path !== undefined) {
    const isDone = answered2xx(answer) && (manner.head === true || answer.json !== undefined)
    return yield* holds(sentence, !isDone, `${what} is refused.`, `It returned ${answer.status}.`)
  }
  if (isClosed(answer, manner)) return
  yield* holds(sentence, isRefused(answer), `${what} is refused with 4xx.`, `It returned ${answer.status}.`)
  if (!isNotFound) return
  const { codes } = yield* Dialect
  const isRight = answer.status === 404 && codes(answer).includes("not_found")
  yield* holds(sentence, isRight, `${what} is 404 with the code not_found.`, `${answer.status} ${answer.text}`)
})

/** Called before each step, with the number of known rows; whether that is made. */
export type OnStep = (place: number, rows: number) => Effect.Effect<boolean, never, Session>

/** Bounds the sequences that are tried to find a shorter one that fails. */
const maxTries = 24

interface Sequence<S> {
  readonly steps: ReadonlyArray<S>
  /** The most requests that the steps may have together, while none fails. */
  readonly most: number
  /** The most requests of a step, where so many rows are known. One that could exceed the rest of `most` is left out. */
  readonly atMost: (step: S, rows: number) => number
  /** Carries out steps with resources of their own: `attempt` differs each time. `onStep` is called before each. */
  readonly carryOut: (
    steps: ReadonlyArray<S>,
    attempt: number,
    onStep: OnStep
  ) => Step<void, Violation | NoResponse | Skipped>
  /** What a step does, in one line. */
  readonly text: (step: S) => string
  /** Simpler steps to try in place of one. */
  readonly simpler: (step: S) => ReadonlyArray<S>
}

/** Carries out a sequence. One that fails is shrunk: the violation names the steps that are left, and the seed. */
export const mustHold = Effect.fnUntraced(function* <S>({ atMost, carryOut, most, simpler, steps, text }: Sequence<S>) {
  const { runId, sent } = yield* Session
  const before = yield* sent
  let attempts = 0
  let last = 0
  const onStep =
    (some: ReadonlyArray<S>, isFirst: boolean, found: () => Violation | undefined): OnStep =>
    (place, rows) =>
      Effect.map(sent, (now) => {
        const step = some[place]
        const isMade =
          found() === undefined && (!isFirst || step === undefined || now - before + atMost(step, rows) <= most)
        if (isMade) last = place
        return isMade
      })
  const fails = Effect.fnUntraced(function* (some: ReadonlyArray<S>) {
    const { dialect, found, last: lastSent } = yield* makeSenders
    return yield* carryOut(some, attempts, onStep(some, attempts++ === 0, found)).pipe(
      Effect.provideService(Dialect, dialect),
      Effect.map(() => found()),
      Effect.catchTag("Violation", ({ came, expected }) =>
        Effect.succeed(found() ?? new Violation({ expected, came: `${came} The last request was sent ${lastSent()}.` }))
      )
    )
  })
  const first = yield* fails(steps)
  if (first === undefined) return
  let [violation, shortest] = [first, steps.slice(0, last + 1)]
  const sentenceOf = ({ expected }: Violation) => expected.slice(expected.lastIndexOf("["))
  const attempt = Effect.fnUntraced(function* (some: ReadonlyArray<S>) {
    const isLong = attempts > maxTries || (yield* sent) - before > 2 * most
    const found = isLong ? undefined : yield* fails(some)
    if (found === undefined || sentenceOf(found) !== sentenceOf(first)) return false
    ;[violation, shortest] = [found, some.slice(0, last + 1)]
    return true
  })
  const shrink = Effect.gen(function* () {
    for (let size = Math.ceil(shortest.length / 2); size >= 1 && shortest.length > 1; size = Math.floor(size / 2)) {
      for (let from = shortest.length - 1 - size; from >= 0; from -= size) {
        yield* attempt(shortest.toSpliced(from, size))
      }
    }
    for (let place = 0; place < shortest.length; place++) {
      for (const step of simpler(shortest[place] as S)) {
        if (place < shortest.length && (yield* attempt(shortest.with(place, step)))) break
      }
    }
  })
  // A target that is lost meanwhile violates the sentence all the same.
  yield* Effect.catchTags(shrink, { NoResponse: () => Effect.void, Skipped: () => Effect.void })
  const sequence = shortest.map((step, place) => `${place + 1}. ${text(step)}`).join(" ")
  const came = `${violation.came} After ${shortest.length} of ${steps.length} drawn steps, --run-id ${runId}: ${sequence}`
  return yield* new Violation({ expected: violation.expected, came })
})

/** What the config has, so that a sequence uses it. */
export interface Available {
  readonly pairs: boolean
  readonly scoped: boolean
  /** Whether account b has a repository of its own. */
  readonly foreign: boolean
}

export const availableIn = (config: Config): Available => ({
  pairs: config.pairsOfScopes === true,
  scoped: config.scopedKeys !== false,
  foreign: hasTwoRepositories(config)
})

/** The name without its end, or another one if nothing would be left. */
const shorter = (name: string, digits: string): string =>
  name.slice(0, -1).replace(/[^A-Za-z0-9]+$/, "") || `${name}-${digits}`

/** Repositories whose names are near that of a linked one, and not linked themselves. */
export const nearRepositories = {
  "a longer name": ({ owner, repo }, digits) => ({ owner, repo: `${repo}-${digits}` }),
  "a longer owner": ({ owner, repo }, digits) => ({ owner: `${owner}-${digits}`, repo }),
  "a shorter name": ({ owner, repo }, digits) => ({ owner, repo: shorter(repo, digits) }),
  "a shorter owner": ({ owner, repo }, digits) => ({ owner: shorter(owner, digits), repo }),
  "an empty name": ({ owner }) => ({ owner, repo: "" }),
  "an empty owner": ({ repo }) => ({ owner: "", repo }),
  "owner and name joined": ({ owner, repo }) => ({ owner, repo: `${owner}/${repo}` }),
  "owner and name swapped": ({ owner, repo }, digits) =>
    owner === repo ? { owner, repo: `${repo}-${digits}` } : { owner: repo, repo: owner },
  "% for the name": ({ owner }) => ({ owner, repo: "%" }),
  "* for the name": ({ owner }) => ({ owner, repo: "*" }),
  "_ for a letter of the name": ({ owner, repo }) => ({ owner, repo: `${repo.slice(0, -1)}_` }),
  "% for the owner": ({ repo }) => ({ owner: "%", repo })
} satisfies Readonly<
  Record<string, (linked: Repository, digits: string) => { readonly owner: string; readonly repo: string }>
>
export type NearRepository = keyof typeof nearRepositories
export const isNearRepository = (name: unknown): name is NearRepository =>
  typeof name === "string" && Object.hasOwn(nearRepositories, name)
/** Those that no validation of names refuses. */
export const isPlainName = (name: string): boolean => !/[%*_]|empty|joined/.test(name)

/** Requires that an answer has none of these texts in it, of another account or of what isn't to be shown. */
export const mustNotReveal = (
  sentence: string,
  what: string,
  { headers, json, text }: HttpResponse,
  marks: Iterable<string>
) => {
  const said = [text, JSON.stringify(json) ?? "", ...Object.values(headers)].join("\n")
  const revealed = [...marks].filter((mark) => mark.length > 5 && said.includes(mark))
  return holds(sentence, revealed.length === 0, `${what} shows nothing of what it refuses.`, revealed.join(", "))
}

/** Whose key it is, for a person. */
export const keyText = (as: Credential): string => (typeof as === "string" ? `key ${as}` : `${as.account}.${as.key}`)

/** What a step says beside its name, for a person; what is usual is left out. */
export const stepText = (name: string, about: Readonly<Record<string, unknown>>, manner?: Manner): string => {
  const said = Object.entries(about).filter(([, value]) => value !== undefined && value !== "" && value !== 0)
  const how = mannerText(manner)
  return `${name} ${[...said.map(([what, value]) => `${what} ${String(value)}`), ...(how === "" ? [] : [how])].join(", ")};`
}
