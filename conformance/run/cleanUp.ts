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

/** Each resource once, those first that point at others. Its id is the end of its URL if the target shows no other. */
const resourcesIn = (ledger: Report["ledger"]): ReadonlyArray<Resource> => {
  const all = new Map<string, Resource>()
  for (const { id, url, what } of ledger) {
    const own = URL.canParse(id) ? lastPart(id) : id
    all.set(`${what} ${own}`, { what, id: own, ...(url === undefined ? {} : { url }) })
  }
  return [...all.values()].toSorted((one, other) => order.indexOf(one.what) - order.indexOf(other.what))
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

const byCommand = Effect.fnUntraced(function* (
  command: readonly [string, ...ReadonlyArray<string>],
  resources: ReadonlyArray<Resource>
) {
  const wrong = yield* commanded(command, resources)
  return wrong === undefined
    ? { removed: resources.length, left: [] }
    : { removed: 0, left: [`${resources.length} resources: the command ${command[0]} failed, ${wrong}`] }
})

const byRequest = Effect.fnUntraced(function* (
  { config, keys }: { readonly config: Config; readonly keys: Keys },
  requests: NonNullable<Cleanup["requests"]>,
  { id, what }: Resource
) {
  const { send } = yield* Transport
  const asked = requests[what]
  if (asked === undefined) return `${what} ${id}: the config has no request for it`
  const ask = (account: AccountName) => {
    const key = keys[account].all
    const headers = key === undefined ? {} : keyHeader(config.bindings.key, key)
    const url = config.url + asked.path.replaceAll("{id}", encodeURIComponent(id))
    return send({ method: asked.method, url, headers, body: undefined, timeoutMs: config.timeoutMs }).pipe(
      Effect.map(({ status }) => (status < 300 ? undefined : `answered ${status}`)),
      Effect.catch(({ reason }) => Effect.succeed(reason))
    )
  }
  // The ledger doesn't name its account.
  const refused = yield* ask("a")
  const wrong = refused === undefined ? undefined : yield* ask("b")
  return wrong === undefined ? undefined : `${what} ${id}: ${wrong}`
})

/** Deletes everything in a ledger, and reports what remains and why. An error here doesn't change the verdicts. */
export const cleanUp = Effect.fnUntraced(function* (
  target: { readonly config: Config; readonly keys: Keys },
  { command, requests }: Cleanup,
  ledger: Report["ledger"]
): Effect.fn.Return<Cleaned, never, Transport> {
  const resources = resourcesIn(ledger)
  if (resources.length === 0) return { removed: 0, left: [] }
  if (command !== undefined) return yield* byCommand(command, resources)
  const left: Array<string> = []
  for (const what of order) {
    const wrong = yield* Effect.forEach(
      resources.filter((one) => one.what === what),
      (one) => byRequest(target, requests ?? {}, one),
      { concurrency: target.config.concurrency }
    )
    left.push(...wrong.filter((one) => one !== undefined))
  }
  return { removed: resources.length - left.length, left }
})
