import { Effect } from "effect"
import { createHash } from "node:crypto"
import { follow } from "../../dialect/pointer.ts"
import { asText } from "../../dialect/search.ts"
import { saying, type Call, type Reservation } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import { answer } from "../parts/fronts.ts"

/** The facts of a bundle, as it was PUT or as it was declared. */
interface Put {
  readonly contentType: string
  readonly sizeBytes: number
  readonly sha256: string
}

const sent = ({ body, headers }: Call): Put => ({
  contentType: headers["content-type"] ?? "",
  sizeBytes: body?.length ?? 0,
  sha256: createHash("sha256")
    .update(body ?? "")
    .digest("hex")
})

const declared = ({ call: { fields } }: Reservation): Put => ({
  contentType: String(fields.bundleContentType),
  sizeBytes: Number(fields.bundleSizeBytes),
  sha256: String(fields.contentHash)
})

/** Accepts a bundle that isn't the declared one, if `takes` allows it, and finalizes it as if it had been declared. */
export const lenient =
  (profile: Reservation["profile"], takes: (sent: Put, declared: Put) => boolean): Front =>
  (ask) => {
    const taken = new Map<string, Call>()
    const finalized = Effect.fnUntraced(function* (call: Call, { call: reserve }: Reservation, put: Call) {
      const { contentType, sha256, sizeBytes } = sent(put)
      const facts = { bundleContentType: contentType, bundleSizeBytes: sizeBytes, contentHash: sha256 }
      const { json } = yield* ask(saying(reserve, facts))
      const [url, token] = ["/slots/bundle/putUrl", "/token"].map((at) => asText(follow(json, at)))
      yield* ask({ ...put, url: url ?? put.url })
      return yield* ask(saying(call, { token }))
    })
    return (call) => {
      const { endpoint, method, reservation, url } = call
      if (reservation?.profile !== profile) return ask(call)
      if (endpoint === `${profile}.finalize`) {
        const put = taken.get(reservation.token)
        return put === undefined ? ask(call) : finalized(call, reservation, put)
      }
      const isBundle = endpoint === "put" && method === "PUT" && url === reservation.putUrls[0]
      if (!isBundle || !takes(sent(call), declared(reservation))) return ask(call)
      taken.set(reservation.token, call)
      return Effect.succeed(answer(200, {}))
    }
  }
