/** Drawn sequences of registrations and lists of test runs, and what each list must have after them. */
import { Effect } from "effect"
import {
  Dialect,
  eachMember,
  isAbsoluteUrl,
  isObject,
  Violation,
  type Fields,
  type Listed
} from "../dialect/Dialect.ts"
import {
  WrongKey,
  type AccountName,
  type HttpResponse,
  type Credential,
  type Json,
  type Manner
} from "../session/Exchange.ts"
import { Session, sha256, type NoResponse } from "../session/Session.ts"
import {
  allOf,
  contradiction,
  holds,
  inManner,
  isNearRepository,
  keyText,
  makeDraw,
  makeRows,
  manners,
  maxConditional,
  mustHold,
  mustNotReveal,
  digitsIn,
  mustRefuse,
  nameTwins,
  nearRepositories,
  oddEnds,
  refusedManners,
  stepText,
  strangeIn,
  tolerantly,
  availableIn,
  type Available,
  type Draw,
  type OnStep,
  type Read
} from "./model.ts"
import { keyIn, rightKeys } from "./senders.ts"
import {
  answered2xx,
  branch,
  commitSha,
  hostedPreview,
  isRefused,
  keyOf,
  ownFile,
  ownRecording,
  previewInput,
  reservePreview,
  shareIdOf,
  toChecks,
  uploadAll,
  type CheckTable
} from "./steps.ts"

type Step<A, E = Violation | NoResponse> = Effect.Effect<A, E, Session | Dialect>

const kinds = ["maestro", "detox"] as const
/** Texts that are not `passed`, though a lax comparison accepts them. */
const failedStatuses = [
  ..."failed error skipped Passed PASSED pAssed pass passe passedd p passed_with_warnings passed,failed ok success".split(
    " "
  ),
  ..."true 1 pаssed ｐassed passed\u200b flaky timedOut interrupted cancelled running null \"passed\" 'passed' Pass".split(
    " "
  ),
  " passed",
  "passed ",
  "not passed",
  "failed\npassed",
  "passed\n",
  "\tpassed"
]
/** Values that a target may refuse, and must not store as passed. */
const oddStatuses: ReadonlyArray<Json | undefined> = [
  true,
  1,
  0,
  null,
  undefined,
  "",
  ["passed"],
  { passed: true },
  { status: "passed" },
  "x".repeat(300),
  "passed\u0000"
]
const counts = [
  0, 1, 2, 3, 7, 10, 63, 64, 99, 100, 101, 127, 128, 255, 256, 999, 1000, 1001, 4096, 32_767, 32_768, 59_999, 65_535,
  65_536
].concat([86_400_000, 1_000_000, 16_777_217, 2_147_483_647])
/** Stands for the id of a run that is listed. */
const knownId = "{id}"
const oddCounts: ReadonlyArray<Fields> = [
  ...[2_147_483_648, 4_294_967_296, 9_007_199_254_740_991, -1, 1.5, "7", null, 1e10].map((durationMs) => ({
    durationMs
  })),
  ...[2_147_483_648, -1, 0.5, "3", null].map((stepCount) => ({ stepCount })),
  ...["commitSha", "branch", "stepCount", "durationMs"].map((name) => ({ [name]: undefined })),
  ...["commitSha", "branch", "prompt", "failureMessage", "failedStepIndex"].map((name) => ({ [name]: null })),
  { failureMessage: "" },
  { failureMessage: "x".repeat(5000) },
  { unknownField: [1, { two: null }] },
  // A run is another one, whatever its fields say.
  ...Array.from({ length: 3 }, () => ({ id: knownId }))
]
const plainRuns: ReadonlyArray<Fields> = [
  ...counts.map((durationMs) => ({ durationMs })),
  ...counts.slice(0, 14).map((stepCount) => ({ stepCount })),
  { status: "failed", failureMessage: "Element not found: Pay now", stepCount: 9, failedStepIndex: 0 },
  { status: "failed", failureMessage: "Timed out\n  at step 3", stepCount: 9, failedStepIndex: 8 },
  { status: "failed", stepCount: 2, failedStepIndex: 1 },
  { status: "failed", failureMessage: "passed" },
  // Of a passed run, these say nothing.
  ...[1, 2].map((failedStepIndex) => ({ status: "passed", stepCount: 3, failedStepIndex })),
  { status: "passed", failureMessage: "Passed at the second try" },
  ...Array.from({ length: 8 }, () => ({}))
]
/** Ends of texts by what may go wrong with them, and lengths: nothing in the interface bounds what a text has in it. */
const textClasses: ReadonlyArray<ReadonlyArray<string | number>> = [
  ["😀", "👩‍👩‍👧", "𝒳"],
  ["é", "e\u0301", "a\u0308", "ÿ", "ß", "İ", "ﬀ"],
  ["日本", "ｗide", "ﷺ"],
  ["مرحبا", "שלום\u200f", "\u202ex"],
  ["\u200bx", "\ufeffx", "\u00a0x"],
  ["%", "%s%n", "100%"],
  ["%41", "%2F", "%2Cx", "%20x", "%25"],
  ["+", "x+y"],
  [" x", "a  b"],
  [",", ",other"],
  [";x", ":x", "=x"],
  ["&b", "&kind=detox"],
  ["#1", "?x"],
  ["'", '"', "'; --"],
  ["\\", "\\n"],
  ["<b>", "<!--", "(x)", "[0]"],
  ["{id}", "${x}", "{{x}}", "$HOME", "~1"],
  ["*", "_", "%_", "|", "^", "@", "!"],
  [".", "..x", "../..", ".lock", "-"],
  ["null", "undefined", "true", "NaN"],
  ["0", "1e3", "0x1F", "2026-01-01", "__proto__"],
  [127, 128, 191, 192],
  [255, 256, 257],
  [500, 511, 512, 513],
  [767, 768, 1000]
]
/** Names of branches by how they differ from a plain one, where Git, CI or a decoder gives a part of them a meaning. */
const branchClasses: ReadonlyArray<ReadonlyArray<string | number>> = [
  ["refs/heads/{}", "refs/pull/7/{}", "refs/tags/{}"],
  ["origin/{}", "heads/{}", "HEAD-{}", "-{}"],
  ["a,{}", "{},b,c", "v1.0,{}"],
  ["{}/", "{}//x", "/{}", "{}@{1}"],
  ...textClasses
]
/** Each class in turn, and a value of it. */
const drawOf = (draw: Draw, name: string, classes: ReadonlyArray<ReadonlyArray<string | number>>) =>
  draw.pick(draw.next(`value ${name}`, classes))
