/** What is known of a request besides its message: where it comes from, its id, and what a log of requests notes of it. */
import { Clock, Context, Duration, Effect, type Fiber, Layer, Option, Result, Tracer } from "effect"
import { make as makeRandom, SecureRandom } from "effect/crypto/SecureRandom"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { IpNetwork, NetAddress } from "effect/net"
import { randomFillSync } from "node:crypto"
import type { Caller, KeyId, Reader, SessionId } from "../../core/model/ApiKey.ts"
import type { RateLimited } from "../../core/model/Problem.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { RateLimits } from "../../core/service/RateLimits.ts"
import { CurrentActor } from "../../core/service/auditing.ts"
import { actorOf } from "../../core/service/Authorization.ts"
import type { Attempt } from "../../core/service/securityLog.ts"
import type { AccountId } from "../../core/model/Account.ts"
import { CurrentPermit } from "../../core/service/RequestScheduler.ts"

/** What only the server knows of a request or of a call of `run`. */
export interface RequestOrigin {
  /** The IP address of the connection's peer. Limits of wrong keys, the audit log and the security log use it. */
  readonly clientAddress?: string | undefined
  /** Who acts, in the audit log, such as the id of a user of yours. Requests with an API key have the key instead. */
  readonly actor?: string | undefined
}

/** The origin of the current request. */
export const CurrentOrigin = Context.Reference<RequestOrigin>("slipway/hosts/http/CurrentOrigin", {
  defaultValue: () => ({})
})

/**
 * The origin in the second argument of `fetch`, which servers such as Bun's and Deno's call with an argument of their own.
 * Throws a `TypeError` if a field is no text, or no address.
 */
export const originOf = (given: unknown): RequestOrigin => {
  const { actor, clientAddress = "" }: { readonly actor?: unknown; readonly clientAddress?: unknown } = Object(given)
  if (actor !== undefined && (typeof actor !== "string" || actor === "")) {
    throw new TypeError("actor must be a text that isn't empty, such as the id of a user")
  }
  // Node's server has no address for a connection that has ended, or that came by a Unix socket.
  if (clientAddress === "") return { actor }
  if (typeof clientAddress !== "string" || Result.isFailure(NetAddress.ipFromString(clientAddress))) {
    throw new TypeError(`clientAddress must be an IP address without a port, such as 192.0.2.1; it is ${clientAddress}`)
  }
  return { actor, clientAddress }
}

/** The request of a fiber, which comes from the address of its origin, if that has one. */
export const fromOrigin = (fiber: Fiber.Fiber<unknown, unknown>): HttpServerRequest.HttpServerRequest => {
  const { clientAddress } = Context.get(fiber.context, CurrentOrigin)
  const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
  if (clientAddress === undefined) return request
  const located = request.modify({ remoteAddress: Option.some(clientAddress) })
  fiber.setContext(Context.add(fiber.context, HttpServerRequest.HttpServerRequest, located))
  return located
}

/**
 * The actor of a request with this context, and its address: the peer's, since anyone can send `X-Forwarded-For`. A caller without a
 * key is named as the embedder's server names it.
 */
export const actorIn = (context: Context.Context<never>, caller: Caller & { readonly sessionId?: SessionId }) => {
  const { remoteAddress } = Context.getUnsafe(context, HttpServerRequest.HttpServerRequest)
  const { actor } = Context.get(context, CurrentOrigin)
  return {
    actor: actor === undefined || caller.keyId !== undefined ? actorOf(caller) : { embedder: actor },
    ...withoutUndefined({ address: Option.getOrUndefined(remoteAddress) })
  }
}

/** The actor of the current request. */
export const actorOfRequest = (caller: Caller & { readonly sessionId?: SessionId }) =>
  Effect.contextWith((context: Context.Context<HttpServerRequest.HttpServerRequest>) =>
    Effect.succeed(actorIn(context, caller))
  )

