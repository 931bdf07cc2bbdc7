import { DateTime, Effect, Option } from "effect"
import type { ObjectStore } from "../../../../core/ports/ObjectStore.ts"
import type { S3Settings } from "../../settings/engineSettings.ts"
import { fine, wrong, type Finding } from "../parts/Finding.ts"
import { roundTripFinding } from "../parts/roundTrip.ts"
import { corsFinding } from "./cors.ts"
import { refusalsFinding } from "./refusals.ts"
import { request } from "./request.ts"

const bytes = new TextEncoder().encode("slipway doctor\n")
const contentType = "text/plain"
const sizeBytes = bytes.byteLength

/** Tests the URLs that the store signs, with objects below a prefix. */
export const signedPutFindings = Effect.fnUntraced(function* (
  store: ObjectStore["Service"],
  settings: S3Settings,
  prefix: string
): Effect.fn.Return<ReadonlyArray<Finding>> {
  const name = "S3 signed PUT"
  const key = `${prefix}signed`
  const expiresAt = DateTime.addDuration(yield* DateTime.now, "1 hour")
  const signed = yield* Effect.option(
    Effect.all([store.presignPuts([{ key, contentType, sizeBytes, expiresAt }]), store.presignGet({ key, expiresAt })])
  )
  const [[put] = [], get] = Option.getOrElse(signed, () => [[], ""] as const)
  if (put === undefined) return [wrong(name, { detail: "nothing can be signed", hint: "renew the credentials" })]

  const answer = yield* request(put, { method: "PUT", headers: { "content-type": contentType }, body: bytes })
  if (answer?.status !== 200) {
    return [
      wrong(name, {
        detail: `the store refuses a request that the URL was signed for: ${answer?.code ?? "no answer"}`,
        hint: "correct SLIPWAY_S3_ENDPOINT and SLIPWAY_S3_REGION, which are signed too"
      })
    ]
  }
  return [
    fine(name, "takes what a URL was signed for"),
    yield* refusalsFinding("S3 refusals", put, { contentType, sizeBytes }),
    yield* corsFinding("S3 CORS", get, settings),
    yield* roundTripFinding("S3 objects", store, { prefix, key, contentType, bytes })
  ]
})
