/** The checks of a bucket: permissions, what its signed URLs allow, CORS and lifecycle. `checkS3` at the end runs them. */
import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetObjectCommand,
  type LifecycleRule,
  PutObjectCommand,
  type S3Client
} from "@aws-sdk/client-s3"
import { Clock, Context, DateTime, Effect, Layer, Option, Result } from "effect"
import { attempt, type SendOptions, StoreFault } from "../../../adapters/s3/attempt.ts"
import { openClient } from "../../../adapters/s3/client.ts"
import { layer as layerS3 } from "../../../adapters/s3/store.ts"
import { findObeyedHeaders, type TriedHeader, triedHeaders } from "../../../adapters/s3/unsignedHeaders.ts"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { awsFlags, listOne, optionsFault, probeTimeouts, s3Fault, unsafePuts } from "../engines/s3.ts"
import type { S3Settings } from "../settings/engineSettings.ts"
import {
  type Checked,
  type Clock as ServerClock,
  type Finding,
  fine,
  roundTrip,
  roundTripFinding,
  wrong
} from "./findings.ts"

/** A call of S3 that a host makes, and the name of its permission. */
interface Use {
  readonly action: string
  readonly call: Effect.Effect<unknown, StoreFault>
}

const isDenied = ({ name, status }: StoreFault): boolean => name === "AccessDenied" || status === 403

/** Errors that don't mean a missing permission: there is no such object, or it differs from what was announced. */
const isTaken = ({ name, status }: StoreFault): boolean => status === 404 || name === "BadDigest"

/** An MD5 that no sent content has: a store refuses such a PUT and stores nothing, even if the PUT is permitted. */
const noDigest = "AAAAAAAAAAAAAAAAAAAAAA=="

const denial = (call: string) => new StoreFault({ call, name: "AccessDenied", status: 403, detail: "" })

const usesOf = (client: S3Client, settings: S3Settings, prefix: string) => {
  const Bucket = settings.bucket
  const [Key, copy] = [`${settings.prefix ?? ""}${prefix}put`, `${settings.prefix ?? ""}${prefix}copied`]
  const use = (action: string, name: string, send: (options: SendOptions) => Promise<unknown>): Use => ({
    action,
    call: attempt(name, probeTimeouts, send)
  })
  const remove: Use = {
    action: "s3:DeleteObject",
    // A batch delete is answered 200 even if S3 refused to delete some objects; the body lists them.
    call: attempt("DeleteObjects", probeTimeouts, (options) =>
      client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key }, { Key: copy }] } }), options)
    ).pipe(
      Effect.flatMap(({ Errors = [] }) =>
        Errors.some(({ Code }) => Code === "AccessDenied") ? Effect.fail(denial("DeleteObjects")) : Effect.void
      )
    )
  }
  return {
    list: { action: "s3:ListBucket", call: listOne(client, settings) } satisfies Use,
    remove,
    put: use("s3:PutObject", "PutObject", (options) =>
      client.send(new PutObjectCommand({ Bucket, Key, Body: "slipway doctor", ContentType: "text/plain" }), options)
    ),
    putNothing: use("s3:PutObject", "PutObject", (options) =>
      client.send(new PutObjectCommand({ Bucket, Key, Body: "slipway doctor", ContentMD5: noDigest }), options)
    ),
    get: use("s3:GetObject", "GetObject", async (options) => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }), options)
      await Body?.transformToByteArray()
    }),
    copy: use("CopyObject", "CopyObject", (options) =>
      client.send(new CopyObjectCommand({ Bucket, Key: copy, CopySource: `${Bucket}/${Key}` }), options)
    )
  }
}

/**
 * Tries every call that a host makes, below a prefix of its own, and names those that are not allowed. Nothing is stored
 * by somebody who may not delete it again.
 */
