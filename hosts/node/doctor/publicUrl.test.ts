import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type IncomingMessage, request, type ServerResponse } from "node:http"
import { createServer } from "node:https"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { onTestFinished } from "vitest"
import { listen } from "../../../adapters/postgres/testing/freePort.ts"
import { selfSigned } from "../../../conformance/fair/hosts.ts"
import { startHere } from "../../cli/testing/deployment.ts"
import { temporaryFolder } from "../../cli/testing/slipway.ts"
import { checkUrl } from "./publicUrl.ts"

const day = 86_400_000
const usual = getCACertificates("default")

/** An HTTPS server on this machine, with a certificate that Node trusts and that ends in so many days. */
const startTls = async (days: number, answer: (request: IncomingMessage, response: ServerResponse) => void) => {
  const tls = selfSigned("localhost", new Date(Date.now() - 30 * day), new Date(Date.now() + days * day))
  // Of two certificates with the same name, only one is trusted.
  setDefaultCACertificates([...usual, tls.cert])
  const server = createServer(tls, answer)
  onTestFinished(() => {
    setDefaultCACertificates(usual)
    server.close()
  })
  return `https://localhost:${await listen(server)}`
}

/** A host behind a proxy with TLS, which tells it the client's address. */
const startProxied = async (
  env: Record<string, string>,
  days = 60,
  headers: Record<string, string> = { "x-forwarded-for": "203.0.113.9" }
) => {
  const host = await startHere({ SLIPWAY_DATA: temporaryFolder(), ...env })
  return startTls(days, ({ url = "" }, response) => {
    const asked = request(host.url + url, { headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(response)
    })
    asked.end()
  })
}

const checked = async (url: string): Promise<ReadonlyArray<string>> => {
  const findings = await Effect.runPromise(checkUrl("SLIPWAY_URL", url))
  return findings.map((one) => `${one.ok ? "✓" : "✗"} ${one.name}: ${one.detail}${one.ok ? "" : `. Fix: ${one.hint}`}`)
}

describe("the doctor at the public URL", () => {
  it("finds a certificate with its end, the host, and a trusted proxy", async () => {
    const url = await startProxied({ SLIPWAY_TRUSTED_PROXIES: "127.0.0.1,::1" })
    const [certificate = "", ...others] = await checked(url)
    assert.match(
      certificate,
      /^✓ SLIPWAY_URL: the certificate of localhost:\d+ is valid until 20\d\d-\d\d-\d\d, for (?:59|60) days$/
    )
    assert.deepStrictEqual(others, [
      `✓ SLIPWAY_URL: the host answers at ${url}`,
      "✓ trusted proxy: the host uses the client addresses that it sends"
    ])
  })

  it("reports a proxy that the host doesn't trust, and one that sends no client addresses", async () => {
    assert.match(
      (await checked(await startProxied({}))).at(-1) ?? "",
      /^✗ trusted proxy: the host ignores .*SLIPWAY_TRUSTED_PROXIES$/
    )
    const silent = await startProxied({ SLIPWAY_TRUSTED_PROXIES: "127.0.0.1" }, 60, {})
    assert.match((await checked(silent)).at(-1) ?? "", /^✗ trusted proxy: the proxy sends no client addresses\. /)
  })

  it("reports a certificate that has expired or soon will, and asks to renew it", async () => {
    const answers = (_: IncomingMessage, response: ServerResponse) => void response.end()
    assert.match(
      (await checked(await startTls(-1, answers)))[0] ?? "",
      /^✗ SLIPWAY_URL: the certificate of \S+ has expired, on .*Fix: renew it/
    )
    assert.match(
      (await checked(await startTls(5.5, answers)))[0] ?? "",
      /^✗ SLIPWAY_URL: .*, in 5 days, and was not renewed\. Fix: renew it/
    )
  })

  it("reports a name without an address, a server that doesn't run, and one that is no host", async () => {
    assert.match(
      (await checked("https://slipway.invalid"))[0] ?? "",
      /^✗ SLIPWAY_URL: .*Fix: add a DNS record for slipway\.invalid/
    )
    assert.match(
      (await checked("https://127.0.0.1:1"))[0] ?? "",
      /^✗ SLIPWAY_URL: https:\/\/127\.0\.0\.1:1 can't be reached: nothing listens there/
    )
    const other = await startTls(60, (_, response) => void response.writeHead(502).end())
    assert.match(
      (await checked(other)).at(-1) ?? "",
      /^✗ SLIPWAY_URL: what answers at \S+, with 502, is no Slipway host\. /
    )
  })
})
