/** The metrics of a host, on real requests. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Logger, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { METHODS } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { layer } from "../../core/testing/layer.ts"
import { nameOf, ports } from "../../core/ports/registry.ts"
import { HttpProblem } from "../http/HttpProblem.ts"
import { newAccount, TestHost } from "../http/testing/TestHost.ts"
import { inMemory } from "../http/testing/engines.ts"
import { bundle, finalize, put, reserve } from "../http/testing/uploads.ts"
import { hostMetrics } from "./metrics.ts"

const registry: Metric.MetricRegistry = new Map()
const logged: Array<string> = []
const backups = mkdtempSync(join(tmpdir(), "slipway-backups-"))
afterAll(() => rmSync(backups, { recursive: true }))
const metrics = { host: "127.0.0.1", port: 0, data: backups, backups }
const metered = TestHost.layer(inMemory, { rates: { guesses: 1 } }, { metrics }).pipe(
  Layer.provideMerge(Layer.succeed(Metric.MetricRegistry, registry)),
  Layer.provideMerge(Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))]))
)

/** The page of metrics, as Prometheus reads it. */
const scrape = Effect.promise(async () => {
  const [, address = ""] = /Metrics on (\S+)/.exec(logged.join("\n")) ?? []
  const answer = await fetch(address)
  assert.strictEqual(answer.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
  return answer.text()
})

/** The values of each label, by metric. */
const labelsOf = (text: string) =>
  Array.from(text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g), ([, label = "", value = ""]) => ({ label, value }))

const uploaded = Effect.gen(function* () {
  const account = yield* newAccount()
  const { id, slots, token } = yield* reserve(account)
  yield* put(slots.bundle, bundle)
  assert.strictEqual((yield* finalize(account, token)).status, 201)
  return { account, id }
})

/** Requests whose methods, paths, ids and keys are the client's choice. */
const hostile = Effect.fnUntraced(function* (salt: string) {
  const host = yield* TestHost
  for (const method of ["GET", "PUT", "DELETE", "PROPFIND"]) {
    for (const path of ["/", "/builds/", "/api/v1/builds/", "/objects/", "/shared/", "/.git/"])
      yield* host.call(method, `${path}${salt}?${salt}=1`, { key: `slip_${salt}` })
  }
})

layer(metered)("the metrics of a host", (it) => {
  it.effect("count an upload, its bytes, the phases of its finalize and its port calls", function* () {
    const host = yield* TestHost
    const { account, id } = yield* uploaded
    yield* host.call("GET", `/api/v1/builds/${id}`, { key: account.key })
    const text = yield* scrape
    for (const line of [
      'slipway_http_requests_total{method="GET",route="/api/v1/builds/:id",status="200"} 1',
      'slipway_http_requests_total{method="POST",route="/api/v1/builds",status="201"} 2',
      'slipway_http_request_duration_seconds_count{method="GET",route="/api/v1/builds/:id"} 1',
      "slipway_reservations_total 1",
      "slipway_reservations_open 0",
      "slipway_finalizes_total 1",
      `slipway_hosted_bytes_total ${bundle.length}`,
      'slipway_finalize_duration_seconds_count{phase="promote"} 1',
      'slipway_finalize_duration_seconds_count{phase="commit"} 1',
      'slipway_port_call_duration_seconds_count{port="BuildStore",method="commitFinalize"} 1',
      'slipway_port_calls_in_flight{engine="object store"} 0'
    ])
      assert.include(text, `\n${line}\n`)
    for (const name of ["slipway_http_received_bytes_total", "slipway_http_sent_bytes_total"]) {
      assert.isAbove(Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]), bundle.length)
    }
  })

  it.effect("have the free space of the disk, and the age and failure of the backup", function* () {
    const valueOf = (text: string, name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1])
    const before = yield* scrape
    const [free, size] = ["slipway_disk_free_bytes", "slipway_disk_size_bytes"].map((name) => valueOf(before, name))
    assert.isAbove(free ?? 0, 0)
    assert.isAtLeast(size ?? 0, free ?? Infinity)
    assert.strictEqual(valueOf(before, "slipway_backup_last_success_timestamp_seconds"), 0)
    writeFileSync(join(backups, "slipway-1.tar"), "")
    utimesSync(join(backups, "slipway-1.tar"), 1_790_000_000, 1_790_000_000)
    const made = yield* scrape
    assert.strictEqual(valueOf(made, "slipway_backup_last_success_timestamp_seconds"), 1_790_000_000)
    assert.strictEqual(valueOf(made, "slipway_backup_failed"), 0)
    writeFileSync(join(backups, "failed"), "")
    assert.strictEqual(valueOf(yield* scrape, "slipway_backup_failed"), 1)
  })

  it.effect("have only labels that are declared, whatever clients send", function* () {
    yield* hostile("q7x1")
    const before = labelsOf(yield* scrape)
    yield* hostile("q7x2")
    const text = yield* scrape
    assert.notInclude(text, "q7x")
    const series = (found: typeof before) => new Set(found.map(({ label, value }) => `${label}=${value}`))
    assert.deepStrictEqual(series(labelsOf(text)), series(before))
    const codes = HttpProblem.members.map(({ fields }) => String(fields.code.schema.literal))
    const declared: Readonly<Record<string, ReadonlyArray<string>>> = {
      method: [...METHODS, ...registered("method")],
      code: codes,
      port: ports.map(({ key }) => nameOf(key)),
      policy: ["key", "account", "guesses"],
      engine: ["database", "object store"],
      phase: ["promote", "verify", "commit", "cleanup"]
    }
    for (const { label, value } of labelsOf(text)) {
      if (declared[label] !== undefined) assert.include(declared[label], value)
    }
    assert.include(text, 'slipway_refusals_total{code="unauthorized"}')
    assert.include(text, 'slipway_rate_limited_total{policy="guesses"}')
  })

  it.effect("have names of the reference, and each its description", function* () {
    yield* uploaded
    const text = yield* scrape
    const known = new Map(hostMetrics.map(({ description, metric }) => [metric, description]))
    const found = Array.from(text.matchAll(/^# HELP (\S+) (.*)$/gm), ([, name = "", help = ""]) => [name, help])
    assert.isAbove(found.length, 20)
    for (const [name = "", help] of found) assert.strictEqual(known.get(name), help)
    assert.strictEqual((yield* PrometheusMetrics.format()).includes("slipway_build_info"), true)
  })
})

/** The members of the ports: a port's method is the name of one. */
const registered = (label: string): ReadonlyArray<string> =>
  Array.from(registry.values()).flatMap(({ attributes, id }) =>
    id.startsWith("slipway_port") && attributes?.[label] !== undefined ? [attributes[label]] : []
  )
