import { type Fields, fieldsIn, listIn, numberIn, textIn } from "../../phone/runtime/decode.ts"

/** A request of an app; its URL is whole. */
export interface ReplayRequest {
  readonly method: string
  readonly url: string
  readonly body: string
}

/** What was recorded for a request: the answer whose turn it is, or why there is none. */
export type Found =
  | { readonly kind: "answer"; readonly answer: RecordedResponse; readonly turn: number; readonly of: number }
  | { readonly kind: "none"; readonly why: string }

/**
 * What a request and a recording are compared by. An app that asks its own host by a path asks the viewer's in a replay: of
 * that the path alone counts.
 */
const addressOf = (url: string, ownOrigin: string): string => {
  const { hash, href, origin, pathname, search } = new URL(url)
  return origin === ownOrigin ? pathname + search : href.slice(0, href.length - hash.length)
}

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** The exchanges by method and URL, so that the cost of a request doesn't depend on the size of the archive. */
const indexOf = (exchanges: ReadonlyArray<Exchange>, ownOrigin: string) => {
  const index = new Map<string, Array<Exchange>>()
  const add = (key: string, exchange: Exchange) => {
    const there = index.get(key)
    if (there === undefined) index.set(key, [exchange])
    else there.push(exchange)
  }
  for (const exchange of exchanges) {
    const { method, url } = exchange
    const [address, path] = [addressOf(url, ownOrigin), pathOf(url)]
    add(`${method} ${address}`, exchange)
    if (path !== address) add(`${method} ${path}`, exchange)
  }
  return (method: string, address: string): ReadonlyArray<Exchange> => index.get(`${method} ${address}`) ?? []
}

/** The network that the setting *Slow* emulates: milliseconds before a response, and bytes in a second. */
const slowNetwork = { latency: 600, rate: 200_000 }

/** Milliseconds until a response of this length has arrived on a slow network. */
export const slowDelay = (byteLength: number): number =>
  slowNetwork.latency + Math.ceil((byteLength / slowNetwork.rate) * 1000)

/**
 * Answers requests from the recorded exchanges: those of the same method, URL and body in turn, then the last one again.
 */
export const makeRecordedResponses = (exchanges: ReadonlyArray<Exchange>, ownOrigin: string) => {
  const recordedAt = indexOf(exchanges, ownOrigin)
  const turns = new Map<string, number>()
  return ({ body, method, url }: ReplayRequest): Found => {
    const address = addressOf(url, ownOrigin)
    const there = recordedAt(method, address)
    const same = there.filter((one) => (one.body ?? body) === body)
    const key = JSON.stringify([method, address, body])
    const turn = Math.min(turns.get(key) ?? 0, same.length - 1)
    const found = same[turn]
    if (found === undefined) {
      return {
        kind: "none",
        why: there.length === 0 ? "it was not recorded" : "it was recorded with another body only"
      }
    }
    turns.set(key, turn + 1)
    return { kind: "answer", answer: found.answer, turn: turn + 1, of: same.length }
  }
}

// HTTP archives (HAR 1.2), as browsers, proxies and Playwright record them: what was asked, and what was answered.

/** An answer as it was recorded; its body is decoded. */
export interface RecordedResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string | Uint8Array<ArrayBuffer>
}

/** A request as it was recorded, and its answer. */
export interface Exchange {
  readonly method: string
  readonly url: string
  /** `undefined` if the recorder kept none, or one that is another each time. */
  readonly body: string | undefined
  readonly answer: RecordedResponse
}

/** The exchanges of an archive, in their order, and how many of it couldn't be read. */
interface Archive {
  readonly exchanges: ReadonlyArray<Exchange>
  readonly leftOut: number
}

/** Headers of the recorded transfer, which don't apply to the body that is answered from the archive. */
const ofTheWay = new Set(["content-encoding", "content-length", "transfer-encoding", "connection", "set-cookie"])

const pairsIn = (list: unknown): ReadonlyArray<readonly [string, string]> =>
  listIn(list)
    .map(fieldsIn)
    .map(({ name, value }) => [textIn(name) ?? "", textIn(value) ?? ""] as const)

/** HTTP/2 has names that begin with a colon, which are none of a header's. A browser throws at a value with other characters. */
const headersIn = (list: unknown) =>
  pairsIn(list).filter(([name, value]) => {
    return (
      /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !ofTheWay.has(name.toLowerCase()) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    )
  })

const bodyIn = (postData: unknown): string | undefined => {
  if (postData === undefined || postData === null) return undefined
  const { mimeType, params, text } = fieldsIn(postData)
  const type = textIn(mimeType) ?? ""
  // The boundary between the parts is another each time.
  if (/^multipart\//i.test(type)) return undefined
  if (textIn(text) !== undefined && text !== "") return textIn(text)
  if (!/^application\/x-www-form-urlencoded/i.test(type)) return textIn(text)
  return new URLSearchParams(pairsIn(params).map(([name, value]) => [name, value])).toString()
}

const contentIn = ({ encoding, text }: Fields): RecordedResponse["body"] => {
  const content = textIn(text) ?? ""
  return encoding === "base64" ? Uint8Array.from(atob(content), (character) => character.charCodeAt(0)) : content
}

const exchangeIn = (entry: unknown): Exchange | undefined => {
  const { request, response } = fieldsIn(entry)
  const { method, postData, url } = fieldsIn(request)
  const { content, headers, status, statusText } = fieldsIn(response)
  const [asked, code] = [textIn(url), numberIn(status)]
  // A recorder writes 0 or -1 for what got no answer.
  if (asked === undefined || !URL.canParse(asked) || code === undefined || code < 200 || code > 599) return undefined
  try {
    return {
      method: (textIn(method) ?? "GET").toUpperCase(),
      url: asked,
      body: bodyIn(postData),
      answer: {
        status: code,
        statusText: (textIn(statusText) ?? "").replace(/[^\t\x20-\x7e]/g, ""),
        headers: headersIn(headers),
        body: contentIn(fieldsIn(content))
      }
    }
  } catch {
    return undefined
  }
}

/** Reads an archive; throws what says why there is none in the text. */
export const readHar = (text: string): Archive => {
  const { log } = fieldsIn(JSON.parse(text.replace(/^\uFEFF/, "")))
  const { entries } = fieldsIn(log)
  if (!Array.isArray(entries)) throw new Error("It has no log.entries.")
  const exchanges = entries.map(exchangeIn).filter((one) => one !== undefined)
  return { exchanges, leftOut: entries.length - exchanges.length }
}