/** What each field of a registration may hold. Of owner, repo and previewShareId, a sequence has values of its own. */
export const runValues = {
  kind: [kinds],
  name: textClasses,
  prompt: [...textClasses, [2000]],
  status: [["passed"], failedStatuses],
  owner: [["{owner}"]],
  repo: [["{repo}"]],
  branch: branchClasses,
  commitSha: [["{commit}"], ["{digits}", "{capitals}", "{exponent}"]],
  previewShareId: [["{preview}"]],
  stepCount: [counts],
  durationMs: [counts],
  failureMessage: [...textClasses, ["\u001b[31mred\u001b[39m"], [4000, 8000], ["a\nb\r\nc", "a\tb"], ["passed"]],
  failedStepIndex: [[0, 1, 2, 7, 99]]
} satisfies Readonly<Record<string, ReadonlyArray<ReadonlyArray<string | number>>>>
/** What each parameter of a list may hold; of the first three, a sequence has values of its own. */
export const queryValues = {
  org: ["{owner}"],
  repo: ["{repo}"],
  branch: branchClasses,
  kind: kinds,
  status: ["passed", "failed", "PASSED", "😀", ["passed", "failed"]],
  source: ["ci", "github:1/2", "é,x%41", ["ci", "nightly"]],
  pr: [7, 0, -1, 2_147_483_648, "seven", "1e3", "", [7, 8]]
} as const
const commitOf = (spelling: string, sha: string): string =>
  spelling === "{digits}"
    ? sha.replaceAll(/[a-f]/g, "7")
    : spelling === "{capitals}"
      ? sha.toUpperCase()
      : spelling === "{exponent}"
        ? `${sha.slice(0, 2).replaceAll(/\D/g, "1")}e${sha.slice(3).replaceAll(/\D/g, "7")}`
        : sha
/** A text with this end, or of this length. */
const textWith = (text: string, end: string | number): string =>
  typeof end === "string" ? `${text}${end}` : text.padEnd(end, "x")

const noRepository = "without a repository"
/** Previews that runs are of. A target may refuse some of them, and takes runs of each that it hosts. */
const previewKinds: Readonly<Record<string, Fields>> = {
  [noRepository]: { owner: undefined, repo: undefined },
  billed: { billingKind: "test_run" },
  "with attachments": {},
  "of a second repository": {},
  "without a branch and a commit": { branch: undefined, commitSha: undefined },
  "for no platform": { platform: undefined, deviceSpec: undefined, entry: undefined },
  "of another billing": { billingKind: "other" }
}
const isBilled = "billed"

const limits: ReadonlyArray<number | undefined> = [
  0, -1, -100, 1, 2, 3, 4, 5, 7, 8, 9, 10, 15, 16, 17, 19, 20, 21, 24, 25, 26, 30, 31, 32, 33, 49, 50, 51, 63, 64, 65,
  75, 98, 99, 100, 101, 102, 127, 128, 129, 150, 200, 255, 256, 500, 1000, 1001, 2_147_483_647, 2_147_483_648,
  4_294_967_297
]
/** Limits that aren't said to be accepted. However they are read, a list has at most a hundred runs. */
const oddLimits: ReadonlyArray<Json> = [
  "1e9",
  "0x7f",
  "101.5",
  " 200",
  "+300",
  "many",
  "",
  [1000, 1],
  [1, 1000]
].concat(["9".repeat(30), ...[53, 63, 64].map((power) => String(2n ** BigInt(power)))])
/** Filters whose meaning isn't said: whatever fits them, the others hold too. */
const otherFilters: ReadonlyArray<Fields> = [
  ...(["status", "source", "pr"] as const).flatMap((name) => queryValues[name].map((value) => ({ [name]: value }))),
  { cursor: "" },
  { offset: 0 },
  { order: "asc" }
]
/** Branches that the runs of a sequence are on, by how they differ from the plain one. `{}` stands for that. */
const nearBranches = [
  ..."digits {}x {}-2 {}/below {}_ {}.1 {}% {}é {}e\u0301 {}+ old-{} x/{} capitals".split(" "),
  `{}${"-with-a-long-name".repeat(4)}`
]
const branchNear = (base: string, near: string): string =>
  near === "digits"
    ? `00${BigInt(`0x${sha256(base).slice(0, 16)}`)
        .toString()
        .slice(0, 17)}`
    : near === "capitals"
      ? base.toUpperCase()
      : near.replace("{}", () => base)

/** What is registered: of which preview, on which branch, and with which fields. */
interface RunWhat {
  readonly kind: (typeof kinds)[number]
  readonly status: Json | undefined
  readonly named: "name" | "prompt" | "both"
  /** The end of its name. */
  readonly end: string
  /** Its place: which repository and branch. */
  readonly branch: number
  readonly preview: number
  readonly fields: Fields
  /** What is wrong with a registration of the same fields that is refused before it. */
  readonly refusedBefore: "kind" | "preview" | "key" | undefined
  readonly isOdd: boolean
  /** Values of every field, on a branch that it alone has. Every fourth is registered twice as it is. */
  readonly values?: { readonly [Name in keyof typeof runValues]?: string | number }
  readonly isTwice?: boolean
}

/** Names of branches whose list has no run of another branch: those that a target may have a use of its own for, and patterns. */
const otherBranches = [
  "main",
  "master",
  "develop",
  "HEAD",
  "*",
  "%",
  "null",
  "main",
  "{pattern}",
  "{beginning}",
  "{end}"
]

interface Attempt {
  readonly name: string
  readonly as?: Credential
  readonly manner?: Manner
  readonly value?: Json
}

interface Query {
  readonly branch: number | undefined
  readonly kind: string | undefined
  readonly limit: Json | undefined
  /** Other parameters. A target may refuse them. */
  readonly other: Fields
  readonly manner: Manner
}

type Move =
  | {
      readonly do: "register"
      readonly runs: ReadonlyArray<RunWhat>
      readonly isConcurrent: boolean
      readonly manner: Manner
    }
  /** Runs of drawn values, each listed by its branch. */
  | { readonly do: "values"; readonly runs: ReadonlyArray<RunWhat>; readonly twins: ReadonlyArray<string> }
  | { readonly do: "refuse"; readonly some: ReadonlyArray<Attempt> }
  | { readonly do: "list"; readonly queries: ReadonlyArray<Query> }
  /** Lists by both accounts and by nobody at once, beside a registration. */
  | { readonly do: "race"; readonly run: RunWhat }
  /** Waits until the times of runs differ, even in whole seconds. */
  | { readonly do: "wait" }

interface Sequence {
  readonly account: AccountName
  readonly ends: ReadonlyArray<string>
  readonly previews: ReadonlyArray<string>
  readonly theirs: string
  /** Whether the previews, and every second run, are of one commit. */
  readonly isShared: boolean
  readonly moves: ReadonlyArray<Move>
}

