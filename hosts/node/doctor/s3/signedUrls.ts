/** What the URLs that a bucket signs allow, tried as a client would. */
import type { S3Client } from "@aws-sdk/client-s3"
import { Clock, DateTime, Effect, Option, Result } from "effect"
import { findObeyedHeaders, triedHeaders, type TriedHeader } from "../../../../adapters/s3/unsignedHeaders.ts"
import type { ObjectStore } from "../../../../core/ports/ObjectStore.ts"
import { probeTimeouts, unsafePuts } from "../../engineErrors/reachBucket.ts"
import { awsFlags, s3Fault } from "../../engineErrors/s3Fault.ts"
import type { S3Settings } from "../../settings/engineSettings.ts"
import { fine, wrong, type Clock as ServerClock, type Finding } from "../parts/Finding.ts"
import { roundTrip, roundTripFinding } from "../parts/roundTrip.ts"

/** A store's answer to a request that anybody with the URL can send. */
interface Answer {
  readonly status: number
  readonly headers: Headers
  /** S3's error code, or the HTTP status. */
  readonly code: string
}

/** Sends a request to a presigned URL, without credentials. Returns `undefined` if the store doesn't answer. */
const request = (url: string, init: RequestInit = {}): Effect.Effect<Answer | undefined> =>
  Effect.tryPromise(async (interrupted) => {
    const signal = AbortSignal.any([interrupted, AbortSignal.timeout(probeTimeouts.whole)])
    const response = await fetch(url, { ...init, signal })
    const [, code] = /<Code>([^<]+)<\/Code>/.exec(await response.text()) ?? []
    return { status: response.status, headers: response.headers, code: code ?? String(response.status) }
  }).pipe(Effect.orElseSucceed(() => undefined))

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

const refusals = "S3 refusals"
const putUrlWith = (what: string): string => `a PUT URL with ${what}`
const refuses = (what: string): string => `refuses ${putUrlWith(what)}`
const refusesHeader = (header: TriedHeader): string => refuses(`the unsigned header ${header}`)
const takesSigned = "takes what a URL was signed for"

type Put = RequestInit & { readonly body: string }

/** Requests that differ from what a URL was signed for, made from the URL and its PUT. */
const differences: ReadonlyArray<
  readonly [what: string, make: (url: string, put: Put) => readonly [string, RequestInit]]
> = [
  ["a tampered signature", (url, put) => [tampered(url), put]],
  ["another key", (url, put) => [otherKey(url), put]],
  ["another content type", (url, put) => [url, { ...put, headers: { "content-type": "text/html" } }]],
  ["another length", (url, put) => [url, { ...put, body: `${put.body}!` }]],
  ["another method", (url) => [url, { method: "DELETE" }]]
]

/**
 * What Slipway relies on of an S3 server whose PUT URLs clients get: each check by the name and the text that the doctor prints of a
 * server which passes it. `.github/SECURITY.md` has the same list.
 */
export const reliedOn: ReadonlyArray<readonly [name: string, detail: string]> = [
  ["S3 signed PUT", takesSigned],
  ...differences.map(([what]) => [refusals, refuses(what)] as const),
  ...triedHeaders.map((header) => [refusals, refusesHeader(header)] as const),
  ["S3 objects", roundTrip]
]

/** Sends requests that differ from what a URL was signed for; the store must refuse each. The bytes differ from the stored ones. */
export const refusalFindings = (
  url: string,
  signed: { readonly contentType: string; readonly sizeBytes: number }
): Effect.Effect<ReadonlyArray<Finding>> => {
  const put = { method: "PUT", headers: { "content-type": signed.contentType }, body: "!".repeat(signed.sizeBytes) }
  return Effect.forEach(differences, ([what, make]) =>
    Effect.map(request(...make(url, put)), (answer) => {
      if (answer === undefined || answer.status >= 500) {
        const said = answer === undefined ? "did not answer" : `answered ${answer.code} to`
        return wrong(refusals, { detail: `the store ${said} ${putUrlWith(what)}`, hint: "try again" })
      }
      return answer.status >= 400
        ? fine(refusals, refuses(what))
        : wrong(refusals, {
            detail: `the store accepts ${putUrlWith(what)}`,
            hint: "it enforces less than was signed; use a store that enforces everything, or set SLIPWAY_S3_UPLOADS=host"
          })
    })
  )
}

