import { Option, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

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
