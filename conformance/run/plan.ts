import { Data, Effect, Layer, Runtime } from "effect"
import {
  answered2xx,
  buildInput,
  hasTwoRepositories,
  keyOf,
  previewInput,
  sendRun,
  shareIdOf,
  uploadAll,
  type Check,
  type Profile
} from "../checks/steps.ts"
import { Refused, type Cleanup, type Config } from "../config/Config.ts"
import { levelOf, proves, requirements } from "../requirements/index.ts"
import { checksOf, coverage } from "../requirements/Requirement.ts"
import { choicesKept, unknownId, type Expected, type Plan, type Planned, type Selection } from "./judge.ts"
import { KeyName, type AccountName, type HttpResponse } from "../session/Exchange.ts"
import { keyHeader, live, type RunContext } from "../session/live.ts"
import { Session, type Keys } from "../session/Session.ts"
import { Transport } from "../session/transport.ts"
import { Dialect, type BuildInput, type PreviewInput } from "../dialect/Dialect.ts"
import * as dialectLayer from "../dialect/layer.ts"
import type { CheckResult, Report } from "../report/Report.ts"
import { excerpt, oneLine } from "../report/text.ts"
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"

const plannedOf = (check: Check): Planned => ({
  id: check.id,
  profile: check.profile,
  title: check.title,
  level: levelOf(check.id),
  requirements: proves(check.id).map(({ id }) => id),
  check
})

const keptChoices = ({ id, profile, title }: (typeof choicesKept)[number]): Planned => ({
  id,
  profile,
  title,
  level: "SHOULD",
  requirements: [],
  check: undefined
})

/** Every check for a target that claims these profiles. */
export const wholePlan = (checks: ReadonlyArray<Check>, profiles: ReadonlyArray<Profile>): ReadonlyArray<Planned> =>
  [...checks.map(plannedOf), ...choicesKept.map(keptChoices)].filter(({ profile }) => profiles.includes(profile))

/** The checks that are meant: the one of this id, those of the sentence of this id, or those whose ids begin with it. */
const meant = (asked: string, ids: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (ids.includes(asked)) return [asked]
  const sentence = requirements.find(({ id }) => id === asked)
  const proving = sentence === undefined ? [] : checksOf(sentence).filter((id) => ids.includes(id))
  return proving.length > 0 ? proving : ids.filter((id) => id.startsWith(`${asked.replace(/\.?\*?$/, "")}.`))
}

/** Whether a check creates nothing on the target with this config. */
const onlyReads = (check: Check, supplied: Config["supplied"]): boolean =>
  check.readOnly === true ||
  (check.supplied !== undefined && check.supplied.every((name) => supplied[name] !== undefined))

/** The plan of a run. Refused: a plan without a check, and an unknown id. */
export const plan = Effect.fnUntraced(function* (
  checks: ReadonlyArray<Check>,
  selection: Selection
): Effect.fn.Return<Plan, Refused> {
  const { profiles, readOnly, supplied = {} } = selection
  const everything = wholePlan(checks, ["builds", "previews", "testRuns"])
  const ids = everything.map(({ id }) => id)
  const asked = selection.only.map((one) => ({ one, some: meant(one, ids) }))
  const unknown = asked.find(({ some }) => some.length === 0)
  if (unknown !== undefined) return yield* unknownId(unknown.one, ids)
  const only = asked.flatMap(({ some }) => some)
  const whole = wholePlan(checks, profiles)
  const unclaimed = asked.find(({ some }) => !whole.some(({ id }) => some.includes(id)))?.one
  if (unclaimed !== undefined) {
    return yield* new Refused({ message: `${unclaimed} is a check of a profile that the config doesn't claim` })
  }
  const whollyAsked = choicesKept.filter(({ id }) => only.includes(id)).map(({ profile }) => profile)
  const planned = whole.filter(
    ({ check, id, profile }) =>
      (only.length === 0 || only.includes(id) || whollyAsked.includes(profile)) &&
      (!readOnly || (check !== undefined && onlyReads(check, supplied)))
  )
  if (!planned.some(({ check }) => check !== undefined)) {
    return yield* new Refused({
      message: "Nothing would be checked: no check is left by the profiles, --only and --read-only"
    })
  }
  return { selection, planned, whole: whole.map(({ id, profile }) => ({ id, profile })) }
})