const permissionsFinding = Effect.fnUntraced(function* (
  name: string,
  client: S3Client,
  settings: S3Settings,
  prefix: string
): Effect.fn.Return<Finding> {
  const { copy, get, list, put, putNothing, remove } = usesOf(client, settings, prefix)
  const denied: Array<string> = []
  const isAllowed = Effect.fnUntraced(function* ({ action, call }: Use) {
    const result = yield* Effect.result(call)
    if (Result.isSuccess(result) || isTaken(result.failure)) return true
    if (!isDenied(result.failure)) return yield* result.failure
    denied.push(action)
    return false
  })
  const all = Effect.gen(function* () {
    const mayList = yield* isAllowed(list)
    if (!(yield* isAllowed(remove))) {
      yield* isAllowed(putNothing)
      if (mayList) yield* isAllowed(get)
      return
    }
    const stored = yield* isAllowed(put)
    // For a user who may neither list nor put, S3 answers "access denied" instead of "missing".
    const mayGet = (stored || mayList) && (yield* isAllowed(get))
    if (stored && mayGet) yield* isAllowed(copy)
    if (stored) yield* isAllowed(remove)
  })
  const tried = yield* Effect.result(all)
  if (Result.isFailure(tried)) return wrong(name, s3Fault(tried.failure, settings))
  if (denied.length === 0) return fine(name, "may list, get, put, copy and delete")
  const { bucket } = settings
  return wrong(name, {
    detail: `the credentials may not ${denied.join(", ")} in the bucket ${bucket}`,
    hint: `allow them s3:ListBucket on arn:aws:s3:::${bucket}, and s3:GetObject, s3:PutObject and s3:DeleteObject on arn:aws:s3:::${bucket}/*`
  })
})

// What the URLs that the bucket signs allow, tried as a client would.

/** A store's answer to a request that anybody with the URL can send. */
interface HttpResponse {
  readonly status: number
  readonly headers: Headers
  /** S3's error code, or the HTTP status. */
  readonly code: string
}

/** Sends a request to a presigned URL, without credentials. Returns `undefined` if the store doesn't answer. */
const request = (url: string, init: RequestInit = {}): Effect.Effect<HttpResponse | undefined> =>
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

const allowsOrigin = (answer: HttpResponse): boolean =>
  answer.status < 400 && ["*", origin].includes(answer.headers.get("access-control-allow-origin") ?? "")

