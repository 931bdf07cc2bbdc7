import { gzipSync } from "node:zlib"
import type { Answer, Ask, Refusal } from "../parts/http.ts"

/** A resource in `data` or `included` of JSON:API. */
export interface Resource {
  readonly type: string
  readonly id: string
  readonly attributes: object
}

export interface Document {
  readonly data: Resource | ReadonlyArray<Resource> | null
  readonly included?: ReadonlyArray<Resource>
  readonly links?: object
}

const headers = { "content-type": "application/vnd.api+json", vary: "accept-encoding" }

const reply = ({ headers: asked }: Ask, status: number, value: unknown, more: Answer["headers"] = {}): Answer => {
  const body = JSON.stringify(value)
  return String(asked["accept-encoding"]).includes("gzip")
    ? { status, headers: { ...headers, ...more, "content-encoding": "gzip" }, body: gzipSync(body) }
    : { status, headers: { ...headers, ...more }, body }
}

/** The document, compressed when the client accepts that. */
export const answerWith = (ask: Ask, status: number, document: Document): Answer => reply(ask, status, document)

/** A document of one error. */
export const answerRefusal = ({ code, status }: Refusal, ask: Ask): Answer =>
  reply(
    ask,
    status,
    { errors: [{ status: String(status), code, title: code.replaceAll("_", " ") }] },
    status === 401 ? { "www-authenticate": 'Basic realm="hosting"' } : {}
  )