// A check of the settings before a run: one read for each key and repository, so that a wrong setting isn't judged as a
// fault.

/** A read with a key, of a repository's resources. */
interface Look {
  readonly account: AccountName
  readonly key: KeyName
  /** Whose linked repository is read; that of the account itself, unless the keys are tried the other way round. */
  readonly of: AccountName
  readonly profile: Profile
}

interface Seen extends Look {
  /** `undefined` when none came in time. */
  readonly answer: HttpResponse | undefined
}

/** The timeout of this check in milliseconds, even if the config allows longer answers. */
const most = 2400

/** The profiles whose endpoints each key can read. */
const readable: Readonly<Record<KeyName, ReadonlyArray<Profile>>> = {
  all: ["testRuns", "builds", "previews"],
  cleanup: [],
  builds: ["builds"],
  previewUpload: ["previews"],
  testRuns: ["testRuns"],
  withoutBuilds: ["testRuns", "previews"],
  withoutPreviewUpload: ["testRuns", "builds"],
  withoutTestRuns: ["builds", "previews"]
}

const pathOf = ({ of, profile }: Look, { accounts }: Config): string => {
  const { owner, repo } = accounts[of].linked
  const named = { builds: { owner, repo, branch: "main", platform: "ios" }, testRuns: { org: owner, repo } }
  if (profile === "previews") return "/previews/0a1b2c3d4e5f6g7h8i9j0k"
  return profile === "builds"
    ? `/builds?${new URLSearchParams(named.builds).toString()}`
    : `/test-runs?${new URLSearchParams(named.testRuns).toString()}`
}

const looksOf = (config: Config, keys: Keys): ReadonlyArray<Look> =>
  (["a", "b"] as const).flatMap((account) =>
    KeyName.literals.flatMap((key) => {
      const profile = readable[key].find((one) => config.profiles.includes(one))
      return profile === undefined || keys[account][key] === undefined ? [] : [{ account, key, of: account, profile }]
    })
  )

const isAnswered = ({ answer }: Seen, ...statuses: ReadonlyArray<number>): boolean =>
  answer !== undefined && statuses.includes(answer.status)

const settingOf = ({ account, key }: Look): string => `accounts.${account}.keys.${key}`

/** Each account is given what is the other's. */
export class Leak extends Data.TaggedError("Leak")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = 1
}

const isPage = ({ answer }: Seen): boolean =>
  answer !== undefined && answer.json === undefined && /<(?:!doctype|html)[\s>]/i.test(answer.text)

/** What is wrong with the settings as a whole, judged by every read together. */
const nothingFits = (seen: ReadonlyArray<Seen>, { bindings, url }: Config): string | undefined => {
  const [first] = seen
  if (first === undefined) return undefined
  if (seen.every(isPage)) return `url: ${url} returns a page of HTML for every read; is it the API's base URL?`
  const { headers: { location = "" } = {}, status: was = 0 } = first.answer ?? {}
  if (seen.every(({ answer }) => answer !== undefined && answer.status > 299 && answer.status < 400)) {
    return `url: ${url} redirects every read (${was}) to ${location === "" ? "nowhere" : location}; set the url that it redirects to`
  }
  if (seen.every(({ answer }) => answer !== undefined && answer.status > 499)) {
    return `url: ${url} returns ${was} for every read; does the service work there?`
  }
  // Lists of runs may all be empty.
  const isList = first.answer?.text.includes("[") === true && seen.every(({ profile }) => profile === "testRuns")
  const isSame = seen.every((one) => isAnswered(one, 200) && one.answer?.text === first.answer?.text)
  if (seen.length > 2 && isSame && !isList) {
    return `url: ${url} returns 200 with the same body for every read, ${excerpt(oneLine(first.answer?.text ?? ""), 40)}; is it the API's base URL?`
  }
  const isApi = url.endsWith("/api/v1")
  const status = first.answer?.status ?? 404
  const sent = `"${bindings.key.header}: ${bindings.key.value}"`
  if (seen.every((one) => isAnswered(one, 404, 405, ...(isApi ? [401, 403] : [])))) {
    const hasList = seen.some(({ profile }) => profile === "testRuns")
    if (isApi) return `url: ${url} returns ${status} for every read; leave /api/v1 out, requests add it`
    // Without a list, 404 is what a read of nothing answers.
    if (!hasList) return undefined
    return `url, bindings.key: every read returns ${status}; is ${url} what stands before /api/v1, does the target read the key from ${sent}, and are the repositories at accounts.a.linked and accounts.b.linked linked?`
  }
  if (seen.length > 1 && seen.every((one) => isAnswered(one, 401, 403))) {
    return `bindings.key: every key is refused (${status}); the run sends it as ${sent}; is that the header that the target reads?`
  }
  return undefined
}

