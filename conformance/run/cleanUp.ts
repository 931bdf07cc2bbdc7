/** Deletes what a run has created on the target, by the config's `cleanup`. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import type { Cleanup, Config } from "../config/Config.ts"
import type { Report } from "../report/Report.ts"
import type { AccountName } from "../session/Exchange.ts"
import { keyHeader } from "../session/keyHeader.ts"
import type { Keys } from "../session/Keys.ts"
import { Transport } from "../session/transport.ts"

type Resource = Pick<Report["ledger"][number], "what" | "id" | "url">
type Cleaned = NonNullable<Report["cleanup"]>
interface Cleaning {
  readonly config: Config
  readonly keys: Keys
}

/** Resources that point at others are deleted first. */
const order = ["testRun", "preview", "build"] as const

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
  const key = keys[account].all
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
