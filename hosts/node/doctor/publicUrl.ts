/** The checks of a public URL, as a client has it: its name, its certificate, its proxy, and the host behind them. */
import { Clock, Effect } from "effect"
import { lookup } from "node:dns/promises"
import { isIP } from "node:net"
import { connect, type PeerCertificate } from "node:tls"
import { proxyHeader } from "../../http/requestContext.ts"
import { codeOf, messageOf, networkFault, unreachedFault } from "../engines/engines.ts"
import { type Finding, fine, spanOf, wrong } from "./findings.ts"

const timeout = 5000
const day = 86_400_000

/**
 * How long before its end a certificate should have been renewed: Caddy and certbot do so in the last third of its life, which is 90
 * days, or 12 hours for an authority of Caddy's own.
 */
const renewedBefore = (life: number): number => Math.min(14 * day, life / 5)

/** What the doctor says if the cause is not at hand. */
const elsewhere =
  "start the host and its proxy, or correct the setting; if only other machines can use this name, open it there"

const faultOf = (error: unknown, origin: string, setting: string) => {
  const code = codeOf(error) || (error instanceof Error ? error.name : "")
  const fault = networkFault(code, origin, setting) ?? unreachedFault(origin, messageOf(error), setting)
  return fault.detail.includes("can't be reached") ? { ...fault, hint: elsewhere } : fault
}

/** The certificate that a server presents, also one that is not to be trusted, and the code of its refusal. */
const presented = (hostname: string, port: number) =>
  Effect.callback<{ readonly certificate: PeerCertificate; readonly refusal: string }, unknown>((resume) => {
    const servername = isIP(hostname) === 0 ? { servername: hostname } : {}
    const socket = connect({ host: hostname, port, rejectUnauthorized: false, timeout, ...servername })
    socket
      .once("secureConnect", () => {
        const { authorizationError: error } = socket
        const refusal = error instanceof Error ? codeOf(error) : String(error ?? "")
        resume(Effect.succeed({ certificate: socket.getPeerCertificate(), refusal }))
        socket.destroy()
      })
      .once("error", (error) => resume(Effect.fail(error)))
      .once("timeout", () => socket.destroy(Object.assign(new Error(), { code: "ETIMEDOUT" })))
    return Effect.sync(() => socket.destroy())
  })

const certificateFinding = (name: string, url: URL, hostname: string) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const { certificate, refusal } = yield* presented(hostname, Number(url.port || 443))
    const until = Date.parse(certificate.valid_to)
    const date = new Date(until).toISOString().slice(0, 10)
    const renew = "renew it: the log of the proxy, such as journalctl --unit caddy, says why that failed"
    if (until <= now)
      return wrong(name, { detail: `the certificate of ${url.host} has expired, on ${date}`, hint: renew })
    if (refusal !== "") return wrong(name, faultOf({ code: refusal }, url.origin, name))
    const left = spanOf(until - now)
    return until - now < renewedBefore(until - Date.parse(certificate.valid_from))
      ? wrong(name, {
          detail: `the certificate of ${url.host} ends on ${date}, in ${left}, and was not renewed`,
          hint: renew
        })
      : fine(name, `the certificate of ${url.host} is valid until ${date}, for ${left}`)
  })

const proxyFinding = (url: URL, proxy: string | null): ReadonlyArray<Finding> => {
  const name = "trusted proxy"
  if (proxy === "trusted") return [fine(name, "the host uses the client addresses that it sends")]
  if (proxy === "untrusted") {
    return [
      wrong(name, {
        detail:
          "the host ignores the client addresses that the proxy sends, so all clients share one limit of wrong keys",
        hint: "add the address of the proxy, which the log of the host names, to SLIPWAY_TRUSTED_PROXIES"
      })
    ]
  }
  return proxy === "none" && url.protocol === "https:"
    ? [wrong(name, { detail: "the proxy sends no client addresses", hint: "let it set X-Forwarded-For" })]
    : []
}

/** Asks one URL of the host, which a setting names: DNS, certificate, host and proxy, as far as each can be reached. */
export const checkUrl = (setting: string, given: string): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    const url = new URL(given)
    const hostname = url.hostname.replace(/^\[|\]$/g, "")
    const resolved = yield* Effect.result(Effect.tryPromise(() => lookup(hostname)))
    if (resolved._tag === "Failure") {
      const { detail } = faultOf(resolved.failure, url.host, setting)
      const hint = `add a DNS record for ${hostname}, or correct ${setting}`
      return [wrong(setting, { detail, hint })]
    }
    const certificate =
      url.protocol === "https:"
        ? yield* Effect.catch(certificateFinding(setting, url, hostname), (error) =>
            Effect.succeed(wrong(setting, faultOf(error, url.origin, setting)))
          )
        : undefined
    const reached = certificate === undefined ? [] : [certificate]
    const response = yield* Effect.result(
      Effect.tryPromise((signal) =>
        fetch(`${given.replace(/\/$/, "")}/healthz`, {
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)])
        })
      )
    )
    // The certificate may be the reason, and is reported.
    if (response._tag === "Failure" && certificate?.ok === false) return reached
    if (response._tag === "Failure")
      return [...reached, wrong(setting, faultOf(response.failure.cause, url.origin, setting))]
    const { headers, status } = response.success
    const proxy = headers.get(proxyHeader)
    if (proxy === null) {
      const detail = `what answers at ${url.origin}, with ${status}, is no Slipway host`
      return [
        ...reached,
        wrong(setting, { detail, hint: "let the proxy forward all requests to the host, and start it" })
      ]
    }
    return [...reached, fine(setting, `the host answers at ${url.origin}`), ...proxyFinding(url, proxy)]
  })