/** What is wrong with single keys and repositories, one line each. */
const mismatches = (seen: ReadonlyArray<Seen>, config: Config): ReadonlyArray<string> =>
  seen.flatMap((one) => {
    const { account, key, profile } = one
    const setting = settingOf(one)
    if (isAnswered(one, 401)) return `${setting}: the target doesn't know this key (401)`
    if (isAnswered(one, 403) && key !== "all") return `${setting}: refused to read ${profile} (403); has it that scope?`
    const { accounts } = config
    const isList = profile === "testRuns" && key === "all" && (account === "a" || hasTwoRepositories(config))
    if (!isList || !isAnswered(one, 403, 404)) return []
    const { owner, repo } = accounts[account].linked
    return `accounts.${account}.linked: the runs of ${owner}/${repo} are refused to ${setting} (${one.answer?.status ?? 404}); is it linked to that account?`
  })

/**
 * Reads once with each key, for a few seconds at most, and is Refused with the settings that the target doesn't accept,
 * at most eight of them. It creates nothing. It judges nothing else.
 */
export const look = Effect.fnUntraced(function* (config: Config, keys: Keys) {
  const { send } = yield* Transport
  const read = (one: Look) => {
    const key = keys[one.account][one.key]
    const request = {
      method: "GET",
      url: `${config.url}/api/v1${pathOf(one, config)}`,
      headers: { accept: "application/json", ...(key === undefined ? {} : keyHeader(config.bindings.key, key)) },
      body: undefined,
      timeoutMs: Math.min(config.timeoutMs, most)
    }
    return Effect.map(
      Effect.orElseSucceed(send(request), () => undefined),
      (answer): Seen => ({ ...one, answer })
    )
  }
  const looks = looksOf(config, keys)
  const seen = yield* Effect.forEach(looks, read, { concurrency: "unbounded" })
  const lists = seen.filter((one) => one.key === "all" && one.profile === "testRuns" && isAnswered(one, 403, 404))
  const crossed = yield* Effect.forEach(
    lists.length === 2 ? lists : [],
    (one) => read({ ...one, of: one.account === "a" ? "b" : "a" }),
    { concurrency: 2 }
  )
  if (crossed.length === 2 && crossed.every((one) => isAnswered(one, 200))) {
    return yield* new Leak({
      message:
        "Each account's key reads the other's repository and not its own: a violation of auth.visibility, unless the config has the keys of accounts.a and accounts.b exchanged"
    })
  }
  const whole = nothingFits(seen, config)
  const wrong = whole === undefined ? mismatches(seen, config) : [whole]
  if (wrong.length === 0) return
  const lines = [...wrong.slice(0, 7), ...(wrong.length > 7 ? [`and ${wrong.length - 7} more`] : [])]
  return yield* new Refused({ message: ["The target refuses what the config says:", ...lines].join("\n  ") })
})

