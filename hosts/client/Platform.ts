import { SlipwayError } from "./SlipwayError.ts"
import type { Body, Source } from "./bodies.ts"
import type { Problem } from "./problems.ts"
import { retryAfterMs } from "./retrying.ts"

/** A PUT of one body. */
interface PutRequest {
  /** What the body is called in errors. */
  readonly name: string
  readonly url: string
  readonly contentType: string
  readonly sizeBytes: number
  readonly source: Source
  /** Receives the number of bytes sent so far. */
  readonly onBytes: (sent: number) => void
  readonly signal: AbortSignal | undefined
  /** The idle timeout in milliseconds. It fails with an error named `TimeoutError`. */
  readonly idleMs: number
}

/** A request of the API. */
interface AskRequest {
  readonly method: "GET" | "POST" | "DELETE"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body?: string
  readonly credentials: RequestCredentials
  readonly signal: AbortSignal
}

/** Sends a request of the API, and reads its answer. */
export type Ask = (request: AskRequest) => Promise<HttpResponse>

/** Sends a PUT, and reads its answer. */
export type Put = (request: PutRequest) => Promise<HttpResponse>

/** The size and digest of a body, from reading it. */
interface Measured {
  readonly sizeBytes?: number
  /** The SHA-256 of the bytes, uncompressed where they are gzip; 64 lower-case hexadecimal digits. */
  readonly contentHash?: string
}

/** How a body is to be measured. */
interface Measuring {
  readonly isGzip: boolean
  /** Whether a digest is required: for the bundle, not for files. */
  readonly isRequired: boolean
  readonly signal: AbortSignal | undefined
}

/** What differs between Node and browsers. */
export interface Platform {
  readonly open: (body: Body, signal: AbortSignal | undefined) => Promise<Source>
  /** Measures a body that can be read again. */
  readonly measure: (source: Source, measuring: Measuring) => Promise<Measured>
  /** Requests where no `fetch` was given. */
  readonly ask: Ask
  readonly put: Put
}

/** An answer, read to its end. */
export interface HttpResponse {
  readonly status: number
  readonly header: (name: string) => string | null
  readonly text: string
}

/** An answer as JSON; `undefined` when it isn't. */
const jsonOf = ({ text }: HttpResponse): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Whether it has what every Problem has; the fields of a code that is newer than this client are as the service tells them. */
const isProblem = (body: unknown): body is Problem =>
  isObject(body) &&
  "code" in body &&
  typeof body.code === "string" &&
  "detail" in body &&
  typeof body.detail === "string" &&
  (!("issues" in body) || Array.isArray(body.issues))

/** Why an answer that isn't a Problem is refused. A redirect isn't followed on Node, and in a browser it isn't seen. */
const detailOf = ({ header, status, text }: HttpResponse): string => {
  const location = status >= 300 && status < 400 ? header("location") : null
  return location === null
    ? text.slice(0, 500) || "There is no more to the answer than its status."
    : `The host redirects to ${location.slice(0, 500)}: set its final address as the URL.`
}

/** The refusal that an answer is. `now` is the time, in milliseconds, that a date in `Retry-After` is compared with. */
export const refusalOf = (request: string, answer: HttpResponse, now: number): SlipwayError => {
  const body = jsonOf(answer)
  const fields = isProblem(body)
    ? { code: body.code, detail: body.detail, problem: body, ...("issues" in body ? { issues: body.issues } : {}) }
    : { code: "refused", detail: detailOf(answer) }
  return new SlipwayError(request, {
    ...fields,
    status: answer.status,
    requestId: answer.header("x-request-id") ?? undefined,
    retryAfterMs: retryAfterMs(answer.header("retry-after"), now)
  })
}

/** The JSON object that a success answers. */
export const objectOf = (request: string, answer: HttpResponse): object => {
  const body = jsonOf(answer)
  if (isObject(body)) return body
  const detail = `The answer is no JSON object; it begins with ${JSON.stringify(answer.text.slice(0, 100))}.`
  throw new SlipwayError(request, { code: "answer_unreadable", detail, status: answer.status })
}
