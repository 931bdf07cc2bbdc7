import { Effect } from "effect"
import { createHash } from "node:crypto"
import { follow } from "../../dialect/pointer.ts"
import { asText } from "../../dialect/search.ts"
import { saying, type Call, type Reservation } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import { answer, at, instead } from "../parts/fronts.ts"

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
  (profile: Reservation["profile"], takes: (sent: Put, declared: Put, reservation: Reservation) => boolean): Front =>
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
      if (!isBundle || !takes(sent(call), declared(reservation), reservation)) return ask(call)
      // The host takes no empty bundle.
      taken.set(reservation.token, sent(call).sizeBytes === 0 ? { ...call, body: "0" } : call)
      return Effect.succeed(answer(200, {}))
    }
  }

/** Accepts wrong bytes, and refuses every finalize after that. */
export const firstBytesStay =
  (profile: Reservation["profile"]): Front =>
  (ask, ...host) => {
    const spoilt = new Set<unknown>()
    const refusal = Effect.succeed(answer(422, { code: "other_bytes" }))
    const finalizing = instead(at(`${profile}.finalize`), (call, ask) =>
      spoilt.has(call.fields.token) ? refusal : ask(call)
    )(ask, ...host)
    return (call) => {
      const { endpoint, method, reservation, url } = call
      const isBundle = endpoint === "put" && method === "PUT" && url === reservation?.putUrls[0]
      if (!isBundle || reservation?.profile !== profile) return finalizing(call)
      if (sent(call).sha256 === declared(reservation).sha256) return ask(call)
      spoilt.add(reservation.token)
      return Effect.succeed(answer(200, {}))
    }
  }