const headerFinding = (header: TriedHeader, obeyed: ReadonlyArray<TriedHeader>): Finding =>
  obeyed.includes(header) ? wrong(refusals, unsafePuts([header])) : fine(refusals, refusesHeader(header))

/** An origin that no CORS rule names: presigned GETs must be readable from any origin. */
const origin = "https://slipway-doctor.invalid"

const corsRule = {
  CORSRules: [
    {
      AllowedOrigins: ["*"],
      AllowedMethods: ["GET"],
      AllowedHeaders: ["range", "if-range"],
      ExposeHeaders: ["accept-ranges", "content-encoding", "content-range"],
      MaxAgeSeconds: 86_400
    }
  ]
}

const allowsOrigin = (answer: Answer): boolean =>
  answer.status < 400 && ["*", origin].includes(answer.headers.get("access-control-allow-origin") ?? "")

const allowsRange = (answer: Answer): boolean => {
  const allowed = (answer.headers.get("access-control-allow-headers") ?? "").toLowerCase()
  return allowsOrigin(answer) && (allowed.includes("range") || allowed.includes("*"))
}

/**
 * Reads an object by its presigned URL like a page of another origin: as a whole, and by a range, which needs a
 * preflight.
 */
export const corsFinding = Effect.fnUntraced(function* (
  name: string,
  url: string,
  settings: S3Settings
): Effect.fn.Return<Finding> {
  const whole = yield* request(url, { headers: { origin } })
  const asked = yield* request(url, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "GET", "access-control-request-headers": "range" }
  })
  if (whole !== undefined && asked !== undefined && allowsOrigin(whole) && allowsRange(asked)) {
    return fine(name, "pages of any origin may read presigned URLs, by ranges too")
  }
  const { bucket } = settings
  const what =
    whole === undefined || !allowsOrigin(whole)
      ? `the bucket ${bucket} lets no page of another origin read its presigned URLs`
      : `the bucket ${bucket} lets pages of other origins read no ranges`
  return wrong(name, {
    detail: what,
    hint: `aws s3api put-bucket-cors ${awsFlags(settings)} --cors-configuration '${JSON.stringify(corsRule)}'`
  })
})

const bytes = new TextEncoder().encode("slipway doctor\n")
const contentType = "text/plain"
const sizeBytes = bytes.byteLength

/**
 * Tests the URLs that the store signs, with objects below a prefix. If uploads go through the host, clients get none of them, so
 * nothing is relied on but that the store takes them.
 */
export const signedPutFindings = Effect.fnUntraced(function* (
  store: ObjectStore["Service"],
  client: S3Client,
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
  const accepted = fine(name, takesSigned)
  const stored = roundTripFinding("S3 objects", store, { prefix, key, contentType, bytes })
  if (settings.uploads === "host") {
    return [accepted, fine("S3 uploads", "go through the host: no client gets a URL of the bucket"), yield* stored]
  }
  const { bucket, prefix: below = "" } = settings
  const obeyed = yield* Effect.result(findObeyedHeaders({ client, bucket, prefix: below }))
  return [
    accepted,
    ...(yield* refusalFindings(put, { contentType, sizeBytes })),
    ...(Result.isSuccess(obeyed)
      ? triedHeaders.map((header) => headerFinding(header, obeyed.success))
      : [wrong(refusals, s3Fault(obeyed.failure, settings))]),
    yield* corsFinding("S3 CORS", get, settings),
    yield* stored
  ]
})

/**
 * The clock of a store, by what it says when it answers: whole seconds, so half of one is added. Any answer will do, and
 * nothing needs to be there.
 */
export const storeClock = Effect.fnUntraced(
  function* (store: ObjectStore["Service"], prefix: string) {
    const expiresAt = DateTime.addDuration(yield* DateTime.now, "1 minute")
    const url = yield* store.presignGet({ key: `${prefix}nothing`, expiresAt })
    const asked = yield* Clock.currentTimeMillis
    const answer = yield* request(url)
    const answered = yield* Clock.currentTimeMillis
    const serverTime = Date.parse(answer?.headers.get("date") ?? "")
    const clock: ServerClock = {
      of: "S3",
      aheadMillis: serverTime + 500 - (asked + answered) / 2,
      exactToMillis: 1000 + answered - asked
    }
    return Number.isNaN(serverTime) ? undefined : clock
  },
  Effect.orElseSucceed(() => undefined)
)
