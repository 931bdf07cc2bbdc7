import { Data, Effect } from "effect"
import type { Config } from "../config/Config.ts"
import {
  Dialect,
  eachMember,
  isAbsoluteUrl,
  isObject,
  must,
  placeholdersOf,
  testedBy,
  Violation,
  type BuildInput,
  type Declared,
  type DeclaredFile,
  type DeclaredRecording,
  type Fields,
  type Listed,
  type ListedRun,
  type PreviewInput,
  type Reserved,
  type Row
} from "../dialect/Dialect.ts"
import { Session, Unconfigured, type NoResponse } from "../session/Session.ts"
import type { AccountName, HttpResponse, Credential, Json, KeyName } from "../session/Exchange.ts"

/** What an implementation may claim to be. */
export type Profile = "builds" | "previews" | "testRuns"

/** The check can't be made against this target as it is configured. A skipped MUST never counts as passed. */
export class Skipped extends Data.TaggedError("Skipped")<{ readonly reason: string }> {}

/**
 * What is sent, and what must come back. A check makes everything that it needs and depends on no other, so it can be run
 * alone. Its requests follow from the run and its id, so it can be judged again from a recording.
 */
export interface Check {
  /** Never changes and is never given to another check. Its first part names the profile. */
  readonly id: string
  readonly profile: Profile
  /** What the target does, in one sentence: "A build finalized by another account's key is refused and stays as it was." */
  readonly title: string
  /** About how many requests it makes and how many bytes it uploads, for `--plan`. */
  readonly cost: { readonly requests: number; readonly bytes: number }
  /** Whether it creates nothing on the target. */
  readonly readOnly?: boolean
  /** When the config supplies all of these, the check reads them and creates nothing on the target. */
  readonly supplied?: ReadonlyArray<keyof Config["supplied"]>
  readonly run: Effect.Effect<void, Violation | Skipped | NoResponse, Session | Dialect>
}

/** Checks by their ids. `run` is a generator as for `Effect.gen`. */
export type CheckTable = Readonly<
  Record<
    string,
    Omit<Check, "id" | "profile" | "run"> & {
      readonly run: () => Generator<
        Effect.Effect<unknown, Violation | Skipped | NoResponse, Session | Dialect>,
        void,
        never
      >
    }
  >
>

const profiles: Readonly<Record<string, Profile>> = { builds: "builds", previews: "previews", runs: "testRuns" }

const profileOf = (id: string): Profile => {
  const profile = profiles[id.split(".")[0] ?? ""]
  if (profile === undefined) throw new Error(`The id ${id} names no profile`)
  return profile
}

/** The checks of tables, in the order of the tables. */
export const toChecks = (...tables: ReadonlyArray<CheckTable>): ReadonlyArray<Check> =>
  tables
    .flatMap((table) => Object.entries(table))
    .map(([id, { run, ...about }]) => ({ id, profile: profileOf(id), ...about, run: Effect.gen(run) }))

/** A key of an account: the one with every scope, unless another is named. */
export const keyOf = (account: AccountName, key: KeyName = "all"): Credential => ({ account, key })

/** The account that creates the resources. */
export const a = keyOf("a")

/** The other account. */
export const b = keyOf("b")

/** Repositories that aren't linked to account a: the one that the config names, and one of the same owner as a linked one. */
export const unlinkedRepositories = Effect.gen(function* () {
  const { linked, unlinked } = (yield* Session).config.accounts.a
  return unlinked.owner === linked.owner ? [unlinked] : [unlinked, { owner: linked.owner, repo: unlinked.repo }]
})

/** Whether account b has a repository of its own. Without one, the config has that of account a for both. */
export const hasTwoRepositories = ({ accounts: { a, b } }: Pick<Config, "accounts">): boolean =>
  a.linked.owner !== b.linked.owner || a.linked.repo !== b.linked.repo

const oneRepository = "Account b has no repository: set one as `accounts.b.linked`."

/** Skips the check when account b has no repository of its own. */
export const needsTwoRepositories = Effect.gen(function* () {
  if (!hasTwoRepositories((yield* Session).config)) return yield* new Skipped({ reason: oneRepository })
})

/** The names and types in a JSON value, as text. */
export const shapeOf = (json: Json | undefined): string => {
  if (typeof json !== "object" || json === null) return json === null ? "null" : typeof json
  if (Array.isArray(json)) return `[${json.map((item: Json) => shapeOf(item)).join()}]`
  const members = Object.entries(json).map(([name, value]) => `${name}: ${shapeOf(value)}`)
  return `{${members.toSorted().join(", ")}}`
}

/** The target did what was asked. Which 2xx it answers is its choice, unless the interface names one. */
export const answered2xx = ({ status }: HttpResponse): boolean => status >= 200 && status < 300

/** The target refused the request as a mistake of the caller. A 5xx says that the target failed, so it is no refusal. */
export const isRefused = ({ status }: HttpResponse): boolean => status >= 400 && status < 500

/** Requires a 2xx. `what` begins the sentence: "The reservation". */
export const mustAnswer = (answer: HttpResponse, what: string): Effect.Effect<void, Violation> =>
  must(answered2xx(answer), `${what} returns 2xx.`, `It returned ${answer.status}.`)

/**
 * Requires a 4xx, and answers it. `what` begins the sentence: "The reservation without a key". Which 4xx it is, each target
 * chooses; it is recorded as the choice `${silence}.status`.
 */