/** An address as a server knows it; IPv4 also where it is mapped to IPv6. `undefined` where the server doesn't know it. */
export const canonicalAddress = (address: Option.Option<string>): NetAddress.IpAddress | undefined => {
  const parsed = Option.flatMap(address, (text) => Result.getSuccess(NetAddress.ipFromString(text)))
  return Option.isSome(parsed) ? NetAddress.toCanonical(parsed.value) : undefined
}

/**
 * The identity of a client's address: an IPv4 address, or the network of an IPv6 address, since one client has all of
 * its 2^64 addresses. `undefined` where the server doesn't know the address.
 */
export const clientOf = (address: NetAddress.IpAddress | undefined): string | undefined => {
  if (address === undefined) return undefined
  return NetAddress.isIpv4Address(address)
    ? NetAddress.formatIp(address)
    : IpNetwork.format(IpNetwork.fromAddressUnsafe(address, 64))
}

/** What a request with this context shows, and from where. */
const attemptIn = (context: Context.Context<never>, shown: Pick<Attempt, "kind" | "keyPrefix">): Attempt => {
  const { remoteAddress } = Context.getUnsafe(context, HttpServerRequest.HttpServerRequest)
  const address = canonicalAddress(remoteAddress)
  return {
    ...shown,
    client: clientOf(address),
    address: address && NetAddress.formatIp(address),
    route: Context.getOrUndefined(context, HttpRouter.RouteContext)?.route.path
  }
}

/** `RateLimits.limitAttempt` for the sender of the current request. */
export const limitAttemptBy =
  (limits: RateLimits["Service"]) =>
  <A, E extends { readonly _tag: string }, R>(
    shown: Pick<Attempt, "kind" | "keyPrefix">,
    wrong: E["_tag"],
    attempt: Effect.Effect<A, E, R>
  ) =>
    Effect.withFiber<A, E | RateLimited, R | HttpServerRequest.HttpServerRequest>(({ context }) => {
      const by = attemptIn(context, shown)
      const { address } = by
      if (address === undefined) return limits.limitAttempt(by, wrong, attempt)
      // The actor in the audit log is the secret's owner; the address is that of the request.
      const acting = { ...Context.get(context, CurrentActor), address }
      return limits.limitAttempt(by, wrong, Effect.provideService(attempt, CurrentActor, acting))
    })

/** The same by the service in the context. */
export const limitAttempt = <A, E extends { readonly _tag: string }, R>(
  shown: Pick<Attempt, "kind" | "keyPrefix">,
  wrong: E["_tag"],
  attempt: Effect.Effect<A, E, R>
) => Effect.flatMap(RateLimits, (limits) => limitAttemptBy(limits)(shown, wrong, attempt))

/** `RateLimits.logFailure` of the request at hand. */
export const logFailure = (kind: Attempt["kind"]) =>
  Effect.contextWith((context: Context.Context<HttpServerRequest.HttpServerRequest | RateLimits>) =>
    Context.get(context, RateLimits).logFailure(attemptIn(context, { kind }))
  )

/**
 * In the answers to probes: whether the request has an `X-Forwarded-For` that is used (`trusted`), one that is ignored (`untrusted`), or
 * `none`. `slipway doctor` reads it behind the proxy of the public URL.
 */
export const proxyHeader = "x-slipway-proxy"

const interval = Duration.toMillis("1 hour")

/**
 * The warning to log, at most once an hour, about a request with `X-Forwarded-For` from a peer that is no trusted proxy. The
 * header is then ignored, so a proxy that isn't named makes all clients look like one.
 */
export const warnOfUntrustedProxy = (trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>) => {
  let silentUntil = -Infinity
  const warn = Effect.fnUntraced(function* (peer: NetAddress.IpAddress) {
    const now = yield* Clock.currentTimeMillis
    if (now < silentUntil) return
    silentUntil = now + interval
    const address = NetAddress.formatIp(peer)
    yield* Effect.logWarning(
      `X-Forwarded-For from ${address} was ignored, because ${address} is no trusted proxy. If it is your proxy, add it to ` +
        "SLIPWAY_TRUSTED_PROXIES: until then all clients behind it share one limit of wrong keys, and logs have its address."
    )
  })
  return ({ headers, peerAddress }: HttpServerRequest.HttpServerRequest): Effect.Effect<void> | undefined => {
    const peer = headers["x-forwarded-for"] === undefined ? undefined : canonicalAddress(peerAddress)
    return peer === undefined || trustedProxies.some((network) => IpNetwork.contains(network, peer))
      ? undefined
      : warn(peer)
  }
}

