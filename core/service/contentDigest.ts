import {
  Context,
  Data,
  Effect,
  Fiber,
  Layer,
  Option,
  Queue,
  RcMap,
  Semaphore,
  Stream,
  type Cause,
  type Scope
} from "effect"
import { Unavailable } from "../model/Problem.ts"
import type { Reservation } from "../model/Reservation.ts"
import type { ReservationStore } from "../ports/ReservationStore.ts"
import type { AccountId } from "../model/Account.ts"
import { Settings } from "./Settings.ts"
import { Gunzip, runChunks, Sha256, type NotGzip } from "../ports/HostServices.ts"
import { isGzip } from "../rules/verification.ts"

/** How much the objects of a reservation may decompress to, all together. */
export interface DecompressionBudget {
  /** Adds this many bytes to the count; false if the budget is then exceeded. */
  readonly spend: (bytes: number) => boolean
  /** How many bytes were counted; more than the budget if it was exceeded. */
  readonly spent: () => number
  /** Whether the budget was exceeded. */
  readonly isUsedUp: () => boolean
}

/** A new budget of this many bytes. */
export const decompressionBudget = (bytes: number): DecompressionBudget => {
  let spent = 0
  const isUsedUp = () => spent > bytes
  return {
    isUsedUp,
    spent: () => spent,
    spend: (more) => {
      spent += more
      return !isUsedUp()
    }
  }
}

/** Stores how many bytes of a reservation were decompressed. A failure to store it changes no answer. */
export const rememberDecompressed = (
  reservations: ReservationStore["Service"],
  id: Reservation["id"],
  bytes: number
): Effect.Effect<void> =>
  bytes === 0
    ? Effect.void
    : reservations.addDecompressed(id, bytes).pipe(
        Effect.interruptible,
        Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => Effect.fail(Unavailable.default) }),
        Effect.catch(() => Effect.logWarning("What an upload decompressed to could not be written down", id))
      )