// The requests that every check needs, once with each key, before a run: what the target refuses of them is a wrong setting, and
// not a fault in every check. Reports have nothing of it but the ledger.

/** The digits of a run's id that are random where the rest follows from a challenge. */
export const saltDigits = 6

/** The id of a run that follows from a salt and a challenge, so that nobody could have recorded the run before. */
export const challengedId = (salt: string, challenge: string): string =>
  salt + createHash("sha256").update(`${salt}\n${challenge}`).digest("hex").slice(0, 10)

/** What stands for a check in the ledger. */
export const rehearsal = "rehearsal"

interface Asked {
  /** Begins a sentence: "The reservation of a build". */
  readonly what: string
  readonly body: "buildReserve" | "previewReserve" | "runRegister"
  readonly scope: string
  readonly account: AccountName
  readonly key: KeyName
}

const build = { what: "The reservation of a build", body: "buildReserve", scope: "builds" } as const
const preview = { what: "The reservation of a preview", body: "previewReserve", scope: "preview_upload" } as const
const register = { what: "The registration of a test run", body: "runRegister", scope: "test_runs" } as const

/** Those with a key of every scope, and with one that has only the scope that is needed. */
const keysIn = (config: Config) => (scoped: KeyName) => [
  { account: "a", key: "all" } as const,
  ...(hasTwoRepositories(config) ? [{ account: "b", key: "all" } as const] : []),
  ...(config.scopedKeys === false ? [] : [{ account: "a", key: scoped } as const])
]

/** The setting that a refusal is about; `undefined` where the checks must judge the answer. */
const mismatch = ({ account, body, key, scope, what }: Asked, { status, text }: HttpResponse): string | undefined => {
  if (status === 401 || status === 403) {
    return `accounts.${account}.keys.${key}: ${what.toLowerCase()} is refused (${status}); has the key write access and the scope ${scope}?`
  }
  if (status !== 400 && status !== 415 && status !== 422) return undefined
  return `bindings.bodies.${body}: ${what.toLowerCase()} is refused (${status}); does the target want other fields? It says ${excerpt(oneLine(text), 300)}`
}

/** Every origin that isn't the target's own must be there. */
const reachUploads = Effect.fnUntraced(function* (
  { config }: RunContext,
  slots: ReadonlyArray<{ readonly putUrl: string }>
) {
  const { send } = yield* Transport
  for (const origin of new Set(slots.map(({ putUrl }) => new URL(putUrl).origin))) {
    if (origin === new URL(config.url).origin) continue
    const probe = { method: "GET", url: `${origin}/`, headers: {}, body: undefined, timeoutMs: config.timeoutMs }
    const failed = ({ reason }: { readonly reason: string }) =>
      new Unreachable({ reason: `A putUrl can't be reached. ${reason}` })
    yield* Effect.mapError(send(probe), failed)
  }
})

/** What a rehearsal made, and what is wrong, if anything. */
interface Rehearsed {
  readonly made: Report["ledger"]
  /** The settings that the target doesn't accept, or the origin of a `putUrl` that doesn't answer. */
  readonly problem: Refused | Unreachable | undefined
}

