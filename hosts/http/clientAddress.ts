import { Effect, Option, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import { IpNetwork, NetAddress } from "effect/net"

/**
 * By what one client's addresses are told from another's: an IPv4 address, or the network of an IPv6 address, since whoever
 * has one of its 2^64 addresses has them all. `undefined` where the server doesn't know the address.
 */
export const clientOf = ({
  remoteAddress
}: Pick<HttpServerRequest.HttpServerRequest, "remoteAddress">): string | undefined => {
  const address = Option.flatMap(remoteAddress, (text) => Result.getSuccess(NetAddress.ipFromString(text)))
  if (Option.isNone(address)) return undefined
  const canonical = NetAddress.toCanonical(address.value)
  return NetAddress.isIpv4Address(canonical)
    ? NetAddress.formatIp(canonical)
    : IpNetwork.format(IpNetwork.fromAddressUnsafe(canonical, 64))
}

/** As {@link clientOf}, of the request at hand. */
export const client = Effect.map(HttpServerRequest.HttpServerRequest, clientOf)
