import { Clock, Context, Duration, Effect, Latch, Layer, Scheduler } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { RateLimited } from "../model/Problem.ts"
import { tooManyRequests } from "../rules/limits.ts"
import { hashSecret } from "../rules/credentials.ts"
import { countRateLimited, measureWaitingRequests, timeWaitingRequest } from "./telemetry.ts"
import { Settings } from "./Settings.ts"

/** What is known of a request before it is authenticated. */
export interface RequestSource {
  /** What the request presents to be authenticated, such as its `Authorization` header. */
  readonly credential?: string | undefined
  /** Whether the credential is part of the URL. */
  readonly isInUrl?: boolean
  /** The address of the client. */
  readonly client?: string | undefined
}

/** The permit of a request to use the host. It is held from the beginning of the request to its response. */
interface RequestPermit {
  /**
   * Names the account of the request, once it is authenticated. From then on it waits and counts for that account. `key` is
   * `undefined` if the URL opens a resource of the account: what else the request presents then says nothing of its sender.
   */
  readonly attribute: (account: AccountId, key: string | undefined) => Effect.Effect<void, RateLimited>
  /** Gives the permit up until `resume`: for the parts of a request that only wait for its client. */
  readonly pause: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
  /** Reads something that the client sends. The permit is given up while that takes long and other requests wait. */
  readonly whileReading: <A, E, R>(read: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** The permit of the current request. Outside of requests, nothing waits. */
export const CurrentPermit = Context.Reference<RequestPermit>("slipway/core/service/CurrentPermit", {
  defaultValue: () => ({
    attribute: () => Effect.void,
    pause: Effect.void,
    resume: Effect.void,
    whileReading: (read) => read
  })
})

/** How many waiting requests begin in one turn of the event loop. */
const maxBegunInTurn = 2
/**
 * How many turns a burst of arrivals may have. An event loop accepts one connection in a turn, so during a burst others may wait to
 * be accepted that are of other accounts.
 */
const maxBurstTurns = 64
/** All accounts together run this many times the requests of one account; all addresses likewise. */
const maxConcurrentLanes = 8
/** For this time, an unfinished request delays those of accounts that have sent too many. */
const precedence = 1000
/** A client that takes longer than this to send a body holds no permit. */
const bodyTimeout = 1000
/** A request that has waited for so long is refused. */
const maxWait = 30_000
const tickInterval = Duration.millis(250)
const logInterval = 60_000
/** How many credentials a host remembers the account of. */
const capacity = 10_000
const maxCredentialLength = 2048

/** The requests of one account, or those of one address that are not authenticated yet. */
interface Lane {
  readonly id: string
  readonly isAccount: boolean
  running: number
  waiting: number
  /** The waiting requests by key. The first key is the next one. */
  readonly keys: Map<string, Set<Request>>
  /** When the latest requests ended. */
  readonly ends: Array<number>
  /** Until when it counts as a lane with too many requests. */
  busyUntil: number
  /** In which burst of arrivals a request began at its arrival. */
  burst: number
  /** How many requests began in which turn of the event loop. */
  turn: number
  begunInTurn: number
}

interface Request {
  readonly credential: string | undefined
  readonly isInUrl: boolean
  readonly arrivedAt: number
  readonly precedesUntil: number
  lane: Lane
  key: string
  state: "paused" | "waiting" | "running" | "closed"
  hasBegun: boolean
  isAttributed: boolean
  waitsSince: number
  readsSince: number | undefined
  begin: (refused?: RateLimited) => void
}

/**
 * Schedules everything that accounts request from a host: the API, uploads to URLs of the host, and pages.
 *
 * - An account runs at most `maxConcurrentRequests` at once. Its other requests wait, at most `maxWaitingRequests` of them. Above
 *   that, and after 30 seconds, a request is refused with `RateLimited`.
 * - Accounts are served in turns, and within an account its keys. Requests that are not authenticated yet are served by client
 *   address, and within it by credential. They have permits of their own, so that wrong keys delay no account.
 * - An account with more than `maxConcurrentRequests` requests finishes at most that many during a request of another account
 *   that has fewer, or during the first second of it.
 * - One turn of the event loop begins few of the waiting requests, and as many of one account.
 * - While requests arrive in each turn of the event loop, only the first of an account begins at once. The others wait for a turn
 *   without an arrival, so that the requests of all connections that wait to be accepted are known by then.
 *
 * Without other requests of the account, nothing waits.
 */
export class RequestScheduler extends Context.Service<
  RequestScheduler,
  {
    /** Runs a request with a permit. `RateLimited` if too many requests of its account wait. */
    readonly schedule: <A, E, R>(
      source: RequestSource,
      request: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimited, R>
  }
>()("slipway/core/service/RequestScheduler") {
  static readonly layer = Layer.effect(
    RequestScheduler,
    Effect.gen(function* () {
      const { maxConcurrentRequests: maxConcurrent, maxWaitingRequests } = yield* Settings
      const clock = yield* Clock.Clock
      const dispatcher = (yield* Scheduler.Scheduler).makeDispatcher()
      const someWait = Latch.makeUnsafe(false)

      const accountOf = new Map<string, { readonly account: string; readonly key: string }>()
      const lanes = new Map<string, Lane>()
      /** The lanes with waiting requests, the next one first. */
      const waitingLanes = new Set<Lane>()
      /** The requests of accounts with few of them, by arrival: accounts with many let them pass. */
      const preceding = new Set<Request>()
      const reading = new Set<Request>()
      /** The lanes to forget in the next turn of the event loop. Until then, they count what began in this one. */
      const idleLanes = new Set<Lane>()
      const running = { accounts: 0, addresses: 0 }
      let [sequence, turn, waiting, loggedAt] = [0, 0, 0, -Infinity]
      /** How many requests have arrived, also before the latest turn; and the turns of the current burst. */
      let [arrivals, arrivalsBefore, burst, burstTurns] = [0, 0, 0, 0]
      let isWoken = false

      const now = () => clock.currentTimeMillisUnsafe()
      const group = ({ isAccount }: Lane) => (isAccount ? "accounts" : "addresses")
      const open = ({ running, waiting }: Lane) => running + waiting

      const laneOf = (id: string, isAccount: boolean): Lane => {
        const existing = lanes.get(id)
        if (existing !== undefined) return existing
        const lane: Lane = {
          id,
          isAccount,
          running: 0,
          waiting: 0,
          keys: new Map(),
          ends: [],
          busyUntil: 0,
          burst: -1,
          turn,
          begunInTurn: 0
        }
        lanes.set(id, lane)
        return lane
      }

      /** Whether a request belongs to an account, or is the only one of its credential at an address, with few of them. */
      const isOfFew = ({ key, lane }: Request, at: number): boolean =>
        lane.isAccount ? lane.busyUntil <= at : (lane.keys.get(key)?.size ?? 0) <= 1

      /** Whether enough requests of a busy lane have finished, or still run, since a request of another one arrived. */
      const letsOthersPass = (lane: Lane): boolean => {
        const at = now()
        if (lane.busyUntil <= at) return false
        for (const request of preceding) {
          if (request.precedesUntil <= at) preceding.delete(request)
          else if (request.lane !== lane && isOfFew(request, at)) {
            return lane.running + lane.ends.filter((end) => end > request.arrivedAt).length >= maxConcurrent / 2
          }
        }
        return false
      }

      const hasRoom = (lane: Lane): boolean =>
        lane.running < maxConcurrent &&
        running[group(lane)] < maxConcurrent * maxConcurrentLanes &&
        (lane.turn !== turn || lane.begunInTurn < maxBegunInTurn) &&
        !letsOthersPass(lane)

      const wake = () => {
        if (isWoken) return
        isWoken = true
        dispatcher.scheduleTask(dispatch, 0)
      }

      const begin = (request: Request) => {
        const { lane } = request
        if (lane.turn !== turn) [lane.turn, lane.begunInTurn] = [turn, 0]
        lane.begunInTurn += 1
        lane.running += 1
        running[group(lane)] += 1
        request.state = "running"
        request.hasBegun = true
      }

      const dequeue = (request: Request) => {
        const { key, lane } = request
        const ofKey = lane.keys.get(key)
        ofKey?.delete(request)
        lane.keys.delete(key)
        // The other keys come next.
        if (ofKey !== undefined && ofKey.size > 0) lane.keys.set(key, ofKey)
        lane.waiting -= 1
        waiting -= 1
        waitingLanes.delete(lane)
        if (lane.waiting > 0) waitingLanes.add(lane)
      }

      /** Begins waiting requests, one of each lane in turn. */
      const dispatch = () => {
        isWoken = false
        turn += 1
        if (arrivals > arrivalsBefore) {
          arrivalsBefore = arrivals
          burstTurns += 1
          if (burstTurns <= maxBurstTurns) return wake()
        } else burstTurns = 0
        burst += 1
        for (const lane of idleLanes) {
          if (open(lane) === 0 && lanes.get(lane.id) === lane) lanes.delete(lane.id)
        }
        idleLanes.clear()
        let remaining = maxBegunInTurn
        // A lane whose request begins becomes the last one, and is visited again.
        for (const lane of waitingLanes) {
          if (remaining === 0) return wake()
          const [[request] = []] = lane.keys.values()
          if (request === undefined || !hasRoom(lane)) continue
          dequeue(request)
          begin(request)
          remaining -= 1
          request.begin()
        }
      }

      /** Ends what a request holds or waits for. */
      const leave = (request: Request, state: "paused" | "closed") => {
        const { lane } = request
        if (request.state === "waiting") dequeue(request)
        if (request.state === "running") {
          lane.running -= 1
          running[group(lane)] -= 1
          lane.ends.push((sequence += 1))
          if (lane.ends.length > maxConcurrent) lane.ends.shift()
        }
        request.state = state
        if (open(lane) === 0) idleLanes.add(lane)
        if (waiting > 0 || idleLanes.size > 0) wake()
      }

      const refuse = (lane: Lane) =>
        Effect.gen(function* () {
          yield* countRateLimited("concurrency")
          const at = now()
          if (at - loggedAt >= logInterval) {
            loggedAt = at
            yield* Effect.logWarning(
              `${lane.isAccount ? `The account ${lane.id}` : "An address without a valid key"} has ${lane.running} requests in ` +
                `progress and ${lane.waiting} waiting. Its further requests get 429 (SLIPWAY_MAX_WAITING_REQUESTS).`
            )
          }
          return yield* refusal(lane)
        })

      const refusal = (lane: Lane): RateLimited => {
        const [[oldest] = []] = lane.keys.values()
        return tooManyRequests(maxConcurrent, lane.waiting, oldest === undefined ? 0 : now() - oldest.waitsSince)
      }

      /** The latest request that waits for its beginning, of the key with the most waiting requests. */
      const newestOfBusiestKey = (lane: Lane): Request | undefined => {
        let busiest: ReadonlySet<Request> = new Set()
        for (const ofKey of lane.keys.values()) if (ofKey.size > busiest.size) busiest = ofKey
        return [...busiest].findLast(({ hasBegun }) => !hasBegun)
      }

      const cancel = (request: Request, refused: RateLimited) => {
        leave(request, "paused")
        request.begin(refused)
      }

      const acquire = (request: Request): Effect.Effect<void, RateLimited> =>
        Effect.suspend(() => {
          if (request.state === "running" || request.state === "closed") return Effect.void
          const lane = (request.lane = laneOf(request.lane.id, request.lane.isAccount))
          const isNext = request.hasBegun || lane.burst !== burst
          if (lane.waiting === 0 && hasRoom(lane) && isNext) {
            lane.burst = burst
            begin(request)
            return Effect.void
          }
          if (!request.hasBegun && lane.waiting >= maxWaitingRequests) {
            const newest = newestOfBusiestKey(lane)
            const ofKey = lane.keys.get(request.key)?.size ?? 0
            if (newest === undefined || ofKey + 1 >= (lane.keys.get(newest.key)?.size ?? 0)) return refuse(lane)
            return Effect.flatMap(Effect.flip(refuse(lane)), (refused) => {
              cancel(newest, refused)
              return acquire(request)
            })
          }
          return Effect.callback<void, RateLimited>((resume) => {
            request.state = "waiting"
            request.waitsSince = now()
            request.begin = (refused) => resume(refused === undefined ? Effect.void : Effect.fail(refused))
            const ofKey = lane.keys.get(request.key) ?? new Set()
            lane.keys.set(request.key, ofKey.add(request))
            lane.waiting += 1
            waiting += 1
            waitingLanes.add(lane)
            if (open(lane) > maxConcurrent) lane.busyUntil = request.waitsSince + precedence
            someWait.openUnsafe()
            wake()
            return Effect.sync(() => {
              if (request.state === "waiting") leave(request, "paused")
            })
          }).pipe(
            Effect.tap(() => timeWaitingRequest((now() - request.waitsSince) / 1000)),
            Effect.ensuring(Effect.suspend(() => measureWaitingRequests(waiting)))
          )
        })

      const permitOf = (request: Request): RequestPermit => {
        const resume = Effect.orDie(acquire(request))
        return {
          attribute: (account, named) =>
            Effect.suspend(() => {
              const key = named ?? ""
              request.isAttributed = true
              if (request.credential !== undefined && (named !== undefined || request.isInUrl)) {
                accountOf.delete(request.credential)
                accountOf.set(request.credential, { account, key })
                const [eldest] = accountOf.keys()
                if (accountOf.size > capacity && eldest !== undefined) accountOf.delete(eldest)
              }
              if (request.lane.id === account || request.state === "closed") return Effect.void
              leave(request, "paused")
              request.lane = laneOf(account, true)
              request.key = key
              request.hasBegun = false
              return acquire(request)
            }),
          pause: Effect.sync(() => {
            if (request.state === "running") leave(request, "paused")
          }),
          resume,
          whileReading: (read) =>
            Effect.suspend(() => {
              request.readsSince = now()
              reading.add(request)
              // A form of somebody who isn't signed in delays nobody while it arrives.
              const { isAccount, waiting: others } = request.lane
              if (!isAccount && others > 0 && request.state === "running") leave(request, "paused")
              return Effect.ensuring(
                read,
                Effect.sync(() => void reading.delete(request))
              )
            }).pipe(Effect.tap(() => resume))
        }
      }

      const tick = Effect.sync(() => {
        const at = now()
        for (const request of reading) {
          if (request.state === "running" && at - (request.readsSince ?? at) >= bodyTimeout) leave(request, "paused")
        }
        for (const lane of waitingLanes) {
          for (const ofKey of lane.keys.values()) {
            for (const request of ofKey) {
              if (at - request.waitsSince < maxWait) break
              if (request.hasBegun) continue
              cancel(request, refusal(lane))
            }
          }
        }
        if (waiting === 0) someWait.closeUnsafe()
        else wake()
      })
      yield* Effect.forkScoped(
        Effect.forever(Effect.andThen(someWait.await, Effect.andThen(Effect.sleep(tickInterval), tick)))
      )

      const arrive = ({ client = "", credential, isInUrl = false }: RequestSource): Request => {
        const hash = credential === undefined ? undefined : hashSecret(credential.slice(0, maxCredentialLength))
        const knownAccount = hash === undefined ? undefined : accountOf.get(hash)
        // Where nobody knows the address, each credential is a client.
        const address = `address ${client === "" ? (hash ?? "") : client}`
        const request: Request = {
          credential: hash,
          isInUrl,
          arrivedAt: (sequence += 1),
          precedesUntil: now() + precedence,
          lane: knownAccount === undefined ? laneOf(address, false) : laneOf(knownAccount.account, true),
          key: knownAccount === undefined ? (hash ?? "") : knownAccount.key,
          state: "paused",
          hasBegun: false,
          isAttributed: false,
          waitsSince: 0,
          readsSince: undefined,
          begin: () => undefined
        }
        if (isOfFew(request, now())) preceding.add(request)
        arrivals += 1
        wake()
        return request
      }

      const close = (request: Request) => {
        preceding.delete(request)
        leave(request, "closed")
        // A credential that isn't valid any more doesn't count for its former account. A request that never began shows nothing.
        if (request.hasBegun && !request.isAttributed && request.credential !== undefined) {
          accountOf.delete(request.credential)
        }
      }

      return RequestScheduler.of({
        schedule: (source, effect) =>
          Effect.uninterruptibleMask((restore) => {
            const request = arrive(source)
            const run = Effect.provideService(effect, CurrentPermit, permitOf(request))
            return Effect.ensuring(
              restore(Effect.andThen(acquire(request), run)),
              Effect.sync(() => close(request))
            )
          })
      })
    })
  )
}
