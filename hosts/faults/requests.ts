/** How clients ask hosts: what was answered, if anything was, with the answers counted that no host may give. */
import type { Record } from "./record.ts"

export interface Answer {
  readonly status: number
  readonly body: unknown
  readonly bytes: Uint8Array
}

export interface Request {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE"
  readonly headers?: Readonly<globalThis.Record<string, string>>
  readonly body?: string | Uint8Array
  /** What a redirect is: followed, unless it is an answer to be looked at. */
  readonly redirect?: "follow" | "manual"
}

/** The value at a path of names in what was answered. */
export const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce((found, name) => Reflect.get(Object(found), name), value)

/** What the clients of a run may expect of it at the moment. */
export interface Circumstances {
  readonly record: Record
  /** Whether the disk may be full. */
  isDiskFull: boolean
}

/** Asks any server; `undefined` when there was no whole answer. */
export const askAny = async (
  url: string,
  { body, headers = {}, method = "GET", redirect = "follow" }: Request = {}
) => {
  try {
    const response = await fetch(url, {
      method,
      headers,
      redirect,
      signal: AbortSignal.timeout(30_000),
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : Buffer.from(body) })
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    const isJson = response.headers.get("content-type")?.includes("json") === true
    const text = new TextDecoder().decode(bytes)
    const cookie = response.headers.getSetCookie()[0]?.split(";")[0]
    return { status: response.status, bytes, cookie, body: isJson ? (JSON.parse(text) as unknown) : text }
  } catch {
    return undefined
  }
}

/** Asks a host. Of its own faults it may answer 503, and 507 while its disk is full. */
export const ask = async (world: Circumstances, url: string, request: Request = {}) => {
  const wasFull = world.isDiskFull
  const answer = await askAny(url, request)
  const { record } = world
  if (answer === undefined) {
    record.count("requests unanswered")
    return undefined
  }
  record.count("requests answered")
  const { status } = answer
  if (status < 500) return answer
  record.count(`answers ${status}`)
  const may = status === 503 || (status === 507 && (wasFull || world.isDiskFull))
  if (!may) record.broken(`${request.method ?? "GET"} ${url} was answered ${status}: ${JSON.stringify(answer.body)}`)
  return answer
}

/** Whether an answer says nothing of what was asked for: none came, or an engine was away or full. */
export const isUnknown = (answer: Answer | undefined): answer is undefined =>
  answer === undefined || answer.status >= 500