const allowsRange = (answer: HttpResponse): boolean => {
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
  const preflight = yield* request(url, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "GET", "access-control-request-headers": "range" }
  })
  if (whole !== undefined && preflight !== undefined && allowsOrigin(whole) && allowsRange(preflight)) {
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
const signedPutFindings = Effect.fnUntraced(function* (
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

  const response = yield* request(put, { method: "PUT", headers: { "content-type": contentType }, body: bytes })
  if (response?.status !== 200) {
    return [
      wrong(name, {
        detail: `the store refuses a request that the URL was signed for: ${response?.code ?? "no answer"}`,
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
const storeClock = Effect.fnUntraced(
  function* (store: ObjectStore["Service"], prefix: string) {
    const expiresAt = DateTime.addDuration(yield* DateTime.now, "1 minute")
    const url = yield* store.presignGet({ key: `${prefix}nothing`, expiresAt })
    const sentAt = yield* Clock.currentTimeMillis
    const response = yield* request(url)
    const answered = yield* Clock.currentTimeMillis
    const serverTime = Date.parse(response?.headers.get("date") ?? "")
    const clock: ServerClock = {
      of: "S3",
      aheadMillis: serverTime + 500 - (sentAt + answered) / 2,
      exactToMillis: 1000 + answered - sentAt
    }
    return Number.isNaN(serverTime) ? undefined : clock
  },
  Effect.orElseSucceed(() => undefined)
)

const sweeps =
  (prefix: string) =>
  ({ Expiration, Filter, Status }: LifecycleRule): boolean =>
    Status === "Enabled" && Expiration?.Days !== undefined && prefix.startsWith(Filter?.Prefix ?? "")

/**
 * Whether the bucket itself sweeps uploads that were never finalized. Without it nothing is wrong, they only stay; and
 * without the permission to read the rules there is no finding.
 */
const lifecycleFinding = (
  name: string,
  client: S3Client,
  settings: S3Settings
): Effect.Effect<Option.Option<Finding>> => {
  const { bucket, prefix = "" } = settings
  const uploads = `${prefix}uploads/`
  const rule: LifecycleRule = {
    Status: "Enabled",
    Filter: { Prefix: uploads },
    Expiration: { Days: 2 },
    NoncurrentVersionExpiration: { NoncurrentDays: 1 }
  }
  // The command replaces all rules.
  const commandFor = (existing: ReadonlyArray<LifecycleRule>) => {
    const rules = JSON.stringify({ Rules: [...existing, rule] }).replaceAll("'", String.raw`'\''`)
    return `aws s3api put-bucket-lifecycle-configuration ${awsFlags(settings)} --lifecycle-configuration '${rules}'`
  }
  return attempt("GetBucketLifecycleConfiguration", probeTimeouts, (options) =>
    client.send(new GetBucketLifecycleConfigurationCommand({ Bucket: bucket }), options)
  ).pipe(
    Effect.map(({ Rules = [] }) => Rules),
    Effect.catchIf(
      (fault) => fault.name === "NoSuchLifecycleConfiguration" || fault.status === 404,
      () => Effect.succeed([])
    ),
    Effect.map((rules) =>
      fine(
        name,
        rules.some(sweeps(uploads))
          ? `a rule of the bucket deletes what is left below ${uploads}`
          : `no rule deletes what is left below ${uploads}. To add one: ${commandFor(rules)}`
      )
    ),
    Effect.option
  )
}

/** The object store on the bucket. Everything below the prefix is deleted when the scope closes. */
const openStore = Effect.fnUntraced(function* (settings: S3Settings, prefix: string) {
  const store = Context.get(yield* Layer.build(layerS3(settings)), ObjectStore)
  const tidy = Effect.flatMap(store.list(prefix), (left) => store.remove(left.map(({ key }) => key)))
  yield* Effect.addFinalizer(() => Effect.ignore(tidy))
  return store
})

const checkBucket = Effect.fnUntraced(function* (client: S3Client, settings: S3Settings) {
  const { bucket, endpoint } = settings
  const listed = yield* Effect.result(listOne(client, settings))
  if (Result.isFailure(listed) && listed.failure.name !== "AccessDenied") {
    return { findings: [wrong("S3", s3Fault(listed.failure, settings))] }
  }
  const prefix = `doctor/${crypto.randomUUID()}/`
  const store = yield* openStore(settings, prefix)
  const permissions = yield* permissionsFinding("S3 permissions", client, settings, prefix)
  const findings: ReadonlyArray<Finding> = [
    ...(Result.isSuccess(listed) ? [fine("S3", `the bucket ${bucket} at ${endpoint ?? "AWS"}`)] : []),
    permissions,
    ...(permissions.ok ? yield* signedPutFindings(store, client, settings, prefix) : []),
    ...Option.toArray(yield* lifecycleFinding("S3 lifecycle", client, settings))
  ]
  const clock = yield* storeClock(store, prefix)
  return clock === undefined ? { findings } : { findings, clock }
})

/**
 * Checks a bucket: whether it can be reached, the permissions, what its signed URLs enforce, and cross-origin reads.
 */
export const checkS3 = (settings: S3Settings): Effect.Effect<Checked> =>
  openClient(settings).pipe(
    Effect.flatMap((client) => checkBucket(client, settings)),
    Effect.catchTag("OptionsUnusable", (error) => Effect.succeed({ findings: [wrong("S3", optionsFault(error))] })),
    Effect.scoped
  )
