import { Clock, Duration, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { IpNetwork, NetAddress } from "effect/net"
import { canonicalAddress } from "./clientAddress.ts"

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