const attempts = (available: Available): ReadonlyArray<Attempt> => {
  const keys: ReadonlyArray<Credential> = [
    "none",
    ...WrongKey.literals,
    keyOf("a", "builds"),
    keyOf("a", "previewUpload"),
    ...(available.pairs ? [keyOf("a", "withoutTestRuns")] : [])
  ]
  const withValues = (name: string, values: ReadonlyArray<Json>) => values.map((value) => ({ name, value }))
  const all: ReadonlyArray<Attempt> = [
    ...keys.flatMap((as) => ["register.key", "list.key", "list.key"].map((name) => ({ name, as }))),
    ...withValues("register.kind", [..."Maestro MAESTRO espresso maestrodetox".split(" "), "maestro ", "", null, 1]),
    ...withValues("register.kind", [["maestro"], { maestro: true }]),
    ...["register.no-kind", "register.no-name", "list.no-org", "list.no-repo"].map((name) => ({ name })),
    ...withValues("register.foreign-preview", ["passed", "failed", "passed", "url"]),
    ...withValues("register.unknown-preview", ["half", "unknown", "", "upper", "%", "*"]),
    // What was registered is sent again by others, and what was listed is asked for by others.
    ...keys.map((as) => ({ name: "register.again", as })),
    ...withValues("register.theirs", [1, 2, 3]),
    ...withValues("list.again", [1, 2, 3]),
    { name: "register.not-uploaded" },
    { name: "register.partly-uploaded" },
    ...["unlinked", "sibling", "foreign"].flatMap((which) => [
      { name: `register.${which}` },
      ...withValues(`list.${which}`, ["maestro", "detox", 100, null, "capitals"])
    ]),
    ...["register", "list"].flatMap((name) => withValues(`${name}.near`, Object.keys(nearRepositories))),
    ...withValues("list.twice", ["own first", "own last", "other names"]),
    ...withValues("list.branch", otherBranches),
    // A preview stays its account's when runs point at it.
    ...withValues("preview.foreign", [1, 2, 3]),
    { name: "preview.key", as: "none" },
    { name: "preview.key", as: "unknown" },
    { name: "preview.key", as: keyOf("a", "testRuns") },
    { name: "preview.key", as: keyOf("a", "builds") }
  ]
  const isForeign = ({ name, value }: Attempt) =>
    /foreign-preview|register\.foreign|theirs|twice/.test(name) || (name === "list.foreign" && value !== null)
  return all.filter((one) => (available.scoped || typeof one.as !== "object") && (available.foreign || !isForeign(one)))
}

const drawRun = (draw: Draw): RunWhat => {
  const isOdd = draw.chance(15)
  const odd = draw.pick(["status", "fields", "end"])
  return {
    kind: draw.pick(kinds),
    status:
      isOdd && odd === "status"
        ? draw.next("odd status", oddStatuses)
        : draw.chance(45)
          ? "passed"
          : draw.next("status", failedStatuses),
    named: draw.pick(["name", "prompt", "both"]),
    end: isOdd && odd === "end" ? draw.next("run end", oddEnds) : "",
    branch: draw.below(5),
    preview: draw.below(2),
    refusedBefore: draw.chance(15) ? draw.pick(["kind", "preview", "key"]) : undefined,
    fields: isOdd && odd === "fields" ? draw.next("odd run", oddCounts) : draw.next("run", plainRuns),
    isOdd
  }
}

const drawValues = (draw: Draw, place: number): RunWhat => ({
  kind: draw.pick(kinds),
  status: drawOf(draw, "its status", runValues.status),
  named: "both",
  end: "",
  branch: 0,
  preview: place,
  refusedBefore: undefined,
  fields: {},
  isOdd: true,
  values: {
    ...Object.fromEntries(Object.entries(runValues).map(([name, classes]) => [name, drawOf(draw, name, classes)])),
    // Two of them have messages of one length, which no column of a usual one holds.
    ...(place > 5 ? { status: "failed", failureMessage: 4000 } : {})
  },
  isTwice: place % 4 === 0
})

const listManners = manners
  .filter(({ charset, chunked }) => chunked !== true && charset !== true)
  .concat({ accept: "none" })

const drawQuery = (draw: Draw, hasMany: boolean): Query => {
  const limit = draw.chance(3) ? undefined : draw.next("limit", limits)
  return {
    branch: hasMany && draw.chance(90) ? 0 : draw.chance(75) ? draw.below(5) : undefined,
    // A limit shows where more runs fit.
    kind: hasMany && (limit ?? 0) > 35 ? undefined : draw.pick([undefined, ...kinds]),
    limit: !hasMany && draw.chance(12) ? draw.next("odd limit", oddLimits) : limit,
    other: draw.chance(25) ? draw.next("other filter", otherFilters) : {},
    manner: draw.next("list manner", listManners)
  }
}

const drawSequence = (draw: Draw, available: Available, of: AccountName, hasMany: boolean): Sequence => {
  const all = attempts(available)
  const account = available.foreign ? of : "a"
  const register = (count: number, branch?: number): Move => ({
    do: "register",
    runs: Array.from({ length: count }, () => ({ ...drawRun(draw), ...(branch === undefined ? {} : { branch }) })),
    isConcurrent: draw.chance(50),
    manner: draw.next("run manner", manners)
  })
  const list = (count: number): Move => ({
    do: "list",
    queries: Array.from({ length: count }, () => drawQuery(draw, hasMany))
  })
  const attempt = (): Attempt => {
    const one = draw.next("run attempt", all)
    return draw.chance(45) ? one : { ...one, manner: draw.next("refused manner", refusedManners) }
  }
  // A run is another one, whatever its fields say: what has the id of a listed one is registered beside that.
  const everywhere: Move = {
    do: "list",
    queries: [0, 1, 2, 3, 4].map((branch) => ({ branch, kind: undefined, limit: 100, other: {}, manner: {} }))
  }
  const withId: RunWhat = { ...drawRun(draw), fields: { id: knownId }, isOdd: true, refusedBefore: undefined }
  const named: ReadonlyArray<Move> = [
    { do: "register", runs: [withId, { ...withId, branch: 4 }], isConcurrent: false, manner: {} },
    everywhere
  ]
  // Of the first preview, which is billed in one of the sequences.
  const wrongScopes = all.filter(({ as, name }) => typeof as === "object" && /^(?:register|preview)\.key$/.test(name))
  const refuse = (): Move => ({ do: "refuse", some: Array.from({ length: 8 }, attempt) })
  const latest = Array.from({ length: 14 }, (): RunWhat => ({
    ...drawRun(draw),
    kind: "maestro",
    status: "passed",
    end: "",
    branch: 0,
    fields: {},
    isOdd: false,
    refusedBefore: undefined
  }))
  const moves: ReadonlyArray<Move> = hasMany
    ? [
        register(1, 0),
        list(2),
        register(62, 0),
        list(4),
        { do: "wait" },
        register(41, 0),
        { do: "wait" },
        register(2, 0),
        // Behind newer ones of the other kind.
        { do: "register", runs: latest, isConcurrent: true, manner: {} },
        { do: "list", queries: [1, 2].map((limit) => ({ branch: 0, kind: "detox", limit, other: {}, manner: {} })) },
        ...Array.from({ length: Math.ceil(limits.length / 5) }, () => list(5))
      ]
    : Array.from({ length: 9 }, (_, place): ReadonlyArray<Move> => [
        ...(place < 3
          ? [
              {
                do: "values",
                runs: Array.from({ length: 8 }, (_, nth) => drawValues(draw, nth)),
                twins: [0, 1, 2].map(() => draw.next("twins", Object.keys(nameTwins)))
              } as const
            ]
          : []),
        register(draw.pick([1, 2, 3, 4])),
        list(2),
        ...(place === 1 ? named : []),
        place === 0 ? { do: "refuse", some: [...wrongScopes, { name: "list.branch", value: "main" }] } : refuse(),
        ...(place % 3 === 2
          ? [{ do: "race", run: { ...drawRun(draw), branch: draw.pick([0, 1, 2]), refusedBefore: undefined } } as const]
          : []),
        ...(place % 4 === 1 ? [{ do: "wait" } as const] : []),
        list(1)
      ]).flat()
  const kindsOfPreviews = Object.keys(previewKinds)
  const isShared = draw.next("one commit", [true, false])
  // In one of the sequences, runs are of a billed preview; in the other one, the other account's has no repository.
  const theirs = of === "a" ? draw.next("their preview", kindsOfPreviews) : noRepository
  const previews = [0, 1].map((nth) =>
    of === "a" && nth === 0 ? isBilled : draw.next("preview kind", kindsOfPreviews)
  )
  return {
    account,
    isShared,
    previews,
    theirs,
    ends: ["{}", draw.next("near", nearBranches), draw.next("near", nearBranches)],
    moves
  }
}