export const refuses = Effect.fnUntraced(function* <E, R>(
  request: Effect.Effect<HttpResponse, E, R>,
  what: string,
  silence: string
) {
  const session = yield* Session
  const answer = yield* request
  yield* must(isRefused(answer), `${what} is refused with 4xx.`, `It returned ${answer.status}.`)
  yield* session.observe(`${silence}.status`, answer.status)
  return answer
})

/**
 * Requires that a mistake of the caller is not answered with 5xx. What else is answered is the target's choice. `situation`
 * names it without the area: `reserve.no-body`.
 */
export const mustNotFail = Effect.fnUntraced(function* (area: string, situation: string, answer: HttpResponse) {
  const session = yield* Session
  yield* must(
    answer.status < 500,
    `A mistake of the caller (${situation}) does not return 5xx.`,
    `It returned ${answer.status}.`
  )
  yield* session.observe(`${area}.mistake.${situation}.status`, answer.status)
})

/** Requires the same of a body that isn't JSON, and of one that is a list, POSTed to a path of the API. */
export const mustNotFailOnBodies = Effect.fnUntraced(function* (area: string, path: string, situation: string) {
  const { config, content, exchange } = yield* Session
  const request = { method: "POST", url: `${config.url}/api/v1/${path}`, as: { account: "a", key: "all" } } as const
  const headers = { "content-type": "application/json" }
  const notJson = yield* exchange({ ...request, headers, content: content("not JSON", 40) })
  yield* mustNotFail(area, `${situation}.not-json`, notJson)
  yield* mustNotFail(area, `${situation}.list`, yield* exchange({ ...request, json: [] }))
})

/**
 * Repeats a read until `holds`, or until the consistency window has passed, and answers the last read. The window is counted
 * from the last exchange before. The last read begins after the window, so a target can't excuse it as stale. Without a
 * window there is one read.
 *
 * To prove that something does not happen, wait for it to happen.
 */
export const eventually = Effect.fnUntraced(function* <A, E, R>(
  read: Effect.Effect<A, E, R>,
  holds: (answer: A) => boolean
) {
  const session = yield* Session
  const end = (yield* session.now) + session.config.windowMs
  while (true) {
    const isLast = (yield* session.now) >= end
    const answer = yield* read
    if (isLast || holds(answer)) return answer
    yield* session.pause
  }
})

/** What a read answers once every earlier write must be visible. */
export const settled = <A, E, R>(read: Effect.Effect<A, E, R>) => eventually(read, () => false)

/** What differs from the usual input. `fields` replace the usual ones; without `files` and `recordings` there are none. */
interface PreviewOverrides {
  /** Whose linked repository it is for; `a` by default. */
  readonly account?: AccountName
  readonly fields?: Fields
  readonly bundle?: Declared
  readonly files?: ReadonlyArray<DeclaredFile>
  readonly recordings?: ReadonlyArray<DeclaredRecording>
}
export type BuildOverrides = Omit<PreviewOverrides, "recordings">

export const bundleSizeBytes = 512
export const fileSizeBytes = 64
export const recordingSizeBytes = 128

/** A bundle; the same label gives the same bytes. */
export const bundle = Effect.fnUntraced(function* (label: string, sizeBytes = bundleSizeBytes) {
  const session = yield* Session
  const contentType = "text/javascript"
  return { content: session.content(`${label}.bundle`, sizeBytes, contentType), contentType }
})

const fileKinds = [
  { path: "assets/style.css", contentType: "text/css" },
  { path: "assets/data.json", contentType: "application/json" },
  { path: "assets/logo.svg", contentType: "image/svg+xml" },
  { path: "assets/print.css", contentType: "text/css" },
  { path: "README.md", contentType: "text/markdown; charset=utf-8" }
]

/** Five files, two of one content type, and one whose content type has a parameter. */
export const fiveFiles = Effect.fnUntraced(function* (label: string) {
  const { content } = yield* Session
  return fileKinds.map((kind): DeclaredFile => ({
    ...kind,
    content: content(`${label}.${kind.path}`, fileSizeBytes, kind.contentType)
  }))
})

const recordingKinds = [
  { name: "screen.webm", kind: "video", contentType: "video/webm" },
  { name: "first.png", kind: "screenshot", contentType: "image/png" },
  { name: "device.log", kind: "log", contentType: "text/plain" }
]

/** Three recordings, each with a content type of its own that no bundle and no file has. */
export const threeRecordings = Effect.fnUntraced(function* (label: string) {
  const { content } = yield* Session
  return recordingKinds.map((kind): DeclaredRecording => ({
    ...kind,
    content: content(`${label}.${kind.name}`, recordingSizeBytes, kind.contentType)
  }))
})

/** A file with a unique path. */
export const ownFile = Effect.fnUntraced(function* (label: string) {
  const { content, unique } = yield* Session
  return {
    path: `assets/${unique(`${label}.file`)}.css`,
    contentType: "text/css",
    content: content(`${label}.file`, fileSizeBytes, "text/css")
  } satisfies DeclaredFile
})

/** A recording with a unique name. */
export const ownRecording = Effect.fnUntraced(function* (label: string) {
  const { content, unique } = yield* Session
  return {
    name: `screen-${unique(`${label}.recording`)}.webm`,
    kind: "video",
    contentType: "video/webm",
    content: content(`${label}.recording`, recordingSizeBytes, "video/webm")
  } satisfies DeclaredRecording
})