/** Limits concurrent digest computations per account, so that one account's uploads never block another's. */
export class DigestPermits extends Context.Service<
  DigestPermits,
  {
    /**
     * Runs an effect with a permit: at most `maxConcurrentDigests` effects of one account run at once; its others wait in order. Nothing is
     * stored for an account without running effects.
     */
    readonly withPermit: <A, E, R>(account: AccountId, run: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("slipway/core/service/DigestPermits") {
  static readonly layer = Layer.effect(
    DigestPermits,
    Effect.gen(function* () {
      const { maxConcurrentDigests } = yield* Settings
      const lookup: (account: AccountId) => Effect.Effect<Semaphore.Semaphore> = () =>
        Semaphore.make(maxConcurrentDigests)
      const semaphores = yield* RcMap.make({ lookup })
      const withPermit = Effect.fnUntraced(function* <A, E, R>(account: AccountId, run: Effect.Effect<A, E, R>) {
        const semaphore = yield* RcMap.get(semaphores, account)
        return yield* semaphore.withPermit(run)
      }, Effect.scoped)
      return DigestPermits.of({ withPermit })
    })
  )
}

/** The decompressed content exceeds the budget. */
export class OverBudget extends Data.TaggedError("OverBudget") {}

/** Content to hash: its bytes as sent, and the headers that determine whether they are gzip. */
interface DigestedContent<E> {
  readonly contentType: string
  readonly contentEncoding?: string
  readonly stream: Stream.Stream<Uint8Array, E>
}

/**
 * How many bytes are hashed in one turn of the event loop, which takes a few milliseconds, however large the chunks
 * are.
 */
const chunkBytes = 1024 ** 2

/** Hashes a chunk in parts of `chunkBytes`, so that other fibers run in between. */
const hashYielding = (chunk: Uint8Array, update: (bytes: Uint8Array) => void): Effect.Effect<void> =>
  Effect.suspend(() => {
    update(chunk.subarray(0, chunkBytes))
    return chunk.byteLength <= chunkBytes
      ? Effect.void
      : Effect.andThen(Effect.yieldNow, hashYielding(chunk.subarray(chunkBytes), update))
  })

/** Hashes chunks one after another. */
const hashAll = (chunks: ReadonlyArray<Uint8Array>, update: (bytes: Uint8Array) => void): Effect.Effect<void> => {
  const [only, ...others] = chunks
  return only !== undefined && others.length === 0
    ? hashYielding(only, update)
    : Effect.forEach(chunks, (chunk) => hashYielding(chunk, update), { discard: true })
}

/**
 * The SHA-256 of the uncompressed bytes of some content, in lower-case hex. Gzip is decompressed as a stream and never past
 * the budget: there it stops with `OverBudget`, and with `NotGzip` at what is no gzip. With a budget that is used up nothing
 * of it is read. `withPermit` wraps each chunk of work on decompressed bytes.
 */
export const contentDigest = Effect.fn("contentDigest")(function* <E>(
  { contentEncoding, contentType, stream }: DigestedContent<E>,
  budget: DecompressionBudget,
  withPermit: (work: Effect.Effect<void>) => Effect.Effect<void> = (work) => work
): Effect.fn.Return<string, E | NotGzip | OverBudget> {
  const hasher = (yield* Sha256)()
  const gunzip = yield* Gunzip
  if (!isGzip(contentType, contentEncoding)) {
    yield* runChunks(stream, (piece) => hashYielding(piece, hasher.update))
    return hasher.digest()
  }
  if (budget.isUsedUp()) return yield* new OverBudget()
  yield* Stream.runForEach(gunzip(stream), (chunk) =>
    budget.spend(chunk.byteLength) ? withPermit(hashYielding(chunk, hasher.update)) : Effect.fail(new OverBudget())
  )
  return hasher.digest()
})

/** Hashes content while it passes on its way to a store. */
export interface StreamDigest {
  /** The same bytes, hashed as they are read; it ends once all are hashed. For one stream only. */
  readonly passThrough: <E>(bytes: Stream.Stream<Uint8Array, E>) => Stream.Stream<Uint8Array, E>
  /**
   * The digest of the content, after the stream has ended: of the uncompressed bytes, as in `contentDigest`. `undefined` if it
   * exceeds the budget, or if content that was declared as gzip isn't gzip.
   */
  readonly digest: Effect.Effect<string | undefined>
}

const ofPlain = Effect.gen(function* () {
  const hasher = (yield* Sha256)()
  const digest: StreamDigest = {
    // Chunks that arrive together are passed on together, which is much less work than one by one.
    passThrough: Stream.mapArrayEffect((chunks) => Effect.as(hashAll(chunks, hasher.update), chunks)),
    digest: Effect.sync(hasher.digest)
  }
  return digest
})

/** Passes chunks to a second reader, and slows down the first one while the second has more than one chunk left. */
const ofGzip = Effect.fnUntraced(function* (
  content: Omit<DigestedContent<never>, "stream">,
  budget: DecompressionBudget,
  withPermit: (work: Effect.Effect<void>) => Effect.Effect<void>
) {
  const chunks = yield* Queue.bounded<Uint8Array, Cause.Done>(1)
  const digesting = yield* contentDigest({ ...content, stream: Stream.fromQueue(chunks) }, budget, withPermit).pipe(
    Effect.option,
    // If the second reader stops, the first one continues without it.
    Effect.ensuring(Queue.shutdown(chunks)),
    Effect.forkScoped
  )
  const digest: StreamDigest = {
    passThrough: (bytes) =>
      bytes.pipe(
        Stream.tap((chunk) => Queue.offer(chunks, chunk)),
        Stream.concat(Stream.fromEffectDrain(Effect.andThen(Queue.end(chunks), Fiber.await(digesting))))
      ),
    digest: Effect.map(Fiber.join(digesting), Option.getOrUndefined)
  }
  return digest
})

/** Hashes content of this type and encoding as it passes. Stops when the scope closes. */
export const streamDigest = (
  content: Omit<DigestedContent<never>, "stream">,
  budget: DecompressionBudget,
  withPermit: (work: Effect.Effect<void>) => Effect.Effect<void> = (work) => work
): Effect.Effect<StreamDigest, never, Scope.Scope> =>
  isGzip(content.contentType, content.contentEncoding) ? ofGzip(content, budget, withPermit) : ofPlain
