/**
 * Every endpoint and page of a host is asked with secrets, validly and not, in fields that careless code would reveal.
 * Nothing that the host answers, writes or keeps has one of them.
 */
import { Cause, Effect, Exit, Layer, Metric, Schema, Tracer } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { createServer } from "node:http"
import { connect } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { assert, describe } from "@effect/vitest"
import { onTestFinished } from "vitest"
import { listen } from "../../adapters/postgres/testing/freePort.ts"
import { it, layer } from "../../core/testing/layer.ts"
import { Administration } from "../../core/service/Administration.ts"
import { requestEverything, type Asked } from "../http/security/testing/requestEverything.ts"
import { secretsIn } from "../http/security/testing/secretForms.ts"
import { faultsOf } from "../http/security/testing/sound.ts"
import { shown, shownResponse } from "../http/security/testing/wire.ts"
import { embedded } from "../http/testing/engines.ts"
import { call, TestHost } from "../http/testing/TestHost.ts"
import * as AdminSocket from "../node/administrationSocket.ts"
import { TestProvider } from "../node/testing/oidcProvider.ts"
import { serve, slipway, temporaryFolder } from "./testing/slipway.ts"

/** The secrets that the settings of the host have, by name. */
const ofSettings = {
  SLIPWAY_SECRET: "the-secret-Hk3vT9qLx2Rw7Zp5",
  "the part of SLIPWAY_WEBHOOK_SECRET after its prefix": Buffer.from("a webhook's own secret of 32 byte").toString(
    "base64"
  ),
  "the token in SLIPWAY_WEBHOOK_URL": "hook-token-Bn6Yc1Jd8Mf4Sg0K",
  SLIPWAY_OIDC_CLIENT_SECRET: "client-secret-Vx2Ue7Ql5Oa9Ii3W"
}

/**
 * A server that refuses the first event that it receives, and drops the second: its URL, and an effect that ends when
 * both were sent.
 */
const strictReceiver = async () => {
  const notified = Promise.withResolvers<void>()
  let events = 0
  const server = createServer((request, response) => {
    events += 1
    if (events === 1) return void response.writeHead(500).end(ofSettings["the token in SLIPWAY_WEBHOOK_URL"])
    if (events > 2) return void response.end()
    request.destroy()
    notified.resolve()
  })
  onTestFinished(() => void server.close().closeAllConnections())
  return { port: await listen(server), notified: notified.promise }
}

/** What a host answers to bytes that are no HTTP. */
const answerToBroken = async (url: string, key: string): Promise<string> => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1")
  const answer = text(socket)
  socket.write(
    `GET /api/v1/usage?key=${key} HTTP/1.1\r\nhost: slipway\r\nauthorization: Bearer ${key}\r\n${key}\r\n\r\n`
  )
  return answer
}

/** The files in a folder and below, with what they have. Sockets are none. */
const filesIn = (folder: string): ReadonlyArray<readonly [path: string, content: Buffer]> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((path) =>
    statSync(join(folder, path)).isFile() ? [[path, readFileSync(join(folder, path))] as const] : []
  )

const noSecrets = (where: string, content: string | Uint8Array, secrets: ReadonlyMap<string, string>) =>
  assert.deepStrictEqual(secretsIn(content, secrets), [], where)

/** No answer reveals a secret to a caller without it, and no refusal repeats one that was sent. */
const soundResponses = (asked: ReadonlyArray<Asked>, secrets: ReadonlyMap<string, string>): void => {
  for (const { answer, request } of asked) {
    const what = `${shown(request)}\n\n${shownResponse(answer)}`
    // A share link's page and a replay lead to more of what they open, and the form that makes a link shows it.
    assert.deepStrictEqual(faultsOf([...secrets.values()])(request, answer), [], what)
    if (answer.headers["content-type"] === "application/problem+json") noSecrets(what, answer.text, secrets)
  }
}

/** Every operation of the API's own document, as a form of the requests that ask it. */
const operationsOf = async (
  url: string
): Promise<ReadonlyArray<readonly [name: string, method: string, form: RegExp]>> => {
  const Document = Schema.Struct({ paths: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown)) })
  const { paths } = Schema.decodeUnknownSync(Document)(await (await fetch(`${url}/openapi.json`)).json())
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(
      (method) =>
        [
          `${method} ${path}`,
          method.toUpperCase(),
          new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/?]+")}(?:\\?|$)`)
        ] as const
    )
  )
}