/** Device dimensions that occur in no answer by chance. */
const ownDevice = Effect.fnUntraced(function* (label: string) {
  const { unique } = yield* Session
  const size = (side: string) => 3000 + (Number.parseInt(unique(`${label}.${side}`).slice(0, 6), 16) % 6000)
  return { width: size("width"), height: size("height") }
})

const topics = [
  "checkout",
  "login",
  "search",
  "profile",
  "payments",
  "onboarding",
  "offline",
  "dark-mode",
  "deps"
] as const
const prefixes = ["feature/", "fix/", "chore/", "release/", "renovate/", ""] as const

/** A unique branch name, as a team has it. */
export const branch = Effect.fnUntraced(function* (label: string) {
  const session = yield* Session
  const [prefix, topic] = [yield* drawn(`${label}.prefix`, prefixes), yield* drawn(`${label}.topic`, topics)]
  return `${prefix}${topic}-${session.unique(`${label}.branch`).slice(0, 12)}`
})

/** A unique commit hash of 40 hexadecimal digits. */
export const commitSha = Effect.fnUntraced(function* (label: string) {
  const session = yield* Session
  return [1, 2, 3]
    .map((part) => session.unique(`${label}.commit.${part}`))
    .join("")
    .slice(0, 40)
})

/** Values of fields that every target accepts. Which of them a preview has follows from the run, the check and the label. */
const variants = {
  platform: ["ios", "android"],
  isTransformed: [true, false],
  deviceSpec: [
    { width: 390, height: 844 },
    { width: 1024, height: 768 },
    { width: 1, height: 1 }
  ]
} as const

/** Three files, and a recording where there may be one; a branch, a platform and a bundle that the usual upload hasn't. */
export const unusual = Effect.fnUntraced(function* (label: string) {
  const name = `${yield* branch(label)}/a-name-of-a-branch-that-is-long`
  return {
    fields: { branch: name, platform: "android", isTransformed: false },
    files: (yield* fiveFiles(label)).slice(0, 3),
    recordings: (yield* threeRecordings(label)).slice(0, 1)
  } satisfies PreviewOverrides
})

/** The requests and the bytes that an unusual upload has beyond the usual one. */
export const unusualCost = {
  builds: { requests: 3, bytes: 3 * fileSizeBytes },
  previews: { requests: 4, bytes: 3 * fileSizeBytes + recordingSizeBytes }
} as const

/** One of some values, drawn for this label. */
export const drawn = Effect.fnUntraced(function* <Values extends readonly [unknown, ...ReadonlyArray<unknown>]>(
  label: string,
  values: Values
): Effect.fn.Return<Values[number], never, Session> {
  const { unique } = yield* Session
  return values[Number.parseInt(unique(label).slice(0, 8), 16) % values.length] ?? values[0]
})

/**
 * A preview that nobody has reserved before, with a branch and a commit of its own and a bundle. It has every field that
 * says what is uploaded, because the interface doesn't say which are required.
 */
export const previewInput = Effect.fnUntraced(function* (label: string, overrides: PreviewOverrides = {}) {
  const { account = "a", fields, files = [], recordings = [] } = overrides
  const { config } = yield* Session
  if (account === "b" && !hasTwoRepositories(config)) {
    return yield* Effect.die(new Unconfigured({ reason: oneRepository }))
  }
  const input: PreviewInput = {
    bundle: overrides.bundle ?? (yield* bundle(label)),
    files,
    recordings,
    fields: {
      ...config.accounts[account].linked,
      branch: yield* branch(label),
      platform: yield* drawn(`${label}.platform`, variants.platform),
      commitSha: yield* commitSha(label),
      bundleOrigin: "http://localhost:8081",
      entry: "index.js",
      isTransformed: yield* drawn(`${label}.isTransformed`, variants.isTransformed),
      deviceSpec: yield* drawn(`${label}.deviceSpec`, variants.deviceSpec),
      ...fields
    }
  }
  return input
})

/** The same as a build, which has no recordings. It is for iOS: the platform is a part of its identity. */
export const buildInput = Effect.fnUntraced(function* (label: string, overrides: BuildOverrides = {}) {
  const fields = { platform: "ios", isTransformed: true, ...overrides.fields }
  const { recordings: _, ...input } = yield* previewInput(label, { ...overrides, fields })
  return input
})

/** The fields by which two uploads are the same build. */
export const identityOf = ({ fields }: BuildInput): Fields => {
  const { branch, commitSha, owner, platform, repo } = fields
  return { branch, commitSha, owner, platform, repo }
}

/** A declared value that can't be in an answer by chance. */
export type Mark = string | number

/** Whether a number is in a text on its own, as in `390x844`, and not as a part of a longer number, a hash or a URL. */
const hasNumber = (text: string, number: number): boolean =>
  !/^https?:\/\//i.test(text) && new RegExp(`(?<![0-9a-f.])${number}(?![0-9a-f])`, "i").test(text)

const says = (said: unknown, mark: Mark): boolean => {
  if (typeof said !== "string") return said === mark
  return typeof mark === "number" ? hasNumber(said, mark) : said.toLowerCase().includes(mark.toLowerCase())
}

/** Whether an answer has one of these as a value or as a name of a member, at any depth. */
export const mentions = ({ json }: Pick<HttpResponse, "json">, marks: ReadonlyArray<Mark>): boolean =>
  [...eachMember(json)].some(({ name, value }) => marks.some((mark) => says(value, mark) || says(name, mark)))