/** What is learned of a request while it is answered, for a log of requests. None of it is a secret. */
export interface AccessNotes {
  readonly requestId?: string
  /** The pattern of its path, such as `/api/v1/builds/:id`. */
  readonly route?: string
  readonly account?: AccountId
  readonly key?: KeyId
  /** The trace that the request belongs to, if the host has a tracer. */
  readonly traceId?: string
}

/** The notes are a property of the request, because a `WeakMap` would take most of the time that metrics take. */
const kept = Symbol("access notes")

/** The server's own object for a request. */
interface Noted {
  [kept]?: AccessNotes
  toString(): string
}

/** Begins to keep notes of a request. Without this, notes of it are dropped. */
export const attachNotes = (request: Noted): void => {
  request[kept] ??= {}
}

/** What was noted of a request. */
export const notesOf = (request: Noted): AccessNotes => request[kept] ?? {}

/** Adds a note to a request, if its notes are kept. */
export const note = (request: Noted, learned: AccessNotes): void => {
  const notes = request[kept]
  if (notes !== undefined) Object.assign(notes, learned)
}

const noteAccount = (account: AccountId, keyId: KeyId | undefined, key: string | undefined) =>
  Effect.withFiber<void, RateLimited, HttpServerRequest.HttpServerRequest>(({ context }) => {
    const { source } = Context.getUnsafe(context, HttpServerRequest.HttpServerRequest)
    note(source, { account, ...withoutUndefined({ key: keyId }) })
    return Context.get(context, CurrentPermit).attribute(account, key)
  })

/** Notes who sends the request at hand. From here on, it waits for the account's turn (`RequestScheduler`). */
export const noteCaller = ({ account, keyId }: Pick<Caller, "keyId"> & Reader) =>
  noteAccount(account.id, keyId, keyId ?? "")

/** Notes the account whose resource the URL of the request at hand opens, for anybody. The request waits for the account's turn too. */
export const noteOwner = (account: AccountId) => noteAccount(account, undefined, undefined)

/** The trace of the request at hand, if the host has a tracer. */
export const traceIdIn = (context: Context.Context<never>): string | undefined =>
  Context.get(context, Tracer.Tracer) === Tracer.nativeTracer
    ? undefined
    : Option.getOrUndefined(Context.getOption(context, Tracer.ParentSpan))?.traceId

/** The id of the request being answered: what `X-Request-Id` and every problem's `requestId` say. */
export const RequestId = Context.Reference<string>("slipway/hosts/http/RequestId", { defaultValue: () => "" })

const visibleAscii = /^[\x21-\x7e]{1,128}$/

/** The client's own id when it is 1–128 visible ASCII characters; else the request needs a new one. */
export const usableRequestId = (sent: string | undefined): string | undefined =>
  sent !== undefined && visibleAscii.test(sent) ? sent : undefined

/**
 * Random bytes of Node's generator. They are drawn 4 KiB at a time, because a draw is expensive and every request needs
 * an id. Used bytes are wiped.
 */
const pooled = () => {
  const pool = new Uint8Array(4096)
  let used = pool.length
  return (size: number): Uint8Array => {
    if (size > pool.length) return randomFillSync(new Uint8Array(size))
    if (used + size > pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const bytes = pool.slice(used, used + size)
    pool.fill(0, used, used + size)
    used += size
    return bytes
  }
}

/** The generator that ids of requests, keys and tokens come from. */
export const layerRandom = Layer.sync(SecureRandom, () => makeRandom(pooled()))