/** Where a run is registered. */
interface Place {
  readonly account: AccountName
  readonly at: { readonly owner: string; readonly repo: string; readonly branch: string }
}

interface Stored {
  readonly mark: string
  readonly what: RunWhat
  readonly declared: Fields
  readonly batch: number
}

const passes = ({ status }: Fields): boolean => status === "passed"
/** The counts that a run declares and a list may show. */
const countsOf = (declared: Fields): ReadonlyArray<string> =>
  ["stepCount", "durationMs", ...(passes(declared) ? [] : ["failedStepIndex"])].filter(
    (name) => typeof declared[name] === "number"
  )
const clamp = (limit: number): number => Math.min(100, Math.max(1, limit))

const carryOut = ({ account, ends, isShared, previews: kindsOfPreviews, theirs: kindOfTheirs }: Sequence) =>
  Effect.fnUntraced(function* (moves: ReadonlyArray<Move>, attempt: number, onStep: OnStep) {
    const dialect = yield* Dialect
    const session = yield* Session
    const { accounts, viewerUrl } = session.config
    const own = keyOf(account)
    const foreign: AccountName = account === "a" ? "b" : "a"
    const { foreign: hasForeign } = availableIn(session.config)
    const { linked, second = linked } = accounts[account]
    const base = yield* branch(`${attempt}`)
    const shared = yield* commitSha(`${attempt}.shared`)
    /** The run that each traceUrl was returned for; an empty text where several have it. */
    const linkOf = new Map<string, string>()
    /** The hosted URL of each preview. */
    const hostedUrls = new Map<Json | undefined, string>()
    /** A second repository and the other account's have runs of the first one's branch too. */
    const places: Array<Place> = [
      ...ends.map((end) => ({ account, at: { ...linked, branch: branchNear(base, end) } })),
      { account, at: { ...second, branch: second === linked ? `${base}-of-a-second` : base } },
      ...(hasForeign ? [{ account: foreign, at: { ...accounts[foreign].linked, branch: base } }] : [])
    ]
    const placeOf = (index: number): Place => places[index] ?? { account, at: { ...linked, branch: base } }
    const rows = makeRows()
    const previewOf = Effect.fnUntraced(function* (label: string, kind: string, of: AccountName = account) {
      const isAttached = kind === "with attachments"
      const { linked: at, second: another = at } = accounts[of]
      const own = keyOf(of)
      const input = yield* previewInput(label, {
        account: of,
        ...(isAttached ? { files: [yield* ownFile(label)], recordings: [yield* ownRecording(label)] } : {}),
        fields: {
          ...(isShared && of === account ? { commitSha: shared } : {}),
          ...previewKinds[kind],
          ...(kind === "of a second repository" ? another : {})
        }
      })
      const answer = yield* dialect.reservePreview(input, own)
      if (isRefused(answer) && kind !== isBilled) return yield* hostedPreview(`${label}.plain`, { account: of })
      yield* holds("previews.transition.reserved", answered2xx(answer), `A preview ${kind} is reserved.`, answer.status)
      const reserved = yield* dialect.reserved(answer, input)
      yield* uploadAll(reserved)
      const hosted = yield* dialect.finalizePreview(reserved, own)
      yield* holds("previews.finalize.answer", answered2xx(hosted), `A preview ${kind} is hosted.`, hosted.status)
      const shareId = yield* shareIdOf(reserved)
      const { url } = yield* dialect.row(hosted)
      if (url !== undefined) hostedUrls.set(shareId, url)
      return { input, shareId }
    })
    const previews = (yield* Effect.forEach(kindsOfPreviews, (kind, nth) => previewOf(`${attempt}.${nth}`, kind))).map(
      ({ shareId }) => shareId
    )
    const theirPreview = hasForeign ? yield* previewOf(`${attempt}.foreign`, kindOfTheirs, foreign) : undefined
    if (theirPreview !== undefined) {
      // Bytes that another account has stored haven't arrived of this one.
      const { bundle } = theirPreview.input
      const { reserved } = yield* reservePreview(`${attempt}.unsent`, { account, bundle }, own)
      const answer = yield* dialect.finalizePreview(reserved, own)
      const what = "The finalize of a preview of which another account alone has sent the bytes"
      yield* mustRefuse("previews.finalize.verifies", what, answer)
    }
    const ofOther = theirPreview?.shareId ?? ""
    /** What a refusal may not show of the other account's preview. */
    const theirMarks = [
      ...["branch", "commitSha"].map((name) => theirPreview?.input.fields[name]),
      theirPreview?.input.bundle.content.sha256
    ].filter((mark) => typeof mark === "string")
    /** The queries and the registrations that were answered with 2xx. */
    const queried: Array<Fields> = []
    let turn = attempt
    const nextKey = (of: AccountName): Credential =>
      keyIn(session.config, of, rightKeys.testRuns[turn++ % rightKeys.testRuns.length] ?? "all")
    let waiting: ReadonlyArray<string> | undefined
    const stored: Array<Stored> = []
    /** Of the URLs of each account's runs. */
    const viewer = viewerUrl === undefined ? [] : [URL.parse(viewerUrl)?.host]
    const hostsOf: Readonly<Record<AccountName, Set<string | undefined>>> = { a: new Set(viewer), b: new Set(viewer) }
    const linkedPreviews = new Map<string, Json | undefined>()
    /** What lists show of the runs that declared it. */
    const shownCounts = new Set<string>()
    let batch = 0
    let runs = 0
    /** Whether the rest of a list was asked for by the other account. */
    let elsewhere = false
    let [listedId, listedMark]: [Json, string] = [session.unique(`${attempt}.id`), ""]
    /** How many runs each preview has, and their values of traceUrl. */
    const traces = new Map<string, { readonly traceUrls: Set<string>; readonly count: number }>()

    const listOf = (query: Fields, as: Credential = own) =>
      dialect.listRuns({ org: linked.owner, repo: linked.repo, ...query }, as)
    const reads: ReadonlyArray<Read> = [
      ...places.map(({ account: of, at: { branch, owner, repo } }) => ({
        name: `the list of ${owner}/${repo} ${branch}`,
        send: listOf({ org: owner, repo, branch, limit: 100 }, keyOf(of))
      })),
      { name: "the preview of runs", send: dialect.preview(previews[0] ?? "", own) }
    ]
    const learn = Effect.gen(function* () {
      yield* rows.settle
      for (const read of reads) yield* rows.learn("runs.list.endpoint", read, yield* read.send)
    })
    const valuesOf = Effect.fnUntraced(function* (values: NonNullable<RunWhat["values"]>, mark: string) {
      const { branch: _, failedStepIndex = 0, failureMessage = "", name = "", prompt = "", stepCount = 0 } = values
      const { commitSha: spelling, durationMs, status } = values
      const isFailed = status !== "passed"
      return {
        name: textWith(`Checkout ${mark}`, name),
        prompt: textWith(`Pay for ${mark}`, prompt),
        commitSha: commitOf(String(spelling), yield* commitSha(`${attempt}.${mark}`)),
        durationMs: durationMs ?? 0,
        stepCount,
        ...(isFailed ? { failureMessage: textWith(`No button ${mark.slice(0, 8)} `, failureMessage) } : {}),
        ...(isFailed && failedStepIndex < stepCount ? { failedStepIndex } : {})
      }
    })
    const bodyOf = Effect.fnUntraced(function* (what: RunWhat) {
      const mark = session.unique(`${attempt}.run ${runs++}`)
      const text = `Checkout ${mark}${what.end}`
      const declared: Fields = {
        kind: what.kind,
        status: what.status,
        name: what.named === "prompt" ? undefined : text,
        prompt: what.named === "name" ? undefined : `Pay for ${mark}${what.end}`,
        ...placeOf(what.branch).at,
        commitSha: isShared && runs % 2 === 0 ? shared : yield* commitSha(`${attempt}.${mark}`),
        previewShareId: placeOf(what.branch).account === account ? previews[what.preview] : ofOther,
        ...(what.values === undefined ? {} : yield* valuesOf(what.values, mark)),
        ...what.fields,
        ...(typeof what.fields.failureMessage === "string" && what.fields.failureMessage.length > 9
          ? { failureMessage: `${what.fields.failureMessage} (${mark})` }
          : {}),
        ...(what.fields.id === knownId ? { id: listedId } : {})
      }
      return { mark, declared }
    })

    const mustLink = Effect.fnUntraced(function* (answer: HttpResponse, preview: Json | undefined, of: AccountName) {
      const hosts = hostsOf[of]
      const { previewUrl, traceUrl } = yield* Effect.mapError(
        dialect.registered(answer),
        ({ came, expected }) => new Violation({ expected: `${expected} [runs.register.endpoint]`, came })
      )
      for (const [name, url] of [
        ["previewUrl", previewUrl],
        ["traceUrl", traceUrl]
      ] as const) {
        const isAbsolute = url !== undefined && isAbsoluteUrl(url)
        yield* holds(
          "runs.register.absolute-urls",
          isAbsolute,
          `A registration returns ${name}, an absolute URL.`,
          url ?? answer.text
        )
        if (isAbsolute) hosts.add(URL.parse(url)?.host)
      }
      const hostedUrl = hostedUrls.get(preview)
      const isSwapped = traceUrl === hostedUrl && previewUrl !== hostedUrl && hostedUrl !== undefined
      const expected = "The hosted URL of its preview is the previewUrl of a run, not its traceUrl."
      yield* holds("runs.register.urls", !isSwapped, expected, answer.text)
      yield* holds(
        "runs.register.absolute-urls",
        hosts.size <= 1,
        "The URLs of runs are on one host, the viewer's.",
        [...hosts].join(" and ")
      )
      for (const url of [previewUrl, traceUrl]) {
        const known = url === undefined ? undefined : linkedPreviews.get(url)
        yield* holds(
          "runs.register.urls",
          known === undefined || known === preview,
          "Runs of two previews have other values of previewUrl and of traceUrl.",
          url
        )
        if (url !== undefined) linkedPreviews.set(url, preview)
      }
    })

    const registerMove = Effect.fnUntraced(function* (
      { isConcurrent, manner, runs: some }: Move & { readonly do: "register" },
      isLearnt = true
    ) {
      batch += 1
      const one = Effect.fnUntraced(function* (what: RunWhat) {
        const { declared, mark } = yield* bodyOf(what)
        const { account: of } = placeOf(what.branch)
        const as = nextKey(of)
        if (what.refusedBefore !== undefined) {
          const wrong = {
            kind: { kind: "espresso" },
            preview: { previewShareId: session.unique("no preview") },
            key: {}
          }
          const by = what.refusedBefore === "key" ? "altered" : as
          const refused = yield* dialect.registerRun({ ...declared, ...wrong[what.refusedBefore] }, by)
          const sentence = {
            kind: "runs.kind",
            preview: "runs.preview-share-id",
            key: "auth.run-key-resolves"
          } as const
          yield* mustRefuse(sentence[what.refusedBefore], `A registration with another ${what.refusedBefore}`, refused)
        }
        let answer = yield* tolerantly("runs.register.endpoint", dialect.registerRun(declared, as), manner)
        let sent = declared
        if (what.values !== undefined && isRefused(answer)) {
          sent = { ...declared, name: `Checkout ${mark}`, prompt: undefined, failureMessage: undefined }
          answer = yield* dialect.registerRun(sent, as)
        }
        const isOdd = what.isOdd || !/^[\w./-]{1,60}$/u.test(String(declared.branch))
        const isBoth =
          passes(declared) && (declared.failureMessage !== undefined || declared.failedStepIndex !== undefined)
        if ((isOdd || isBoth) && isRefused(answer)) return
        yield* holds(
          "runs.register.endpoint",
          answered2xx(answer),
          `A registration by ${keyText(as)} returns 2xx.`,
          `${answer.status} ${answer.text}`
        )
        yield* mustLink(answer, declared.previewShareId, of)
        const { traceUrl = "" } = yield* dialect.registered(answer)
        const { traceUrls = new Set<string>(), count = 0 } = traces.get(String(declared.previewShareId)) ?? {}
        traces.set(String(declared.previewShareId), { traceUrls: traceUrls.add(traceUrl), count: count + 1 })
        stored.push({ mark, what, declared: sent, batch })
        linkOf.set(traceUrl, what.isTwice !== true && !linkOf.has(traceUrl) ? mark : "")
        if (what.isTwice !== true) return
        // As shards of a job do.
        const [again, more] = yield* allOf([0, 1].map(() => dialect.registerRun(sent, as)))
        if (again === undefined || more === undefined) return
        const expected = "A run with the fields of an earlier one is registered as every other."
        for (const one of [again, more]) {
          yield* holds("runs.register.endpoint", answered2xx(one), expected, one.status)
          yield* mustLink(one, declared.previewShareId, of)
          stored.push({ mark, what, declared: sent, batch })
        }
      })
      yield* rows.touch
      yield* isConcurrent ? allOf(some.map(one), 12) : Effect.forEach(some, one)
      for (const { count, traceUrls } of traces.values())
        yield* holds(
          "runs.register.urls",
          traceUrls.size === 1 || traceUrls.size === count,
          "The runs of a preview have one traceUrl, or each has its own.",
          `${traceUrls.size} of ${count} runs.`
        )
      if (isLearnt) yield* learn
    })

    /** Registers runs of drawn values, and lists each by its branch, some of them with every branch. */
    const valuesMove = Effect.fnUntraced(function* ({ runs: some, twins }: Move & { readonly do: "values" }) {
      const first = places.length
      for (const [nth, { values }] of some.entries()) {
        const pair = Math.floor(nth / 2)
        const plain = `${base}-${first + 2 * pair}`
        const odd = values?.branch ?? ""
        const isPlace = typeof odd === "string" && odd.includes("{}")
        // Most of them are on branches that are near each other.
        const twin = nth < 6 ? nameTwins[twins[pair] ?? ""]?.(plain, digitsIn(plain)) : undefined
        const alone = `${plain}-${nth}`
        const spelled = twin?.[nth % 2] ?? (isPlace ? odd.replace("{}", () => alone) : textWith(alone, odd))
        places.push({ account, at: { ...linked, branch: spelled } })
      }
      const placed = some.map((what, nth) => ({ ...what, branch: first + nth, preview: nth % 2 }))
      yield* registerMove({ do: "register", runs: placed, isConcurrent: false, manner: {} })
      yield* rows.settle
      for (const { branch, kind } of placed) {
        const isKind = branch % 2 === 0
        yield* mustFit({
          branch,
          kind: isKind ? kind : undefined,
          limit: branch % 3 === 0 ? 2 : 100,
          other: {},
          manner: {}
        })
      }
      yield* mustFit({ branch: undefined, kind: undefined, limit: 100, other: {}, manner: {} })
    })

    const mustFit = Effect.fnUntraced(function* ({ branch, kind, limit: given, manner, other }: Query) {
      const limit = typeof given === "number" ? given : undefined
      const isOdd = (given !== undefined && limit === undefined) || Object.keys(other).length > 0
      const { account: of, at } = placeOf(branch ?? 0)
      const { owner, repo } = at
      const query = {
        org: owner,
        repo,
        branch: branch === undefined ? undefined : at.branch,
        kind,
        limit: given,
        ...other
      }
      const answer = yield* inManner(listOf(query, isOdd ? keyOf(of) : nextKey(of)), manner)
      const text = `A list of ${JSON.stringify(query)}`
      // A branch that no run could be registered on may be refused in a list too.
      const isUnknown = branch !== undefined && stored.every(({ declared }) => declared.branch !== query.branch)
      if ((isOdd || isUnknown) && isRefused(answer)) return
      yield* holds("runs.list.endpoint", answered2xx(answer), `${text} returns 2xx.`, `${answer.status} ${answer.text}`)
      const { nextCursor, runs }: Listed = yield* dialect.listed(answer)
      const fitting = stored.filter(
        ({ declared, what }) =>
          declared.owner === owner &&
          declared.repo === repo &&
          (branch === undefined || declared.branch === query.branch) &&
          (kind === undefined || what.kind === kind)
      )
      const most = limit === undefined ? 100 : clamp(limit)
      if (!isOdd && of === account && repo === linked.repo) queried.push(query)
      yield* holds("runs.list.limit-clamped", runs.length <= most, `${text} has at most ${most} runs.`, runs.length)
      const marks = runs.map(({ json }) => stored.find(({ mark }) => JSON.stringify(json).includes(mark)))
      const known = marks.filter((one) => one !== undefined)
      if (branch === undefined && !isOdd) {
        // Other checks register in the repository too.
        const [newest] = fitting.filter(({ batch: of }) => of === batch)
        const isThere = newest === undefined || (limit ?? 0) < 100 || known.some((one) => one.batch === batch)
        yield* holds("runs.list.filters", isThere, `${text} has runs of every branch.`, runs.length)
      }
      const counted = (one: Stored) => known.filter(({ mark }) => mark === one.mark).length
      const copies = (one: Stored) => fitting.filter(({ mark }) => mark === one.mark).length
      const lacking = fitting.find(
        (one) =>
          counted(one) < copies(one) &&
          ((limit !== undefined && runs.length < most) ||
            known.some(({ batch: of }) => secondOf(one.batch) > secondOf(of)))
      )
      yield* holds(
        "runs.list.filters",
        isOdd || branch !== undefined || lacking === undefined,
        `${text} has every run that is newer than others in it, and all where there is room.`,
        `${runs.length} runs, without that of ${lacking?.mark ?? ""}.`
      )
      const expected = Math.min(most, fitting.length)
      const isCounted =
        branch === undefined ||
        isOdd ||
        (limit === undefined ? runs.length >= Math.min(1, expected) : runs.length === expected)
      yield* holds(
        fitting.length > most ? "runs.list.limit-clamped" : "runs.list.endpoint",
        isCounted,
        `${text} has ${expected} of the ${fitting.length} runs that fit.`,
        runs.length
      )
      const others = runs.filter(
        ({ json }, nth) =>
          (marks[nth] === undefined ? branch !== undefined : !fitting.includes(marks[nth])) ||
          (kind !== undefined && isObject(json) && /^(?:maestro|detox)$/.test(String(json.kind)) && json.kind !== kind)
      )
      yield* holds(
        "runs.list.filters",
        others.length === 0,
        `${text} has only runs that fit.`,
        others.map(({ json }) => json).slice(0, 3)
      )
      yield* holds(
        "runs.list.endpoint",
        known.every((one) => counted(one) <= copies(one)),
        `${text} has each run once.`,
        known.map(({ mark }) => mark)
      )
      for (const [place, { json, passed }] of runs.entries()) {
        const one = marks[place]
        if (one === undefined) continue
        if (isObject(json) && one.mark > listedMark && json.id !== undefined)
          [listedId, listedMark] = [json.id, one.mark]
        yield* holds(
          "runs.status-exactly-passed",
          passed === passes(one.declared),
          `A run with the status ${JSON.stringify(one.declared.status)} is listed as ${passes(one.declared) ? "passed" : "failed"}.`,
          json
        )
        const wrong = contradiction(json, one.declared)
        const declared = stored.filter(({ mark }) => mark !== one.mark).map(({ declared }) => declared)
        const strange = wrong ?? strangeIn(json, one.declared, declared)
        yield* holds("runs.transition.stored", strange === undefined, "A listed run is as it was registered.", strange)
        const link = [...eachMember(json)].find(({ value }) => (linkOf.get(String(value)) || one.mark) !== one.mark)
        const expected = "A listed run has no traceUrl that the registration of another one returned."
        yield* holds("runs.register.urls", link === undefined, expected, json)
        const members = new Map([...eachMember(json)].map(({ name, value }) => [name, value]))
        for (const name of one.what.isOdd ? [] : countsOf(one.declared)) {
          const isThere = typeof members.get(name) === "number"
          if (isThere) shownCounts.add(name)
          const expected = `A listed run has the ${name} ${String(one.declared[name])}, as other runs have theirs.`
          yield* holds("runs.transition.stored", isThere || !shownCounts.has(name), expected, json)
        }
      }
      const batches = known.map(({ batch }) => batch)
      const left = isOdd ? [] : fitting.filter((one) => counted(one) === 0).map(({ batch }) => batch)
      const isOrdered =
        batches.every((one, place) => place === 0 || isApart(batches[place - 1] ?? 0, one)) &&
        left.every((one) => isApart(batches.at(-1) ?? one, one))
      yield* holds(
        "runs.list.newest-first",
        isOrdered,
        `${text} is newest first.`,
        `The batches were ${batches.join(" ")}, and ${left.join(" ")} were left out.`
      )
      const isPaged =
        branch !== undefined && limit !== undefined && limit > 0 && limit === known.length && left.length > 0
      if (!isPaged || nextCursor === undefined || isAbsoluteUrl(nextCursor)) return
      const rest = fitting.filter((one) => counted(one) === 0)
      const next = { ...query, [session.config.bindings.cursorParameter]: nextCursor }
      yield* mustContinue(next, keyOf(of), known, rest)
    })
    /** The next page continues the list, where there is one: what was in the first isn't there again. */
    const mustContinue = Effect.fnUntraced(function* (
      query: Fields,
      as: Credential,
      first: ReadonlyArray<Stored>,
      rest: ReadonlyArray<Stored>
    ) {
      const answer = yield* listOf(query, as)
      if (hasForeign && !elsewhere && typeof as === "object" && as.account === account) {
        elsewhere = true
        const theirs = accounts[foreign].linked
        const another = yield* listOf({ ...query, org: theirs.owner, repo: theirs.repo }, nextKey(foreign))
        const marks = [...first, ...rest].map(({ mark }) => mark)
        yield* mustNotReveal(
          "runs.list.repository-linked",
          "A list that begins where another one ended",
          another,
          marks
        )
      }
      if (!answered2xx(answer)) return
      const { runs } = yield* dialect.listed(answer)
      const marks = runs.flatMap(({ json }) => stored.find(({ mark }) => JSON.stringify(json).includes(mark)) ?? [])
      // Without a binding, the parameter that continues a list may be another one.
      if (marks[0] === undefined || marks[0] === first[0]) return
      const [last] = first.slice(-1)
      const isNext =
        new Set(marks).size === marks.length &&
        marks.every((one) => rest.includes(one) && (last === undefined || isApart(last.batch, one.batch))) &&
        marks.length === Math.min(first.length, rest.length)
      yield* holds(
        "runs.list.endpoint",
        isNext,
        "The next page has the next runs, each once.",
        marks.map(({ mark }) => mark)
      )
    })
    const raceMove = Effect.fnUntraced(function* ({ run }: Move & { readonly do: "race" }) {
      const { at } = placeOf(run.branch)
      const query = { org: at.owner, repo: at.repo, branch: at.branch, limit: 100 }
      // Some begin before the registration, and some after it.
      const list = (as: Credential, nth: number) =>
        nth % 2 === 0 ? listOf(query, as) : Effect.andThen(Effect.yieldNow, listOf(query, as))
      const callers = [nextKey(account), nextKey(foreign), "none", nextKey(account)] as const
      const register = registerMove({ do: "register", runs: [run], isConcurrent: false, manner: {} }, false)
      // Only the answers of lists are of use.
      const all = [...callers.map(list), Effect.as(register, undefined)]
      const answers = (yield* allOf(all)).flatMap((answer) => answer ?? [])
      for (const [nth, answer] of answers.entries()) {
        const text = `A list of ${JSON.stringify(query)} beside a registration`
        if (nth % 3 === 0)
          yield* holds("runs.list.endpoint", answered2xx(answer), `${text} returns 2xx.`, answer.status)
        else {
          yield* mustRefuse("runs.list.repository-linked", `${text} by another`, answer)
          const marks = stored.map(({ mark }) => mark)
          yield* mustNotReveal("runs.list.repository-linked", `${text} by another`, answer, marks)
        }
      }
      yield* rows.settle
      yield* mustFit({ branch: run.branch, kind: undefined, limit: 100, other: {}, manner: {} })
      yield* learn
    })
    /** The first batch after each wait. Within a second, runs may be in any order. */
    const waits: Array<number> = []
    const secondOf = (of: number) => waits.filter((first) => first <= of).length
    const isApart = (newer: number, older: number) => secondOf(newer) >= secondOf(older)

    const refuseMove = Effect.fnUntraced(function* ({ some }: Move & { readonly do: "refuse" }) {
      let last: readonly [sentence: string, what: string] | undefined
      for (const { as: given, manner = {}, name, value } of some) {
        const as = given ?? own
        if (name.endsWith("uploaded") && waiting === undefined) {
          const reserved = yield* Effect.forEach(["nothing", "a part"], (label) =>
            Effect.flatMap(ownFile(`${attempt}.${label}`), (file) =>
              reservePreview(`${attempt}.${label}`, { account, files: [file] }, own)
            )
          )
          for (const { reserved: one } of reserved.slice(1)) yield* uploadAll({ ...one, slots: one.slots.slice(0, 1) })
          waiting = yield* Effect.forEach(reserved, ({ reserved }) => shareIdOf(reserved))
        }
        const { declared } = yield* bodyOf({
          kind: "maestro",
          status: "passed",
          named: "both",
          end: "",
          branch: 0,
          preview: 0,
          fields: {},
          refusedBefore: undefined,
          isOdd: false
        })
        const register = (fields: Fields, by = own) => dialect.registerRun({ ...declared, ...fields }, by)
        const [id = ""] = previews
        const odd: Fields = {
          "{pattern}": base.replaceAll(/[-/]/g, "."),
          "{beginning}": `${base.slice(0, -4)}*`,
          "{end}": `%${base.slice(4)}`
        }
        const ids: Readonly<Record<string, string>> = {
          half: id.slice(0, id.length / 2),
          unknown: session.unique("preview"),
          "%": "%",
          "*": "*",
          upper: id === id.toUpperCase() ? `${id}x` : id.toUpperCase()
        }
        const { unlinked } = accounts[account]
        const sibling = { owner: linked.owner, repo: unlinked.repo }
        const theirs = accounts[foreign].linked
        const near = isNearRepository(value)
          ? nearRepositories[value](linked, session.unique("near").slice(0, 4))
          : undefined
        if ([linked, second].some((one) => near?.owner === one.owner && near.repo === one.repo)) continue
        // Those of one batch may be answered in any order.
        const [lastRun] = stored
          .filter(({ what }) => placeOf(what.branch).account === account)
          .toSorted((run, other) => other.batch - run.batch || (run.mark < other.mark ? -1 : 1))
        const lastQuery = queried.at(-1 - (Number(value ?? 1) % 3)) ?? { branch: base, limit: 100 }
        if (lastRun === undefined && /again|theirs/.test(name)) continue
        const again = { commitSha: undefined, ...lastRun?.declared }
        const spelled = (name: Json | undefined) => (value === "capitals" ? String(name).toUpperCase() : name)
        const listing = (repository: Fields, as = own) =>
          listOf(
            {
              org: spelled(repository.owner),
              repo: spelled(repository.repo),
              ...(/^(?:maestro|detox)$/.test(String(value)) ? { kind: value } : { branch: base }),
              ...(value === 100 ? { limit: 100 } : {})
            },
            as
          )
        const orders: Readonly<Record<string, Fields>> = {
          "own first": { org: [theirs.owner, linked.owner], repo: [theirs.repo, linked.repo] },
          "own last": { org: [linked.owner, theirs.owner], repo: [linked.repo, theirs.repo] },
          "other names": { org: linked.owner, repo: linked.repo, owner: theirs.owner, repository: theirs.repo }
        }
        const key = typeof as === "string" ? "auth.run-key-resolves" : "auth.scope-runs"
        const all: Readonly<Record<string, readonly [sentence: string, send: Step<HttpResponse, NoResponse>]>> = {
          "register.key": [key, register({}, as)],
          "register.again": [key, dialect.registerRun(again, as)],
          "register.theirs": ["service.run-repository-linked", dialect.registerRun(again, keyOf(foreign))],
          "list.again": ["runs.list.repository-linked", listOf(lastQuery, nextKey(foreign))],
          "register.kind": ["runs.kind", register({ kind: value })],
          "register.no-kind": ["runs.kind", register({ kind: undefined })],
          "register.no-name": ["runs.name-or-prompt", register({ name: undefined, prompt: undefined })],
          "register.foreign-preview": [
            "runs.register.own-preview",
            register({
              previewShareId: value === "url" ? (hostedUrls.get(ofOther) ?? ofOther) : ofOther,
              status: value,
              kind: value === "failed" ? "detox" : "maestro"
            })
          ],
          "register.unknown-preview": ["runs.preview-share-id", register({ previewShareId: ids[String(value)] ?? "" })],
          "register.not-uploaded": ["runs.preview-share-id", register({ previewShareId: waiting?.[0] })],
          "register.partly-uploaded": ["runs.preview-share-id", register({ previewShareId: waiting?.[1] })],
          "register.unlinked": ["service.run-repository-linked", register(unlinked)],
          "register.sibling": ["service.run-repository-linked", register(sibling)],
          "register.foreign": ["service.run-repository-linked", register(theirs)],
          "register.near": ["service.run-repository-linked", register(near ?? unlinked)],
          "list.key": [key, listOf(lastQuery, as)],
          "list.unlinked": ["runs.list.repository-linked", listing(unlinked)],
          "list.sibling": ["runs.list.repository-linked", listing(sibling)],
          "list.foreign": [
            "runs.list.repository-linked",
            value === null || value === "capitals" ? listing(linked, keyOf(foreign)) : listing(theirs)
          ],
          // Its own runs may be on it.
          "list.branch": ["runs.list.filters", listOf({ branch: odd[String(value)] ?? value })],
          "list.near": ["runs.list.repository-linked", listing(near ?? unlinked)],
          // Which of two values counts isn't said, so the other account may list its own repository.
          "list.twice": [
            "runs.list.repository-linked",
            listOf({ ...orders[String(value)], branch: base }, keyOf(foreign))
          ],
          "preview.foreign": ["previews.read.own-only", dialect.preview(id, keyOf(foreign))],
          "preview.key": [
            typeof as === "string" ? "auth.preview-key-resolves" : "auth.scope-previews",
            dialect.preview(id, as)
          ],
          "list.no-org": ["runs.list.repository-linked", listOf({ org: undefined })],
          "list.no-repo": ["runs.list.repository-linked", listOf({ repo: undefined })]
        }
        const found = all[name]
        // For the keys of a, the repository of b is another account's: what is missing there isn't only a scope.
        if (found === undefined) continue
        const [sentence, send] = found
        const what = stepText(
          name,
          { by: keyText(as), with: value === undefined ? undefined : JSON.stringify(value) },
          manner
        )
        const answer = yield* inManner(send, manner)
        const isOpen = /\.(?:twice|branch)$/.test(name)
        if (!isOpen) yield* mustRefuse(sentence, what, answer, manner)
        // Which account's repository a list of two has isn't said.
        if (!isOpen && !/^(?:list\.again|list\.foreign)$/.test(name))
          yield* mustNotReveal(sentence, what, answer, theirMarks)
        if (/^(?:list|preview)/.test(name)) {
          const ofPreview = name.startsWith("preview") ? [] : previews
          const runs = stored.filter(({ what: { branch } }) => placeOf(branch).account === account)
          yield* mustNotReveal(sentence, what, answer, [...runs.map(({ mark }) => mark), ...ofPreview])
        }
        yield* rows.touch
        last = [sentence, what]
      }
      if (last === undefined) return
      yield* rows.mustStay(...last)
    })

    yield* learn
    for (const [place, move] of moves.entries()) {
      if (!(yield* onStep(place, rows.count()))) continue
      if (move.do === "register") yield* registerMove(move)
      else if (move.do === "values") yield* valuesMove(move)
      else if (move.do === "race") yield* raceMove(move)
      else if (move.do === "refuse") yield* refuseMove(move)
      else if (move.do === "list") for (const query of move.queries) yield* mustFit(query)
      else {
        yield* session.wait(1100)
        waits.push(batch + 1)
      }
    }
  })