describe("marked secrets", () => {
  it("are in nothing that slipway serve answers, writes or keeps", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      yield* Effect.promise(async () => {
        const receiver = await strictReceiver()
        const data = temporaryFolder()
        const env = {
          SLIPWAY_ACCESS_LOG: "all",
          SLIPWAY_MAX_GUESSES: "off",
          SLIPWAY_SECRET: ofSettings.SLIPWAY_SECRET,
          SLIPWAY_WEBHOOK_URL: `http://127.0.0.1:${receiver.port}/?token=${ofSettings["the token in SLIPWAY_WEBHOOK_URL"]}`,
          SLIPWAY_WEBHOOK_SECRET: `whsec_${ofSettings["the part of SLIPWAY_WEBHOOK_SECRET after its prefix"]}`,
          SLIPWAY_OIDC_ISSUER: provider.issuer,
          SLIPWAY_OIDC_CLIENT_ID: "slipway",
          SLIPWAY_OIDC_CLIENT_SECRET: ofSettings.SLIPWAY_OIDC_CLIENT_SECRET,
          SLIPWAY_OIDC_ACCOUNTS: "mobile=acme"
        }
        const host = await serve(["--port", "0", "--data", data], { env })
        let stdout = host.line
        host.child.stdout?.on("data", (chunk) => (stdout += String(chunk)))
        const url = host.line.replace("Slipway listening on ", "")
        provider.accept(url)

        const {
          account,
          asked,
          secrets: made
        } = await Effect.gen(function* () {
          const admin = yield* Administration
          const none = () => Effect.die("is not asked here")
          const over = TestHost.of({
            url,
            admin,
            hostedBundle: none,
            hostedObject: none,
            call: (method, path, options) => call(method, url + path, options)
          })
          return yield* Effect.provideService(requestEverything, TestHost, over)
        }).pipe(Effect.provide(AdminSocket.layerClient(data)), Effect.scoped, Effect.runPromise)
        await receiver.notified

        const secrets = new Map([...made, ...Object.entries(ofSettings)])
        // First, as the search takes longer than the host keeps a connection.
        const operations = await operationsOf(url)
        soundResponses(asked, secrets)
        for (const [name, method, form] of operations) {
          assert.isTrue(
            asked.some(({ request }) => request.method === method && form.test(request.target)),
            `${name} was asked`
          )
        }
        noSecrets("the answer to bytes that are no HTTP", await answerToBroken(url, made.get("a key") ?? ""), secrets)

        for (const [path, content] of filesIn(data)) noSecrets(`${path} while the host runs`, content, secrets)
        for (const command of [
          ["audit"],
          ["usage", "--account", account],
          ["key", "list", "--account", account],
          ["repo", "list", "--account", account],
          ["webhook", "list"],
          ["event", "log"],
          ["event", "dead"],
          ["account", "list"],
          ["gc", "--dry-run"],
          ["doctor"]
        ]) {
          for (const form of [[], ["--json"]]) {
            const said = await slipway([...command, ...form], { env: { ...env, SLIPWAY_DATA: data } })
            assert.strictEqual(said.code, 0, `${command.join(" ")}: ${said.stderr}`)
            noSecrets(`slipway ${command.join(" ")}`, said.stdout + said.stderr, secrets)
          }
        }
        assert.strictEqual(await host.stop("SIGTERM"), 0)
        for (const [path, content] of filesIn(data)) noSecrets(`${path} after the host has ended`, content, secrets)
        const stderr = await host.stderr
        for (const line of `${stdout}\n${stderr}`.split("\n")) noSecrets(line, line, secrets)
        // So that there was something to be searched.
        assert.isAbove(stderr.split("message=request").length, asked.length)
        process.stdout.write(`${asked.length} requests, ${secrets.size} secrets\n`)
      })
    }).pipe(Effect.provide(TestProvider.layer({ groupsIn: "userinfo" })), Effect.scoped, Effect.runPromise))
})

const spans: Array<Tracer.NativeSpan> = []
const tracer = Tracer.make({
  span: (options) => {
    const span = new Tracer.NativeSpan(options)
    spans.push(span)
    return span
  }
})

const given = Layer.merge(Layer.succeed(Tracer.Tracer, tracer), Layer.succeed(Metric.MetricRegistry, new Map()))

layer(Layer.provideMerge(TestHost.layer(embedded(), { rates: {} }), given))(
  "marked secrets, in a host that is traced",
  (it) => {
    it.effect("are in no span and no metric", function* () {
      const { secrets } = yield* requestEverything
      const exported = new Set(
        spans.flatMap(({ attributes, events, name, status }) => {
          // Of how a span ended, what is exported is why it failed.
          const why = status._tag === "Ended" && Exit.isFailure(status.exit) ? [Cause.pretty(status.exit.cause)] : []
          const parts = [name, ...attributes.entries(), ...events, ...why]
          return parts.map((part) =>
            JSON.stringify(part, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))
          )
        })
      )
      for (const one of exported) noSecrets(one, one, secrets)
      assert.isAbove(exported.size, 100)
      const metrics = yield* PrometheusMetrics.format()
      assert.include(metrics, "slipway_http_requests_total")
      noSecrets("the metrics", metrics, secrets)
    })
  }
)
