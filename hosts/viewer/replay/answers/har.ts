/** HTTP archives (HAR 1.2), as browsers, proxies and Playwright record them: what was asked, and what was answered. */
import { fieldsIn, listIn, numberIn, textIn, type Fields } from "../../../phone/runtime/decode.ts"

/** An answer as it was recorded; its body is decoded. */
export interface RecordedAnswer {
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
  readonly answer: RecordedAnswer
}

/** The exchanges of an archive, in their order, and how many of it couldn't be read. */
export interface Archive {
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

const contentIn = ({ encoding, text }: Fields): RecordedAnswer["body"] => {
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
