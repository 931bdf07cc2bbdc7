/** Resolves a webhook's host name, and decides which of its addresses may be connected to. */
import { Clock, Duration, Effect, Redacted, Result, Schema } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { type LookupAddress, TIMEOUT } from "node:dns"
import { lookup, Resolver } from "node:dns/promises"
import http, { type IncomingMessage, type OutgoingHttpHeaders } from "node:http"
import https from "node:https"
import { isIP, type LookupFunction } from "node:net"
import { Webhook } from "standardwebhooks"
import { SlipwayEvent } from "../../core/model/SlipwayEvent.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { chatMessage } from "../../core/rules/chatMessages.ts"
import { isThisMachine } from "../../core/rules/events.ts"
import { currentTraceparent } from "../../core/service/telemetry.ts"
import { NotDelivered, type Send } from "../../core/service/webhooks.ts"
import { retryAfterMs } from "../client/retrying.ts"
import { allowedNetworksSetting } from "./settings/settings.ts"

/** Networks that are not public although their addresses look so, by the registries of IANA. */
const specialNetworks = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  // Link-local, with the metadata service of most clouds.
  "169.254.0.0/16",
  // Azure's platform service.
  "168.63.129.16/32",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  // Multicast, reserved and broadcast.
  "224.0.0.0/3",
  // Teredo, documentation, and 6to4.
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20"
].map(IpNetwork.fromStringUnsafe)

/** The only part of IPv6 that has global unicast addresses. */
const globalIpv6 = IpNetwork.fromStringUnsafe("2000::/3")

/** IPv6 addresses that a NAT64 gateway translates to the IPv4 address in their last 32 bits. */
const nat64 = IpNetwork.fromStringUnsafe("64:ff9b::/96")

const isIn = (networks: ReadonlyArray<IpNetwork.IpNetwork>, address: NetAddress.IpAddress): boolean =>
  networks.some((network) => IpNetwork.contains(network, address))

/** The IPv4 address that an IPv6 address stands for, else the address itself. */
const targetOf = (address: NetAddress.IpAddress): NetAddress.IpAddress => {
  const canonical = NetAddress.toCanonical(address)
  return NetAddress.isIpv6Address(canonical) && IpNetwork.contains(nat64, canonical)
    ? NetAddress.ipv4FromBytesUnsafe(Uint8Array.from(NetAddress.ipv6ToOctets(canonical).slice(12)))
    : canonical
}

const isPublic = (address: NetAddress.IpAddress): boolean =>
  !isIn(specialNetworks, address) && (NetAddress.isIpv4Address(address) || IpNetwork.contains(globalIpv6, address))

/**
 * Whether an address may be connected to: it is public, or in one of the `allowed` networks. A URL that names this machine
 * itself, such as `http://127.0.0.1:9000/`, may reach loopback addresses; a host name that resolves to one may not.
 */
const isAllowed = (text: string, { hostname }: URL, allowed: ReadonlyArray<IpNetwork.IpNetwork>): boolean =>
  Result.match(NetAddress.ipFromString(text), {
    // An address with a zone (`fe80::1%eth0`) is link-local.
    onFailure: () => false,
    onSuccess: (address) => {
      const target = targetOf(address)
      return isPublic(target) || isIn(allowed, target) || (isThisMachine(hostname) && NetAddress.isLoopback(target))
    }
  })

/** The addresses that webhooks may reach, and the name servers that resolve them. */
interface ReceiverNetworks {
  /** Networks that webhooks may reach although they are not public. None unless given. */
  readonly allowed?: ReadonlyArray<IpNetwork.IpNetwork> | undefined
  /** The name servers, such as `127.0.0.1:53`. The system's own unless given. */
  readonly nameServers?: ReadonlyArray<string>
}

const withFamily = (family: 4 | 6) => (addresses: ReadonlyArray<string>) =>
  addresses.map((address): LookupAddress => ({ address, family }))

/**
 * The addresses of a host name. The system's own look-up is only the second choice: it occupies one of a few threads until
 * the name server answers, so that names whose server never answers would delay all other look-ups of the process.
 */
const resolve = async (
  { hostname }: URL,
  nameServers: ReceiverNetworks["nameServers"]
): Promise<ReadonlyArray<LookupAddress>> => {
  const host = hostname.replace(/^\[|\]$/g, "")
  if (isThisMachine(hostname) || isIP(host) !== 0) return lookup(host, { all: true })
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  if (nameServers !== undefined) resolver.setServers(nameServers)
  const answers = await Promise.allSettled([
    resolver.resolve4(host).then(withFamily(4)),
    resolver.resolve6(host).then(withFamily(6))
  ])
  const resolved = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
  if (resolved.length > 0) return resolved
  for (const answer of answers) {
    if (answer.status === "rejected" && Object(answer.reason).code === TIMEOUT) throw answer.reason
  }
  // Names of /etc/hosts, for instance.
  return lookup(host, { all: true })
}