/** Requires that each slot has this member, as a text. The check of that has the id `check`. */
const eachSlotHas = ({ slots }: Reserved, member: "contentType" | "objectKey", check: string) =>
  testedBy(check)(
    Effect.forEach(slots, ({ json }) => {
      const { [member]: value = "It had none." } = json
      return must(typeof json[member] === "string" && value !== "", `A slot has ${member} beside its putUrl.`, value)
    })
  )

/** The query for the latest build of the branch and platform of an input. */
export const queryOf = ({ fields }: BuildInput): Fields => {
  const { branch, owner, platform, repo } = fields
  return { owner, repo, branch, platform }
}

/** The id that a build is read by. Skips the check where the suite finds no id in the row. */
export const idOf = ({ id }: Pick<Row, "id">): Effect.Effect<string, Skipped> =>
  id === undefined
    ? new Skipped({ reason: "No id of a build was found in its row: bind `answers.buildId` in the config." })
    : Effect.succeed(id)

/** Reads the latest build of a branch. */
export const readLatest = (query: Fields, as = a) => Dialect.use((dialect) => dialect.latestBuild(query, as))

/** Reads a build by its id. */
export const readById = (id: string, as = a) => Dialect.use((dialect) => dialect.build(id, as))

/** The row in an answer, if there is one. */
const rowIn = Effect.fnUntraced(function* (answer: HttpResponse) {
  if (!answered2xx(answer)) return undefined
  const dialect = yield* Dialect
  return yield* dialect.row(answer).pipe(Effect.orElseSucceed(() => undefined))
})

/**
 * Repeats a read until there is a row for which `holds`, and answers the row. A Violation with the sentence `expected` when
 * there is none by the end of the consistency window.
 */
export const readRow = Effect.fnUntraced(function* <E, R>(
  read: Effect.Effect<HttpResponse, E, R>,
  expected: string,
  holds: (row: Row) => boolean
) {
  const dialect = yield* Dialect
  const { answer, row } = yield* eventually(
    Effect.flatMap(read, (answer) => Effect.map(rowIn(answer), (row) => ({ answer, row }))),
    ({ row }) => row !== undefined && holds(row)
  )
  yield* mustAnswer(answer, "The read of a ready build")
  const last = row ?? (yield* dialect.row(answer))
  yield* must(holds(last), expected, `The row had ${last.url === undefined ? "no url" : `the url ${last.url}`}.`)
  return last
})

/** The row that a read of a ready build answers once every earlier write must be visible. */
export const settledRow = Effect.fnUntraced(function* <E, R>(read: Effect.Effect<HttpResponse, E, R>) {
  const dialect = yield* Dialect
  const answer = yield* settled(read)
  yield* mustAnswer(answer, "The read of a ready build")
  const row = yield* dialect.row(answer)
  yield* mustBeWhole(row, "builds.latest.preview-url", "builds.latest.status-fields")
  yield* testedBy("builds.latest.url")(
    must(row.url !== undefined, "The row of a ready build has its url.", "It had none.")
  )
  return row
})

/** Requires the previewUrl and the status of a ready build, which the checks of these ids test. */
const mustBeWhole = Effect.fnUntraced(function* (row: Row, previewUrlCheck: string, statusCheck: string) {
  const hasPreviewUrl = must(row.previewUrl !== undefined, "The row of a ready build has a previewUrl.", "It had none.")
  yield* testedBy(previewUrlCheck)(hasPreviewUrl)
  yield* testedBy(statusCheck)(mustBeReady(row))
})

/** Requires that a row has this url; `expected` is the sentence of the Violation. */
export const mustHaveUrl = (row: Row, url: string | undefined, expected: string): Effect.Effect<void, Violation> =>
  must(row.url === url, expected, row.url === undefined ? "It had no url." : `It had the url ${row.url}.`)

/** Requires a status, and that it says ready where `bindings.ready` of the config tells how that reads. */
const mustBeReady = Effect.fnUntraced(function* ({ status }: Row) {
  const { ready } = (yield* Session).config.bindings
  const where = "one of them where `answers.buildStatus` of the config says"
  yield* must(status !== undefined, `The row has status fields, ${where}.`, "None was found.")
  if (ready === undefined) return
  const expected = `The status of a ready build is ${JSON.stringify(ready)}, as \`ready\` of the config says.`
  yield* must(JSON.stringify(status) === JSON.stringify(ready), expected, status)
})

/** What the interface shows of a build's state: enough to see a change. */
interface Visible {
  /** Whether there is a build at all; a target may hide one that was never ready. */
  readonly found: boolean
  readonly url: string | undefined
  readonly hasPreviewUrl: boolean
  /** As JSON text. */
  readonly status: string | undefined
}

/** What one read shows of a build's state. */
export const visible = <E, R>(read: Effect.Effect<HttpResponse, E, R>) =>
  read.pipe(
    Effect.flatMap(rowIn),
    Effect.map((row): Visible => {
      const { previewUrl, status, url } = row ?? {}
      return { found: url !== undefined, url, hasPreviewUrl: previewUrl !== undefined, status: JSON.stringify(status) }
    })
  )

const isSame = (one: Visible, other: Visible): boolean => JSON.stringify(one) === JSON.stringify(other)

const asSentence = ({ found, hasPreviewUrl, status = "none" }: Visible): string =>
  found ? `It was read with status ${status} and ${hasPreviewUrl ? "a" : "no"} previewUrl.` : "It was not found."

