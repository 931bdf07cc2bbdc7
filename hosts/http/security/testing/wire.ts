/** Requests as raw bytes: paths, headers and bodies are sent without normalisation. */
import { Effect } from "effect"
import { Agent, request, type IncomingHttpHeaders } from "node:http"

export interface WireRequest {
  readonly method: string
  /** Path and query as they are sent, one byte for each character. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | undefined
}

export interface WireResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Names and values alternately, as received. */
  readonly rawHeaders: ReadonlyArray<string>
  /** The body as received, without decoding its content encoding. */
  readonly body: Buffer
  readonly text: string
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 })

/** Sends a request and reads the whole answer. Without an answer it dies with an error that names the request. */
export const send = (origin: string, sent: WireRequest): Effect.Effect<WireResponse> =>
  Effect.promise(
    () =>
      new Promise<WireResponse>((resolve, reject) => {
        const { hostname, port } = new URL(origin)
        const lost = (error: Error) => reject(new Error(`no answer to ${shown(sent)}`, { cause: error }))
        const outgoing = request(
          {
            agent,
            hostname,
            port,
            method: sent.method,
            path: sent.target,
            headers: {
              ...sent.headers,
              ...(sent.body === undefined ? {} : { "content-length": String(sent.body.byteLength) })
            }
          },
          (answer) => {
            const chunks: Array<Buffer> = []
            answer.on("data", (chunk: Buffer) => chunks.push(chunk))
            answer.on("error", lost)
            answer.on("end", () => {
              const body = Buffer.concat(chunks)
              const { headers, rawHeaders, statusCode = 0 } = answer
              resolve({ status: statusCode, headers, rawHeaders, body, text: body.toString("utf8") })
            })
          }
        )
        outgoing.on("error", lost)
        outgoing.end(sent.body)
      })
  )

const cut = (text: string): string => (text.length > 500 ? `${text.slice(0, 500)}… (${text.length} characters)` : text)

/** A request as text for people, with long parts shortened. */
export const shown = ({ body, headers, method, target }: WireRequest): string =>
  [
    `${method} ${cut(target)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${cut(value)}`),
    ...(body === undefined ? [] : ["", cut(Buffer.from(body).toString("utf8"))])
  ].join("\n")

/** An answer as text for people, shortened. */
export const shownResponse = ({ headers, status, text }: WireResponse): string =>
  [String(status), ...Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`), "", cut(text)].join(
    "\n"
  )

/** A request to the API, or to a page, with a key or a session. */
export const wire = (
  method: string,
  target: string,
  options: {
    readonly key?: string | undefined
    readonly cookie?: string | undefined
    readonly json?: unknown
    readonly form?: Readonly<Record<string, string>> | undefined
    readonly body?: Uint8Array | undefined
    readonly headers?: Readonly<Record<string, string>> | undefined
  } = {}
): WireRequest => {
  const { body, cookie, form, headers, json, key } = options
  const encoded =
    json === undefined ? (form === undefined ? undefined : new URLSearchParams(form).toString()) : JSON.stringify(json)
  return {
    method,
    target,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(cookie === undefined ? {} : { cookie }),
      ...(json === undefined ? {} : { "content-type": "application/json" }),
      ...(form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
      ...headers
    },
    ...(encoded === undefined ? (body === undefined ? {} : { body }) : { body: Buffer.from(encoded) })
  }
}