const textOf = (move: Move): string => {
  if (move.do === "wait") return "wait;"
  if (move.do === "race") return "a registration beside lists of its branch by both accounts and nobody;"
  if (move.do === "list") return `list ${JSON.stringify(move.queries)};`
  if (move.do === "refuse")
    return `refused ${move.some.map(({ name, value }) => `${name}${value === undefined ? "" : ` ${JSON.stringify(value)}`}`).join(", ")};`
  const runs = move.runs.map(({ end, fields, kind, status, values }) =>
    JSON.stringify({ kind, status, ...fields, ...values, ...(end === "" ? {} : { end }) })
  )
  if (move.do === "values") return `register ${runs.join(" ")};`
  return stepText(
    "register",
    { runs: runs.length > 4 ? `${runs.length}` : runs.join(" "), at: move.isConcurrent ? "once" : undefined },
    move.manner
  )
}

/** The most requests of a move, while none fails: each of a registration and of a list, two more where one may be sent again. */
const atMost = (move: Move): number =>
  move.do === "register"
    ? move.runs.filter(({ isOdd }) => isOdd).length +
      move.runs.length * (move.manner.chunked === true || move.manner.charset === true ? 2 : 1) +
      move.runs.filter(({ refusedBefore }) => refusedBefore !== undefined).length +
      5
    : move.do === "values"
      ? move.runs.length * 3 + 13
      : move.do === "race"
        ? 15
        : move.do === "refuse"
          ? move.some.length + 13
          : move.do === "list"
            ? move.queries.length * 2
            : 0