/** Requires that a read shows what it showed before, until every write must be visible; `expected` begins the Violation. */
export const mustShow = Effect.fnUntraced(function* <E, R>(
  read: Effect.Effect<HttpResponse, E, R>,
  before: Visible,
  expected: string
) {
  const after = yield* eventually(visible(read), (now) => !isSame(now, before))
  yield* must(isSame(after, before), `${expected} ${asSentence(before)}`, asSentence(after))
})

/** Sends a reservation, whatever the answer. */
export const sendReservation = (input: BuildInput, as: Credential) =>
  Dialect.use((dialect) => dialect.reserveBuild(input, as))

const created = testedBy("builds.finalize.created")
const withUrl = testedBy("builds.reserve.url")

const reserve = Effect.fnUntraced(function* (input: BuildInput, as: Credential, situation: string) {
  const dialect = yield* Dialect
  const session = yield* Session
  const answer = yield* sendReservation(input, as)
  yield* mustAnswer(answer, "The reservation of a build")
  yield* session.observe(`builds.${situation}.status`, answer.status)
  const reserved = yield* dialect.reserved(answer, input)
  yield* eachSlotHas(reserved, "contentType", "builds.slots.content-type")
  yield* must(reserved.url !== undefined, "The reservation returns the url of the build.", "It had no url.")
  return { input, as, reserved }
}, withUrl)

/** Reserves a build for the first time. */
export const reserveBuild = Effect.fnUntraced(function* (label: string, overrides?: BuildOverrides, as = a) {
  return yield* reserve(yield* buildInput(label, overrides), as, "reserve")
})

/** The whole row that the finalize of a complete upload answers. */
export const readyRow = Effect.fnUntraced(function* (answer: HttpResponse) {
  const dialect = yield* Dialect
  yield* must(answer.status === 201, "Finalize returns 201.", `It returned ${answer.status}.`)
  const row = yield* dialect.row(answer)
  yield* mustBeWhole(row, "builds.finalize.preview-url", "builds.finalize.status")
  yield* withUrl(must(row.url !== undefined, "The ready build has its url.", "It had none."))
  const urls = [row.url, row.previewUrl].filter((url) => url !== undefined)
  const absolute = must(urls.every(isAbsoluteUrl), "The url and the previewUrl are absolute.", urls)
  yield* testedBy("builds.finalize.absolute-urls")(absolute)
  return row
}, created)

/** Finalizes a build whose upload is complete, and answers its row. */
export const finalizeBuild = Effect.fnUntraced(function* ({ token }: Reserved, as = a) {
  const answer = yield* Dialect.use((dialect) => dialect.finalizeBuild(token, as))
  yield* mustAnswer(answer, "The finalize of a complete upload")
  return yield* readyRow(answer)
}, created)

/** Reserves, uploads and finalizes a build. `row` is the answer to finalize; its url is that of the reservation. */
export const readyBuild = Effect.fnUntraced(function* (label: string, overrides: BuildOverrides = {}) {
  const reservation = yield* reserveBuild(label, overrides, keyOf(overrides.account ?? "a"))
  yield* uploadAll(reservation.reserved)
  const row = yield* finalizeBuild(reservation.reserved, reservation.as)
  const { url } = reservation.reserved
  yield* withUrl(must(row.url === url, `The ready build has the reserved url ${url ?? ""}.`, row.url))
  const session = yield* Session
  if (typeof row.status === "string") yield* session.observe("builds.ready.status-value", row.status)
  return { ...reservation, row, url }
})

/** Reserves and uploads a build. `mustWait` requires that it still reads as it did before any finalize. */
export const uploadedBuild = Effect.fnUntraced(function* (label: string, overrides: BuildOverrides = {}) {
  const session = yield* Session
  const reservation = yield* reserveBuild(label, overrides)
  yield* uploadAll(reservation.reserved)
  const latest = readLatest(queryOf(reservation.input))
  const before = yield* settled(visible(latest))
  yield* session.observe("builds.latest.before-finalize", { found: before.found, hasPreviewUrl: before.hasPreviewUrl })
  return { ...reservation, mustWait: mustShow(latest, before, "A refused finalize leaves the build as it was.") }
})

/** The part of the config that a check needs to read an {@link existingBuild} and create nothing on the target. */
export const suppliedBuild = ["buildId", "buildBranch", "buildPlatform"] as const

/** A ready build to read: the one that the config supplies, or else a new one. */
export const existingBuild = Effect.fnUntraced(function* (label: string) {
  const { accounts, supplied } = (yield* Session).config
  const { buildBranch: branch, buildId, buildPlatform: platform } = supplied
  if (buildId !== undefined && branch !== undefined && platform !== undefined) {
    return { query: { ...accounts.a.linked, branch, platform }, id: Effect.succeed(buildId), isSupplied: true }
  }
  const { input, row } = yield* readyBuild(label)
  return { query: queryOf(input), id: idOf(row), isSupplied: false }
})

/** PUTs the declared bytes to every slot at once, with the content type that the slot names and no key. Each must return 2xx. */
export const uploadAll = Effect.fnUntraced(function* ({ shareId, slots }: Reserved) {
  const dialect = yield* Dialect
  const session = yield* Session
  const profile = shareId === undefined ? "builds" : "previews"
  const tested = testedBy(shareId === undefined ? "builds.files" : "previews.finalize.all-objects")
  const puts = slots.map((slot) => dialect.put(slot, slot))
  for (const answer of yield* Effect.all(puts, { concurrency: "unbounded" })) {
    yield* tested(mustAnswer(answer, "A PUT of the declared bytes"))
    yield* session.observe(`${profile}.put.status`, answer.status)
  }
})

