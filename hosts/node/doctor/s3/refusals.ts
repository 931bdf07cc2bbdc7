import { Effect } from "effect"
import { fine, wrong, type Finding } from "../parts/Finding.ts"
import { request } from "./request.ts"

const signature = "X-Amz-Signature"

/** A signed URL with a changed signature. */
const tampered = (url: string): string => {
  const changed = new URL(url)
  const [first = "", ...rest] = changed.searchParams.get(signature) ?? ""
  changed.searchParams.set(signature, (first === "0" ? "1" : "0") + rest.join(""))
  return changed.href
}

/** A signed URL with its key replaced by another of the same length. */
const otherKey = (url: string): string => {
  const changed = new URL(url)
  changed.pathname = `${changed.pathname.slice(0, -1)}_`
  return changed.href
}

/**
 * Sends requests that differ from what a URL was signed for; the store must refuse each. The bytes differ from the
 * stored ones each time.
 */
export const refusalsFinding = Effect.fnUntraced(function* (
  name: string,
  url: string,
  signed: { readonly contentType: string; readonly sizeBytes: number }
): Effect.fn.Return<Finding> {
  const body = "!".repeat(signed.sizeBytes)
  const put = { method: "PUT", headers: { "content-type": signed.contentType }, body }
  const tries: ReadonlyArray<readonly [what: string, url: string, init: RequestInit]> = [
    ["a tampered signature", tampered(url), put],
    ["another key", otherKey(url), put],
    ["another content type", url, { ...put, headers: { "content-type": "text/html" } }],
    ["another length", url, { ...put, body: `${body}!` }],
    ["another method", url, { method: "DELETE" }]
  ]
  const accepted: Array<string> = []
  for (const [what, url, init] of tries) {
    const answer = yield* request(url, init)
    if (answer === undefined) return wrong(name, { detail: "the store did not answer", hint: "try again" })
    if (answer.status < 400) accepted.push(what)
  }
  return accepted.length === 0
    ? fine(name, `refuses ${tries.map(([what]) => what).join(", ")}`)
    : wrong(name, {
        detail: `the store accepts a PUT URL with ${accepted.join(", ")}`,
        hint: "it enforces less than was signed; use a store that enforces everything"
      })
})