/**
 * The addresses of a URL's host that a webhook may be sent to. Connect to these and to no others: a second look-up could answer
 * something else. Fails where there are none.
 *
 * @see docs/webhooks.md#private-networks
 */
export const receiverAddresses = Effect.fnUntraced(function* (
  url: URL,
  { allowed = [], nameServers }: ReceiverNetworks
) {
  const resolved = yield* Effect.tryPromise({
    try: () => resolve(url, nameServers),
    catch: (error) => new NotDelivered({ reason: String(error) })
  })
  const addresses = resolved.filter(({ address }) => isAllowed(address, url, allowed))
  if (addresses.length > 0) return addresses
  const refused = resolved.map(({ address }) => address).join(", ")
  return yield* new NotDelivered({
    reason: `${url.hostname} has no public address (${refused}); ${allowedNetworksSetting} can allow its network`
  })
})

const encode = Schema.encodeSync(Schema.fromJsonString(SlipwayEvent), { disableChecks: true })

/** How long the receiver may take to answer. */
const answerTimeout = Duration.seconds(15)

/** What went wrong, at each address where several were tried. */
const reasonOf = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(reasonOf).join(", ") : String(error)

/** Sends a POST to one of these addresses, and answers what the response begins with. */
const post = (
  url: URL,
  addresses: ReadonlyArray<LookupAddress>,
  {
    body,
    headers,
    signal
  }: { readonly body: string; readonly headers: OutgoingHttpHeaders; readonly signal: AbortSignal }
): Promise<Pick<IncomingMessage, "headers" | "statusCode">> =>
  new Promise((resolve, reject) => {
    const pinned: LookupFunction = (_host, { all }, answer) => {
      const [first] = addresses
      return all === true || first === undefined
        ? answer(null, [...addresses])
        : answer(null, first.address, first.family)
    }
    const { request } = url.protocol === "https:" ? https : http
    // Without an agent, no connection is reused that was made under another decision.
    const sending = request(url, { method: "POST", headers, lookup: pinned, agent: false, signal })
    sending.on("error", reject)
    sending.on("response", (response) => {
      resolve(response)
      response.destroy()
    })
    sending.end(body)
  })

/**
 * Sends events by Standard Webhooks: each is a POST of JSON, signed with the webhook's secret. A response of 200 to 299
 * means that it is delivered. It connects only to public addresses and to those of allowed networks. No redirect is
 * followed, no body of a response is read, and no proxy is used.
 *
 * @see docs/webhooks.md
 */
export const makeSend = (networks: ReceiverNetworks = {}): Send =>
  Effect.fnUntraced(function* ({ chat, secret, url }, event) {
    const webhook = new Webhook(Redacted.value(secret))
    const body = chat === undefined ? encode(event) : JSON.stringify(chatMessage(chat.format, event, chat.viewerUrl))
    const now = yield* Clock.currentTimeMillis
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "user-agent": "slipway",
      ...withoutUndefined({ traceparent: yield* currentTraceparent }),
      "webhook-id": event.id,
      "webhook-timestamp": String(Math.floor(now / 1000)),
      "webhook-signature": webhook.sign(event.id, new Date(now), body)
    }
    const receiver = new URL(url)
    const response = yield* receiverAddresses(receiver, networks).pipe(
      Effect.flatMap((addresses) =>
        Effect.tryPromise({
          try: (signal) => post(receiver, addresses, { body, headers, signal }),
          catch: (error) => new NotDelivered({ reason: reasonOf(error) })
        })
      ),
      Effect.timeoutOrElse({
        duration: answerTimeout,
        orElse: () => Effect.fail(new NotDelivered({ reason: `no answer in ${Duration.format(answerTimeout)}` }))
      }),
      Effect.tapError(({ reason }) => log(event, reason))
    )
    const { headers: answered, statusCode: status = 0 } = response
    const outcome = `answered ${status}`
    yield* log(event, outcome)
    if (status >= 200 && status <= 299) return outcome
    const retryAfter = retryAfterMs(answered["retry-after"] ?? null, now)
    return yield* new NotDelivered({
      reason: outcome,
      retryAfter: retryAfter === undefined ? undefined : Duration.millis(retryAfter)
    })
  })

/** A line of the delivery log. It names neither the URL, which may hold a secret, nor the content of the event. */
const log = ({ id, type }: SlipwayEvent, outcome: string) => Effect.logInfo(`Webhook ${type} ${id}: ${outcome}`)