/** The `shareId` of a reservation. */
export const shareIdOf = ({ answer, shareId }: Reserved): Effect.Effect<string, Violation> =>
  shareId === undefined
    ? new Violation({ expected: "The reservation of a preview answers a shareId.", came: answer.text })
    : Effect.succeed(shareId)

/** Finalizes a preview, whatever the answer. */
export const finalizePreview = (reserved: Pick<Reserved, "token" | "shareId">, as = a) =>
  Dialect.use((dialect) => dialect.finalizePreview(reserved, as))

/** Reads a preview's metadata, whatever the answer. */
export const readPreview = (shareId: string, as = a) => Dialect.use((dialect) => dialect.preview(shareId, as))

/** Reserves a preview. */
export const reservePreview = Effect.fnUntraced(function* (label: string, overrides?: PreviewOverrides, as = a) {
  const dialect = yield* Dialect
  const session = yield* Session
  const input = yield* previewInput(label, overrides)
  const answer = yield* dialect.reservePreview(input, as)
  yield* mustAnswer(answer, "The reservation of a preview")
  yield* session.observe("previews.reserve.status", answer.status)
  const reserved = yield* dialect.reserved(answer, input)
  yield* eachSlotHas(reserved, "objectKey", "previews.slots.object-key")
  yield* eachSlotHas(reserved, "contentType", "previews.slots.content-type")
  return { input, reserved }
}, testedBy("previews.reserve.answer"))

const finalized = testedBy("previews.finalize.hosted-url")

/** What the finalize of a complete preview answers, with the hosted URL. */
export const hostedRow = Effect.fnUntraced(function* (answer: HttpResponse) {
  const dialect = yield* Dialect
  const row = yield* dialect.row(answer)
  const expected = "Finalize returns the hosted URL, as `url` or where `answers.previewUrl` of the config says."
  yield* must(row.url !== undefined, expected, answer.text)
  return row
}, finalized)

/** Finalizes a complete preview. `when` completes the sentence "The finalize of a complete preview …". */
export const mustFinalize = Effect.fnUntraced(function* (reserved: Reserved, when: string, as = a) {
  const answer = yield* finalizePreview(reserved, as)
  yield* mustAnswer(answer, `The finalize of a complete preview${when}`)
  return yield* hostedRow(answer)
})

/** A hosted preview. `row` is the answer to finalize. */
interface Hosted {
  readonly input: PreviewInput
  readonly as: Credential
  readonly row: Row
  readonly shareId: string
}

/** Reserves, uploads and finalizes a preview. */
export const hostedPreview = Effect.fnUntraced(function* (label: string, overrides: PreviewOverrides = {}) {
  const session = yield* Session
  const as = keyOf(overrides.account ?? "a")
  const fields = { deviceSpec: yield* ownDevice(label), ...overrides.fields }
  const { input, reserved } = yield* reservePreview(label, { ...overrides, fields }, as)
  yield* uploadAll(reserved)
  const row = yield* finalized(mustFinalize(reserved, "", as))
  yield* session.observe("previews.finalize.status", row.answer.status)
  return { input, as, reserved, row, shareId: yield* shareIdOf(reserved) }
})

/** Something of the metadata: values of which it has one, because the interface doesn't show its shape. */
interface Group {
  readonly check: string
  readonly what: string
  readonly marks: ReadonlyArray<Mark>
}

/** The fields of a reservation that a group of the metadata shows. */
export const shownIn = { device: ["deviceSpec", "width", "height"], git: ["branch", "commitSha"] } as const

/** Whether the config has a place for any of these values: without one, the target never receives them. */
export const isSent = Effect.fnUntraced(function* (places: ReadonlyArray<string>) {
  const available = placeholdersOf((yield* Session).config.bindings.bodies.previewReserve)
  return places.some((place) => available.includes(place))
})

const fileMarks = ({ content, contentType, path }: DeclaredFile): ReadonlyArray<Mark> => [
  path.split("/").at(-1) ?? path,
  content.sha256,
  contentType,
  content.bytes.byteLength
]

const recordingMarks = ({ content, contentType, name }: DeclaredRecording): ReadonlyArray<Mark> => [
  name,
  content.sha256,
  contentType,
  content.bytes.byteLength
]

/** Each file and each recording by a value that no other has. A MUST wants only something of one of them. */
export const eachObject = ({ files, recordings }: PreviewInput): ReadonlyArray<Group> => [
  ...files.map((file) => ({
    check: "every-file",
    what: `the declared file ${file.path}`,
    marks: fileMarks(file).slice(0, 2)
  })),
  ...recordings.map((recording) => ({
    check: "every-recording",
    what: `the declared recording ${recording.name}`,
    marks: recordingMarks(recording).slice(0, 2)
  }))
]

/** What was declared of a preview, as its metadata has it. */
export const declaredGroups = Effect.fnUntraced(function* ({ fields, files, recordings }: PreviewInput) {
  const { branch, commitSha, deviceSpec, owner, repo } = fields
  const device = isObject(deviceSpec) ? Object.values(deviceSpec).filter((size) => typeof size === "number") : []
  const shortSha = typeof commitSha === "string" ? commitSha.slice(0, 7) : undefined
  // Without a repository, a target may have no Git provenance.
  const hasRepository = owner !== undefined && repo !== undefined
  const git = [branch, shortSha].filter((text) => typeof text === "string")
  const groups: ReadonlyArray<Group> = [
    ...((yield* isSent(shownIn.device)) ? [{ check: "device", what: "device details", marks: device }] : []),
    ...(hasRepository && (yield* isSent(shownIn.git))
      ? [{ check: "git", what: "the Git provenance", marks: git }]
      : []),
    { check: "files", what: "something of a declared file", marks: files.flatMap(fileMarks) },
    { check: "recordings", what: "something of a declared recording", marks: recordings.flatMap(recordingMarks) }
  ]
  return groups.filter(({ marks }) => marks.length > 0)
})

