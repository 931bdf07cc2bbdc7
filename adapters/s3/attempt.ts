import { Data, Duration, Effect, Predicate } from "effect"

/**
 * A call that the store refused, or that didn't reach it. `name` is S3's own for why (`NoSuchKey`) or the system's
 * (`ECONNREFUSED`), `status` the HTTP status where the store answered at all. Nothing else of the SDK's error is kept:
 * it holds the request, with credentials.
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
  /** How long the head of an answer may take, in milliseconds. */
  readonly requestTimeout: number
}

/** How long a call may take: one attempt until the head of its answer; all of them until the end. */
export interface Patience {
  readonly head: Duration.Input
  readonly whole: Duration.Input
}

/** For what a store answers at once. */
export const brisk: Patience = { head: "5 seconds", whole: "15 seconds" }

/** For what a store may have to work on, saying so meanwhile: to copy 5 GiB, to delete 1,000 objects. */
export const patient: Patience = { head: "20 seconds", whole: "5 minutes" }

/** What the SDK says where a store says nothing. */
const noMessage = "UnknownError"

/** What an error of the SDK, or of the body that it handed over, tells. */
export const faultOf = (call: string, cause: unknown): StoreFault => {
  const code = Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : undefined
  const metadata = Predicate.hasProperty(cause, "$metadata") ? cause.$metadata : undefined
  const status = Predicate.hasProperty(metadata, "httpStatusCode") ? metadata.httpStatusCode : undefined
  const { message, name } = cause instanceof Error ? cause : new Error("what was thrown is no error")
  return new StoreFault({
    call,
    name: code ?? name,
    status: Predicate.isNumber(status) ? status : undefined,
    detail: message === noMessage ? "" : message.replaceAll(/\s+/g, " ").slice(0, 300)
  })
}

/** A store that lets somebody wait for longer than `duration`. */
export const silent = (call: string, duration: Duration.Input): StoreFault =>
  new StoreFault({
    call,
    name: "TimeoutError",
    status: undefined,
    detail: `nothing came for ${Duration.format(Duration.fromInputUnsafe(duration))}`
  })

/** One call of the SDK, which repeats it by itself as far as that may help. */
export const attempt = <A>(
  call: string,
  { head, whole }: Patience,
  send: (options: SendOptions) => Promise<A>
): Effect.Effect<A, StoreFault> =>
  Effect.tryPromise({
    try: (abortSignal) => send({ abortSignal, requestTimeout: Duration.toMillis(head) }),
    catch: (cause) => faultOf(call, cause)
  }).pipe(Effect.timeoutOrElse({ duration: whole, orElse: () => Effect.fail(silent(call, whole)) }))

/** One call whose answer is a stream: it has to begin in time, but may take as long as its reader does. */
export const attemptToOpen = <A>(
  call: string,
  send: (options: Pick<SendOptions, "requestTimeout">) => Promise<A>
): Effect.Effect<A, StoreFault> =>
  Effect.tryPromise({
    try: () => send({ requestTimeout: Duration.toMillis(brisk.head) }),
    catch: (cause) => faultOf(call, cause)
  })

/** What S3 calls a store that has too much to do, whatever the status. */
const busy = /^(?:SlowDown|RequestTimeout|RequestLimitExceeded|Throttling\w*|TooManyRequests\w*)$/

const isAway = ({ name, status }: StoreFault): boolean =>
  status === undefined || (status >= 500 && status !== 501 && status !== 507) || status === 429 || busy.test(name)

/** Whether the store has no room. */
export const isFull = ({ status }: StoreFault): boolean => status === 507

/**
 * Says in one line of the log what went wrong. What only its operator can mend (no such bucket, no permission, another
 * region) is told from a store that can't be reached; both are `Unavailable` to the caller, as they are mended without a
 * restart, and nothing is wrong with what the client sent.
 */
export const logFault = (fault: StoreFault): Effect.Effect<void> => {
  const { call, detail, name, status } = fault
  const line = `${call}: ${status === undefined ? "" : `${status} `}${name}${detail === "" ? "" : `, ${detail}`}`
  return isAway(fault)
    ? Effect.logWarning("The object store can't be reached", line)
    : Effect.logError("The object store refuses Slipway", line)
}