const simpler = (move: Move): ReadonlyArray<Move> => {
  if (move.do === "wait" || move.do === "race") return []
  const halves = <A>(all: ReadonlyArray<A>) =>
    all.length < 2
      ? []
      : [all.slice(0, Math.ceil(all.length / 2)), all.slice(Math.ceil(all.length / 2)), all.slice(-1), all.slice(0, 1)]
  if (move.do === "list") return halves(move.queries).map((queries) => ({ ...move, queries }))
  if (move.do === "refuse") return halves(move.some).map((some) => ({ ...move, some }))
  if (move.do === "values") return halves(move.runs).map((runs) => ({ ...move, runs }))
  return [...halves(move.runs).map((runs) => ({ ...move, runs })), { ...move, manner: {}, isConcurrent: false }]
}

const places = 3
const maxRequests = [255, 255, 230]

const drawnCheck = (place: number): CheckTable => ({
  [`runs.drawn.${place + 1}`]: {
    title: `Drawn test runs, ${place + 1} of ${places}: whatever was registered or refused before, each list has the runs that fit, newest first.`,
    cost: { requests: maxRequests[place] ?? 0, bytes: 3000 },
    *run() {
      const { config, runId } = yield* Session
      for (let round = 0; round < (config.thorough === true ? 10 : 1); round++) {
        // That of many runs draws alone, so that it has every limit.
        const draw =
          place === 2 ? makeDraw(`${runId} many runs ${round}`, 0, 1) : makeDraw(`${runId} runs ${round}`, place, 2)
        const sequence = drawSequence(draw, availableIn(config), place === 0 ? "a" : "b", place === 2)
        yield* mustHold({
          steps: sequence.moves,
          // Before the first step, three previews are hosted, and five branches are listed.
          most: (maxRequests[place] ?? 0) - 21 - maxConditional,
          atMost,
          carryOut: (some, attempt, onStep) => carryOut(sequence)(some, round * 1000 + attempt, onStep),
          text: textOf,
          simpler
        })
      }
    }
  }
})

export const drawnRunChecks = toChecks(...Array.from({ length: places }, (_, place) => drawnCheck(place)))
