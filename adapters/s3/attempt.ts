import { ListObjectsV2Command, type S3Client } from "@aws-sdk/client-s3"
import { Data, Duration, Effect, Predicate } from "effect"
import { reportAway } from "../../core/ports/HostServices.ts"
import { ObjectMissing } from "../../core/ports/ObjectStore.ts"

/** The part of a bucket that a store uses. The name of an object there is `prefix` followed by its key. */
export interface BucketLocation {
  readonly client: S3Client
  readonly bucket: string
  readonly prefix: string
}

/** Encodes text for paths and queries as S3 encodes it when it checks a signature. */
export const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )

/** The name of an object as a path. */
export const encodePath = (name: string): string => name.split("/").map(encode).join("/")

/**
 * A call that the store refused or that didn't reach it. `name` is S3's code (`NoSuchKey`) or the system's
 * (`ECONNREFUSED`), `status` the HTTP status if the store answered. The rest of the SDK's error isn't kept, because it
 * holds the request with credentials.
 */
export class StoreFault extends Data.TaggedError("StoreFault")<{
  readonly call: string
  readonly name: string
  readonly status: number | undefined
  readonly detail: string
}> {}

/** What a call passes on to the SDK. */
export interface SendOptions {
  readonly abortSignal: AbortSignal
  /** How long a store may take to answer with its headers, in milliseconds. */
  readonly requestTimeout: number
}

/** How long a call may take: one attempt until the headers of its answer, and all attempts together until the end. */
interface Timeouts {
  readonly head: Duration.Input
  readonly whole: Duration.Input
}

/** For calls that a store answers quickly. */
export const shortTimeouts: Timeouts = { head: "5 seconds", whole: "15 seconds" }

/**
 * For calls that a store may work on for long, sending bytes meanwhile: a copy of 5 GiB, a deletion of 1,000 objects.
 */
export const longTimeouts: Timeouts = { head: "20 seconds", whole: "5 minutes" }

/** The SDK's error names for a store that doesn't answer. */
const noMessage = "UnknownError"

/** What the SDK adds for its programmers to the message about an answer that it can't read. */
const sdkAdvice = /\.?\s*Deserialization error: to see the raw response[\s\S]*$/

/** Reads the name and the status from an error of the SDK or of a response body. */
export const faultOf = (call: string, cause: unknown): StoreFault => {
  const code = Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : undefined
  const metadata = Predicate.hasProperty(cause, "$metadata") ? cause.$metadata : undefined
  const status = Predicate.hasProperty(metadata, "httpStatusCode") ? metadata.httpStatusCode : undefined
  const { message, name } = cause instanceof Error ? cause : new Error("the thrown value is not an error")
  return new StoreFault({
    call,
    name: code ?? name,
    status: Predicate.isNumber(status) ? status : undefined,
    detail: message === noMessage ? "" : message.replace(sdkAdvice, "").replaceAll(/\s+/g, " ").slice(0, 300)
  })
}

/** The error of a store that didn't answer within `duration`. */
export const noResponse = (call: string, duration: Duration.Input): StoreFault =>
  new StoreFault({
    call,
    name: "TimeoutError",
    status: undefined,
    detail: `nothing came for ${Duration.format(Duration.fromInputUnsafe(duration))}`
  })

/** Makes one call of the SDK, which repeats it itself where that may help. */
export const attempt = <A>(
  call: string,
  { head, whole }: Timeouts,
  send: (options: SendOptions) => Promise<A>
): Effect.Effect<A, StoreFault> =>
  Effect.tryPromise({
    try: (abortSignal) => send({ abortSignal, requestTimeout: Duration.toMillis(head) }),
    catch: (cause) => faultOf(call, cause)
  }).pipe(Effect.timeoutOrElse({ duration: whole, orElse: () => Effect.fail(noResponse(call, whole)) }))

/** Makes one call whose answer is a stream. It must begin in time, but may take as long as its reader. */
export const attemptToOpen = <A>(
  call: string,
  send: (options: Pick<SendOptions, "requestTimeout">) => Promise<A>
): Effect.Effect<A, StoreFault> =>
  Effect.tryPromise({
    try: () => send({ requestTimeout: Duration.toMillis(shortTimeouts.head) }),
    catch: (cause) => faultOf(call, cause)
  })

/** S3's codes for a store that is overloaded, at any status. */
const busy = /^(?:SlowDown|RequestTimeout|RequestLimitExceeded|Throttling\w*|TooManyRequests\w*)$/

const isUnreachable = ({ name, status }: StoreFault): boolean =>
  status === undefined || (status >= 500 && status !== 501 && status !== 507) || status === 429 || busy.test(name)

export const isFull = ({ status }: StoreFault): boolean => status === 507

/**
 * Logs in one line what went wrong. A problem that only the operator can fix (no such bucket, no permission, another
 * region) is an error in the log, and an unreachable store is a warning. Both are `Unavailable` to the caller, because
 * both can be fixed without a restart and the client's request wasn't wrong.
 */
export const logFault = (fault: StoreFault): Effect.Effect<void> => {
  const { call, detail, name, status } = fault
  const line = `${call}: ${status === undefined ? "" : `${status} `}${name}${detail === "" ? "" : `, ${detail}`}`
  return isUnreachable(fault)
    ? reportAway("object store", Effect.logWarning("The object store can't be reached", line))
    : Effect.logError("The object store refuses Slipway", line)
}

const isListed = ({ bucket, client, prefix }: BucketLocation, key: string): Effect.Effect<boolean, StoreFault> => {
  const name = prefix + key
  return attempt("ListObjectsV2", shortTimeouts, (options) =>
    client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: name, MaxKeys: 1 }), options)
  ).pipe(Effect.map(({ Contents = [] }) => Contents[0]?.Key === name))
}

/**
 * Tells a missing object from other refusals. To a caller who may not list the whole bucket, S3 answers that access to
 * a missing object is denied. A listing then decides: an object that it leaves out is missing; when it shows the object
 * or is refused itself, permissions are missing.
 */
export const orMissing =
  (location: BucketLocation, key: string) =>
  <A, R>(effect: Effect.Effect<A, StoreFault, R>): Effect.Effect<A, StoreFault | ObjectMissing, R> =>
    Effect.catchTag(effect, "StoreFault", (fault) => {
      if (fault.name === "NoSuchKey") return Effect.fail(new ObjectMissing())
      if (fault.status !== 403) return Effect.fail(fault)
      return Effect.catchTag(isListed(location, key), "StoreFault", () => Effect.succeed(true)).pipe(
        Effect.flatMap((listed) => Effect.fail(listed ? fault : new ObjectMissing()))
      )
    })
