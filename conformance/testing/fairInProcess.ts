import { Effect } from "effect"
import { attempt, type Answer, type Ask, type FairOptions, type Listen, type Start } from "../fair/FairHost.ts"
import { toAnswer, Transport, type Outgoing } from "../session/transport.ts"
import { fairTarget } from "./fairTarget.ts"

/** A request as a server would read it. */
const received = ({ body = "", headers, method, url }: Outgoing): Ask => {
  const { pathname, searchParams } = new URL(url)
  const bytes = Buffer.from(body)
  const length = { "content-length": String(bytes.length) }
  return { method, path: pathname, query: searchParams, headers: { ...headers, ...length }, body: bytes }
}

/** A clock that advances by ten milliseconds at each read, so that no request exceeds a rate limit. */
const hurrying = () => {
  let now = Date.now()
  return () => (now += 10)
}

const month = 30 * 24 * 3_600_000

/** A fair host in this process without a socket: the config of a run against it, and its transport. */
export const fairInProcess = (start: Start, options: FairOptions = {}) =>
  Effect.gen(function* () {
    const origins = new Map<string, (ask: Ask) => Answer>()
    const listen: Listen = () => {
      const url = `http://origin-${origins.size}.example`
      const answer = (handle: (ask: Ask) => Answer) => void origins.set(url, handle)
      answer(() => ({ status: 503 }))
      return Promise.resolve({ url, answer, stop: () => Promise.resolve() })
    }
    const lives = { tokenMs: month, putUrlMs: month }
    const host = yield* Effect.promise(() => start({ now: hurrying(), lives, listen, ...options }))
    const send = (request: Outgoing) =>
      Effect.promise(async () => {
        const handle = origins.get(new URL(request.url).origin)
        // As over a network, another request may be sent before this one is answered.
        await Promise.resolve()
        const { body = "", headers = {}, status } = attempt(() => handle?.(received(request)) ?? { status: 502 })
        return toAnswer(status, headers, String(body))
      })
    return { target: fairTarget(host), transport: Transport.of({ send }) }
  })