export const rehearse = Effect.fnUntraced(function* (
  run: RunContext,
  profiles: ReadonlyArray<Profile>
): Effect.fn.Return<Rehearsed, never, Transport> {
  const { log, session } = yield* live(run, rehearsal)
  const keys = keysIn(run.config)
  const wrong: Array<string> = []
  const answered = (asked: Asked, answer: HttpResponse): boolean => {
    const said = mismatch(asked, answer)
    if (said !== undefined) wrong.push(said)
    return answered2xx(answer)
  }
  const reserving = Effect.fnUntraced(function* (asked: Asked, input: BuildInput | PreviewInput) {
    const dialect = yield* Dialect
    const as = keyOf(asked.account, asked.key)
    const answer =
      "recordings" in input ? yield* dialect.reservePreview(input, as) : yield* dialect.reserveBuild(input, as)
    return answered(asked, answer) ? yield* dialect.reserved(answer, input) : undefined
  })
  const rehearsed = Effect.gen(function* () {
    const dialect = yield* Dialect
    if (profiles.includes("builds")) {
      for (const { account, key } of keys("builds")) {
        const reserved = yield* reserving(
          { ...build, account, key },
          yield* buildInput(`${account} ${key}`, { account })
        )
        yield* reachUploads(run, reserved?.slots ?? [])
      }
    }
    if (!profiles.includes("previews") && !profiles.includes("testRuns")) return
    for (const { account, key } of keys("previewUpload")) {
      const input = yield* previewInput(`preview ${account} ${key}`, { account })
      const reserved = yield* reserving({ ...preview, account, key }, input)
      yield* reachUploads(run, reserved?.slots ?? [])
      if (reserved === undefined || !profiles.includes("testRuns") || key !== "all") continue
      yield* uploadAll(reserved)
      if (!answered2xx(yield* dialect.finalizePreview(reserved, keyOf(account)))) continue
      for (const one of keys("testRuns").filter((one) => one.account === account)) {
        const answer = yield* sendRun(`${account} ${one.key}`, yield* shareIdOf(reserved), {}, keyOf(account, one.key))
        answered({ ...register, ...one }, answer)
      }
    }
  })
  const unreachable = yield* rehearsed.pipe(
    Effect.provide(dialectLayer.layer.pipe(Layer.provideMerge(Layer.succeed(Session, session)))),
    Effect.as(undefined),
    // Whatever else is wrong, the checks report.
    Effect.catchTags({
      Violation: () => Effect.undefined,
      NoResponse: () => Effect.undefined,
      Unreachable: (problem) => Effect.succeed(problem)
    })
  )
  const { made, redact } = yield* log
  const message = ["The target refuses what every check needs:", ...new Set(wrong.map(redact))].join("\n  ")
  return {
    made: made.map(({ id, kind, url }) => ({
      check: rehearsal,
      what: kind,
      id: redact(id),
      ...(url === undefined ? {} : { url: redact(url) })
    })),
    problem: unreachable ?? (wrong.length === 0 ? undefined : new Refused({ message }))
  }
})

// Deletes what a run has created on the target, by the config's `cleanup`.

type Resource = Pick<Report["ledger"][number], "what" | "id" | "url">
type Cleaned = NonNullable<Report["cleanup"]>
interface Cleaning {
  readonly config: Config
  readonly keys: Keys
}

/** Resources that point at others are deleted first. */
export const order = ["testRun", "preview", "build"] as const

