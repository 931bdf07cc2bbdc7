/** Takes from the target what a run has made there, in the way that the target's own config tells. */
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

/** What points at others goes first. */
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

/** Each thing once, those first that point at others. Its id is the end of its URL where the target shows no other. */
const resourcesIn = (ledger: Report["ledger"]): ReadonlyArray<Resource> => {
  const all = new Map<string, Resource>()
  for (const { id, url, what } of ledger) {
    const own = URL.canParse(id) ? lastPart(id) : id
    all.set(`${what} ${own}`, { what, id: own, ...(url === undefined ? {} : { url }) })
  }
  return [...all.values()].toSorted((one, other) => order.indexOf(one.what) - order.indexOf(other.what))
}

/** How a command ended: nothing when all went well, or what went wrong. */
const commanded = ([program, ...args]: readonly [string, ...ReadonlyArray<string>], things: ReadonlyArray<Resource>) =>
  Effect.callback<string | undefined>((resume) => {
    const child = spawn(program, args, { stdio: ["pipe", "ignore", "inherit"] })
    child.on("error", ({ message }) => resume(Effect.succeed(message)))
    child.on("close", (code) => resume(Effect.succeed(code === 0 ? undefined : `it ended with ${String(code)}`)))
    // A program may end before it has read everything.
    child.stdin.on("error", () => {})
    child.stdin.end(things.map((resource) => `${JSON.stringify(resource)}\n`).join(""))
    return Effect.sync(() => void child.kill())
  })

const byCommand = Effect.fnUntraced(function* (
  command: readonly [string, ...ReadonlyArray<string>],
  things: ReadonlyArray<Resource>
) {
  const wrong = yield* commanded(command, things)
  return wrong === undefined
    ? { removed: things.length, left: [] }
    : { removed: 0, left: [`${things.length} things: the command ${command[0]} failed, ${wrong}`] }
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
  // Whose it is, the ledger doesn't say.
  const refused = yield* ask("a")
  const wrong = refused === undefined ? undefined : yield* ask("b")
  return wrong === undefined ? undefined : `${what} ${id}: ${wrong}`
})

/** Removes everything in a ledger, and tells what is left and why. Whatever goes wrong, the run is judged as it was. */
export const cleanUp = Effect.fnUntraced(function* (
  target: { readonly config: Config; readonly keys: Keys },
  { command, requests }: Cleanup,
  ledger: Report["ledger"]
): Effect.fn.Return<Cleaned, never, Transport> {
  const things = resourcesIn(ledger)
  if (things.length === 0) return { removed: 0, left: [] }
  if (command !== undefined) return yield* byCommand(command, things)
  const left: Array<string> = []
  for (const what of order) {
    const wrong = yield* Effect.forEach(
      things.filter((one) => one.what === what),
      (one) => byRequest(target, requests ?? {}, one),
      { concurrency: target.config.concurrency }
    )
    left.push(...wrong.filter((one) => one !== undefined))
  }
  return { removed: things.length - left.length, left }
})