/** The hosted URL without the part that may be signed again for each answer. */
const place = ({ url }: Row): string | undefined => url?.split(/[?#]/)[0]

/**
 * Reads the metadata of a hosted preview, which has its url and everything that was declared. `own` are groups that the
 * check requires besides. Unless `untilSettled`, it is read until it is so.
 */
export const readHosted = Effect.fnUntraced(function* (
  { as, input, row, shareId }: Hosted,
  own: ReadonlyArray<Group> = [],
  untilSettled = false
) {
  const dialect = yield* Dialect
  const groups = [...own, ...(yield* declaredGroups(input))]
  const isWhole = (answer: HttpResponse) => answered2xx(answer) && groups.every(({ marks }) => mentions(answer, marks))
  const read = readPreview(shareId, as)
  const answer = yield* eventually(read, (answer) => !untilSettled && isWhole(answer))
  yield* mustAnswer(answer, "The read of a hosted preview by its account")
  for (const { check, marks, what } of groups) {
    const expected = `The metadata has ${what}, one of: ${marks.join(", ")}.`
    yield* testedBy(`previews.metadata.${check}`)(must(mentions(answer, marks), expected, answer.text))
  }
  const first = yield* dialect.row(answer)
  yield* must(first.url !== undefined, "The metadata has the hosted url.", answer.text)
  if (place(first) === place(row)) return answer
  // A target whose url differs at each read may answer another one than finalize did.
  const again = yield* dialect.row(yield* eventually(read, answered2xx))
  const expected = `The metadata has the hosted url ${row.url} that finalize returned.`
  yield* must(place(again) !== place(first), expected, `It had ${first.url}.`)
  return answer
}, testedBy("previews.metadata.url"))

const isWord = (value: Json): boolean =>
  value === null || typeof value === "boolean" || (typeof value === "string" && /^[a-z][a-z _-]*$/i.test(value))

/**
 * The state of a preview as its metadata shows it once every write must be visible: the status code, which members there are,
 * and the values that are words. Times, numbers and URLs are left out because they may differ at each read.
 */
export const standing = Effect.fnUntraced(function* (shareId: string) {
  const { json, status } = yield* settled(readPreview(shareId))
  const said = [...eachMember(json)].map(({ path, value }) => [path, isWord(value) ? value : typeof value])
  return JSON.stringify([status, said])
})

/**
 * Requires that a preview whose finalize was refused reads as it did `before`, and not as it does once `finalize` has hosted
 * it. Where the metadata is the same in both states, nothing can be judged.
 */
export const mustStillWait = Effect.fnUntraced(function* <E, R>(
  shareId: string,
  before: string,
  finalize: Effect.Effect<unknown, E, R>
) {
  const after = yield* standing(shareId)
  if (after === before) return
  yield* finalize
  yield* must(
    after !== (yield* standing(shareId)),
    "A preview whose finalize was refused reads as it did before.",
    "It read as it does once its account has finalized it."
  )
})

/** Reserves a preview and uploads all of it. */
export const uploadedPreview = Effect.fnUntraced(function* (label: string, overrides: PreviewOverrides = {}, as = a) {
  const { input, reserved } = yield* reservePreview(label, overrides, as)
  yield* uploadAll(reserved)
  return { input, reserved, shareId: yield* shareIdOf(reserved) }
})

/** The part of the config that a check needs to read an {@link existingPreview} and create nothing on the target. */
export const suppliedPreview = ["shareId"] as const

/**
 * A hosted preview to read: the one that the config supplies, or else a new one with a file and a recording. `own` are texts
 * that occur in its metadata and, as far as is known, nowhere else. `read` is its metadata once every write must be visible.
 */
export const existingPreview = Effect.fnUntraced(function* (label: string) {
  const { supplied } = (yield* Session).config
  if (supplied.shareId !== undefined) {
    return { shareId: supplied.shareId, own: [], read: settled(readPreview(supplied.shareId)) }
  }
  const [file, recording] = [yield* ownFile(label), yield* ownRecording(label)]
  const hosted = yield* hostedPreview(label, { files: [file], recordings: [recording] })
  const { branch, commitSha } = hosted.input.fields
  const own = [file.path, recording.name, branch, commitSha].filter((text) => typeof text === "string")
  return { shareId: hosted.shareId, own, read: readHosted(hosted, [], true) }
})

const flows = ["Sign in", "Checkout", "Search", "Onboarding", "Open a deep link", "Edit the profile"] as const

/** The unique name of the run with this label. */
export const runName = Effect.fnUntraced(function* (label: string) {
  const session = yield* Session
  return `${yield* drawn(`${label}.flow`, flows)} ${session.unique(`${label}.run`)}`
})

/** The branch of a check's runs, unless it gives them another. Its name has a slash in some checks. */
export const runBranch = Effect.gen(function* () {
  return (yield* branch("runs")) + (yield* drawn("runs.branch-end", ["", "/runs"]))
})

/** Registers a run that points at a preview, whatever the answer: with its own name, on the check's branch. */
export const sendRun = Effect.fnUntraced(function* (label: string, shareId: string, fields: Fields = {}, as = a) {
  const dialect = yield* Dialect
  const name = yield* runName(label)
  const usual = { name, branch: yield* runBranch, previewShareId: shareId }
  return yield* dialect.registerRun({ ...usual, ...fields }, as)
})

const registered = testedBy("runs.register.stored")

/** Requires the links to the hosted viewer that a registration answers. */
const mustLink = Effect.fnUntraced(function* (answer: HttpResponse) {
  const dialect = yield* Dialect
  const { config } = yield* Session
  const { previewUrl, traceUrl } = yield* dialect.registered(answer)
  for (const [name, url] of Object.entries({ previewUrl, traceUrl })) {
    const isAbsolute = url !== undefined && isAbsoluteUrl(url)
    yield* must(isAbsolute, `A registration returns ${name}, an absolute URL.`, url ?? answer.text)
  }
  const urls = [config.viewerUrl, previewUrl, traceUrl].filter((url) => url !== undefined)
  yield* must(
    new Set(urls.map((url) => URL.parse(url)?.host)).size <= 1,
    `Both links are on ${config.viewerUrl ?? "the same host"}.`,
    `previewUrl is ${previewUrl ?? "none"}, traceUrl ${traceUrl ?? "none"}.`
  )
})

/** Registers a run, and requires a 2xx and its links. */
export const registerRun = Effect.fnUntraced(function* (label: string, shareId: string, fields: Fields = {}, as = a) {
  const session = yield* Session
  const kind = yield* drawn(`${label}.kind`, ["maestro", "detox"])
  const answer = yield* sendRun(label, shareId, { kind, ...fields }, as)
  yield* mustAnswer(answer, "The registration of a test run")
  const passed = fields.status === undefined || fields.status === "passed"
  yield* session.observe(`runs.register.${passed ? "passed" : "failed"}.status`, answer.status)
  yield* mustLink(answer)
  return answer
}, registered)

/** Lists as many runs as one list may have, of the check's branch unless the query names another. */
export const listRuns = Effect.fnUntraced(function* (query: Fields = {}, as = a) {
  const dialect = yield* Dialect
  const whole = { branch: yield* runBranch, limit: 100, ...query }
  const asked = dialect.listRuns(whole, as)
  const listed = yield* testedBy("runs.list.repository-alone")(Effect.flatMap(asked, dialect.listed))
  const most = Math.min(100, Math.max(1, Number(whole.limit ?? 100)))
  yield* must(listed.runs.length <= most, `The list has at most ${most} runs.`, listed.runs.length)
  return listed
})

/** Whether an item of a list is the run of that name. */
export const isRun = (json: Json | undefined, name: string): boolean => JSON.stringify(json ?? null).includes(name)

/** The run of that name in a list. */
export const runIn = ({ runs }: Listed, name: string): ListedRun | undefined =>
  runs.find(({ json }) => isRun(json, name))

/** Lists the runs of the check's branch until those with these labels are in the list. */
export const listWith = Effect.fnUntraced(function* (labels: ReadonlyArray<string>) {
  const names = yield* Effect.forEach(labels, runName)
  const missing = (listed: Listed) => names.filter((name) => runIn(listed, name) === undefined)
  const listed = yield* eventually(listRuns(), (listed) => missing(listed).length === 0)
  yield* must(
    missing(listed).length === 0,
    "A registered test run is in the list of its repository and branch.",
    `The list was without ${missing(listed).join(", ")}.`
  )
  return listed
}, registered)

/** Lists until the runs with these labels are in the list, and answers them in the order of the labels. */
export const storedRuns = Effect.fnUntraced(function* (labels: ReadonlyArray<string>) {
  const listed = yield* listWith(labels)
  const names = yield* Effect.forEach(labels, runName)
  return names.flatMap((name) => runIn(listed, name) ?? [])
})

/** Requires that the run with this label is not in a list once every write must be visible. */
export const mustNotBeStored = Effect.fnUntraced(function* (label: string, what: string, query?: Fields, as = a) {
  const name = yield* runName(label)
  const listed = yield* settled(listRuns(query, as))
  yield* must(runIn(listed, name) === undefined, `${what} is not stored.`, "It was in the list of test runs.")
})

/** A read with any key. */
type ReadAs = (as: Credential) => Effect.Effect<HttpResponse, NoResponse, Session | Dialect>

/** A check that reads without the right key are refused, which creates nothing where the config supplies what is read. */
export const wrongKeyReads = (
  area: "builds" | "previews" | "runs",
  lackedBy: ReadonlyArray<KeyName>,
  about: Pick<Check, "cost" | "readOnly" | "supplied">,
  reads: Effect.Effect<ReadonlyArray<ReadAs>, Violation | Skipped | NoResponse, Session | Dialect>
): CheckTable => ({
  [`${area}.key.read`]: {
    ...about,
    title: `Reads of ${area} without a key, with an unknown key or without the scope are refused.`,
    *run() {
      const { pairsOfScopes = false, scopedKeys = true } = (yield* Session).config
      const scoped = lackedBy.filter((key) => (key.startsWith("without") ? pairsOfScopes : scopedKeys))
      for (const send of yield* reads) {
        for (const as of ["none", "unknown", "altered", ...scoped.map((key) => keyOf("a", key))] as const) {
          const what = `A read with the key ${typeof as === "string" ? as : as.key}`
          yield* refuses(send(as), what, `${area}.key.read.${typeof as === "string" ? as : "scope"}`)
        }
      }
    }
  }
})