/** The last part of a URL's path, decoded where that can be. */
const lastPart = (url: string): string => {
  const last = new URL(url).pathname.split("/").at(-1) ?? ""
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

interface Resources {
  /** Each resource once, those first that point at others. */
  readonly known: ReadonlyArray<Resource>
  /** Those whose id nothing shows, as sentences. */
  readonly unknown: ReadonlyArray<string>
}

/**
 * What a ledger has. Where no answer had the id of a resource, the end of its URL is the id, unless another of its kind shows
 * that ids don't stand there.
 */
const resourcesIn = (ledger: Report["ledger"]): Resources => {
  const all = [...new Map(ledger.map((one) => [`${one.what} ${one.id}`, one])).values()]
  const elsewhere = new Set(
    all.flatMap(({ id, url, what }) => (url === undefined || id === url || lastPart(url) === id ? [] : [what]))
  )
  const isUnknown = ({ id, what }: Resource) => URL.canParse(id) && elsewhere.has(what)
  return {
    known: all
      .filter((one) => !isUnknown(one))
      .map(({ id, url, what }) => ({
        what,
        id: URL.canParse(id) ? lastPart(id) : id,
        ...(url === undefined ? {} : { url })
      }))
      .toSorted((one, other) => order.indexOf(one.what) - order.indexOf(other.what)),
    unknown: all
      .filter(isUnknown)
      .map(
        ({ id, what }) =>
          `${what} ${id}: no answer had its id; bind it in \`bindings.answers\` where a reservation has it`
      )
  }
}

/** How a command ended: nothing on success, or the error. */
const commanded = (
  [program, ...args]: readonly [string, ...ReadonlyArray<string>],
  resources: ReadonlyArray<Resource>
) =>
  Effect.callback<string | undefined>((resume) => {
    const child = spawn(program, args, { stdio: ["pipe", "ignore", "inherit"] })
    child.on("error", ({ message }) => resume(Effect.succeed(message)))
    child.on("close", (code) => resume(Effect.succeed(code === 0 ? undefined : `it ended with ${String(code)}`)))
    // A program may end before it has read everything.
    child.stdin.on("error", () => {})
    child.stdin.end(resources.map((resource) => `${JSON.stringify(resource)}\n`).join(""))
    return Effect.sync(() => void child.kill())
  })

/** Sends a request without a body with the key of an account. Answers the status and the text, or why there was no answer. */
const ask = Effect.fnUntraced(function* (
  { config, keys }: Cleaning,
  { method, path }: { readonly method: string; readonly path: string },
  account: AccountName
) {
  const { send } = yield* Transport
  const key = (method === "GET" ? undefined : keys[account].cleanup) ?? keys[account].all
  const headers = key === undefined ? {} : keyHeader(config.bindings.key, key)
  return yield* send({ method, url: config.url + path, headers, body: undefined, timeoutMs: config.timeoutMs }).pipe(
    Effect.catch(({ reason }) => Effect.succeed({ status: 0, text: reason }))
  )
})

const isDone = ({ status }: { readonly status: number }): boolean => status >= 200 && status < 300

/** Asks for the removal of a resource: nothing when it was done or there is nothing any more, or what was answered. */
const remove = Effect.fnUntraced(function* (
  cleaning: Cleaning,
  requests: NonNullable<Cleanup["requests"]>,
  { id, what }: Resource
) {
  const request = requests[what]
  if (request === undefined) return "the config has no request for it"
  const path = request.path.replaceAll("{id}", encodeURIComponent(id))
  // The ledger doesn't name its account.
  const answers = [yield* ask(cleaning, { ...request, path }, "a")]
  if (!answers.some(isDone)) answers.push(yield* ask(cleaning, { ...request, path }, "b"))
  if (answers.some(isDone) || answers.every(({ status }) => status === 404 || status === 410)) return undefined
  const { status = 0, text = "" } = answers.at(-1) ?? {}
  return status === 0 ? text : `answered ${status}`
})

/** Whether a resource can still be read, by either account. */
const isThere = Effect.fnUntraced(function* (cleaning: Cleaning, { id, url, what }: Resource) {
  const { a, b } = cleaning.config.accounts
  for (const [account, { linked }] of [
    ["a", a],
    ["b", b]
  ] as const) {
    const list = new URLSearchParams({ org: linked.owner, repo: linked.repo, limit: "100" }).toString()
    const path = what === "testRun" ? `test-runs?${list}` : `${what}s/${encodeURIComponent(id)}`
    const answer = yield* ask(cleaning, { method: "GET", path: `/api/v1/${path}` }, account)
    if (isDone(answer) && (what !== "testRun" || answer.text.includes(JSON.stringify(url ?? id)))) return true
  }
  return false
})

/**
 * Deletes everything in a ledger, reads whether it is deleted, and reports what remains and why. An error here doesn't change the
 * verdicts.
 */
export const cleanUp = Effect.fnUntraced(function* (
  cleaning: Cleaning,
  { command, requests }: Cleanup,
  ledger: Report["ledger"]
): Effect.fn.Return<Cleaned, never, Transport> {
  const { config } = cleaning
  const { known, unknown } = resourcesIn(ledger)
  if (known.length === 0) return { removed: 0, left: unknown }
  const failed = command === undefined ? undefined : yield* commanded(command, known)
  if (failed !== undefined) {
    return {
      removed: 0,
      left: [`${known.length} resources: the command ${command?.[0]} failed, ${failed}`, ...unknown]
    }
  }
  const left = new Map<Resource, string>()
  const each = (
    what: Resource["what"],
    reason: (one: Resource) => Effect.Effect<string | undefined, never, Transport>
  ) =>
    Effect.forEach(
      known.filter((one) => one.what === what && !left.has(one)),
      (one) => Effect.map(reason(one), (wrong) => wrong !== undefined && left.set(one, wrong)),
      { concurrency: config.concurrency, discard: true }
    )
  if (command === undefined) for (const what of order) yield* each(what, (one) => remove(cleaning, requests ?? {}, one))
  yield* Effect.sleep(config.windowMs)
  const still = "it can still be read after its removal"
  for (const what of order) {
    yield* each(what, (one) => Effect.map(isThere(cleaning, one), (there) => (there ? still : undefined)))
  }
  return {
    removed: known.length - left.size,
    left: [...[...left].map(([{ id, what }, reason]) => `${what} ${id}: ${reason}`), ...unknown]
  }
})

/** Every sentence of the interface with its checks, as text for people. */
export const coverageLines = (checks: ReadonlyArray<Check>): ReadonlyArray<string> => {
  const { coveredMusts, observableMusts, rows, sentences, unobservable } = coverage(requirements, checks)
  const lines = rows.flatMap((row) => [
    `§${row.section}  ${row.level}  ${row.id}`,
    `    ${row.text}`,
    ...(row.unobservable === undefined ? [] : [`    can't be seen from outside: ${row.unobservable}`]),
    ...row.checks.map(({ id }) => `    - ${id}`)
  ])
  return [
    ...lines,
    "",
    `${sentences} sentences; ${coveredMusts} of ${observableMusts} that bind and can be seen from outside are proved by ` +
      `${checks.length} checks, ${unobservable} can't be seen from outside.`
  ]
}

/** The exit codes of a run. */
export const exitCodes = {
  /** Every requested MUST passed or is excused. */
  conformant: 0,
  /** A MUST failed or was skipped without an excuse, or an excuse is stale or expired. */
  violation: 1,
  /** The config, a file or a flag is invalid, or the target refuses what the config says. No check was made. */
  config: 2,
  /** The target can't be reached, was lost during the run, or left a request without an answer, and nothing else is wrong. */
  unreachable: 3,
  /** The suite has a fault. */
  suiteFault: 4,
  /** A signal ended the run. The report has what was checked before. */
  interrupted: 130
} as const
/** An exit code of a run. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

const isHarmless = (
  result: CheckResult,
  results: ReadonlyArray<CheckResult>,
  excused: ReadonlyArray<string>
): boolean => {
  const { blockedBy, id, level, outcome } = result
  if (outcome === "no-answer") return true
  if (level !== "MUST" || outcome === "passed" || outcome === "expected-failure") return true
  // What is blocked counts as what blocks it.
  const root = results.find((one) => one.id === blockedBy)
  return (
    (outcome === "skipped" && excused.includes(id)) ||
    root?.outcome === "expected-failure" ||
    root?.outcome === "no-answer"
  )
}

/** `lost` says why the target can't be reached any more, if it was lost during the run. */
export const exitCode = ({ complaints, excused, results }: Expected, lost: string | undefined): ExitCode => {
  if (results.some(({ outcome }) => outcome === "suite-fault")) return exitCodes.suiteFault
  if (lost !== undefined) return exitCodes.unreachable
  const fine = complaints.length === 0 && results.every((result) => isHarmless(result, results, excused))
  if (!fine) return exitCodes.violation
  return results.some(({ outcome }) => outcome === "no-answer") ? exitCodes.unreachable : exitCodes.conformant
}

/** The target can't be reached. The message is one sentence for a person. */
export class Unreachable extends Data.TaggedError("Unreachable")<{ readonly reason: string }> {
  override readonly [Runtime.errorExitCode] = 3

  override readonly message = this.reason
}
