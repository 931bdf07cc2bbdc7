/** A real Prometheus reads the metrics of a host, and evaluates the alerts and the dashboard of `examples/deploy/monitoring`. */
import { Schema } from "effect"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { freePort } from "../../adapters/postgres/testing/freePort.ts"
import { serve } from "../cli/testing/slipway.ts"
import { hostMetrics } from "./metrics.ts"
import { examples, read, startPrometheus } from "./testing/prometheus.ts"

const run = promisify(execFile)

const Rules = Schema.Struct({
  groups: Schema.Array(
    Schema.Struct({ rules: Schema.Array(Schema.Struct({ alert: Schema.String, expr: Schema.String })) })
  )
})
const Tests = Schema.Struct({
  tests: Schema.Array(
    Schema.Struct({
      alert_rule_test: Schema.Array(
        Schema.Struct({ alertname: Schema.String, exp_alerts: Schema.Array(Schema.Unknown) })
      )
    })
  )
})
const Dashboard = Schema.fromJsonString(
  Schema.Struct({
    panels: Schema.Array(
      Schema.Struct({ title: Schema.String, targets: Schema.Array(Schema.Struct({ expr: Schema.String })) })
    )
  })
)

const alerts = Schema.decodeUnknownSync(Rules)(parse(read("alerts.yml"))).groups.flatMap(({ rules }) => rules)
const shown = Schema.decodeSync(Dashboard)(read("dashboard.json")).panels.flatMap(({ targets, title }) =>
  targets.map(({ expr }) => ({
    title,
    expr: expr.replaceAll("$__rate_interval", "1m").replaceAll("$instance", ".*")
  }))
)

describe("the metrics of slipway serve", () => {
  it("are read by Prometheus, which evaluates each alert and each panel on them", async () => {
    const metricsPort = await freePort()
    const host = await serve(["--port", "0", "--metrics-port", String(metricsPort)])
    const url = host.line.replace("Slipway listening on ", "")
    assert.strictEqual((await fetch(`${url}/readyz`)).status, 200)
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()

    const check = spawn("promtool", ["check", "metrics"], { stdio: ["pipe", "pipe", "pipe"] })
    check.stdin.end(text)
    const complaints: Array<string> = []
    check.stderr.on("data", (part) => complaints.push(String(part)))
    await once(check, "close")
    assert.deepStrictEqual({ code: check.exitCode, complaints }, { code: 0, complaints: [] })

    const { alerts: evaluated, query } = await startPrometheus(`127.0.0.1:${metricsPort}`)
    while ((await query('slipway_http_requests_total{route="/readyz", status="200"} == 1')).length === 0);
    assert.lengthOf(await query('up{job="slipway"} == 1'), 1)
    for (const { expr, title } of shown) assert.isArray(await query(expr), title)

    while ((await evaluated()).some(({ health }) => health === "unknown"));
    assert.deepStrictEqual(
      await evaluated(),
      alerts.map(({ alert }) => ({ name: alert, health: "ok", state: "inactive" }))
    )
    // A stopped host is the alert that no metric of its own can raise.
    await host.stop("SIGTERM")
    const isDown = async () =>
      (await evaluated()).some(({ name, state }) => name === "SlipwayDown" && state !== "inactive")
    while (!(await isDown()));
  })
})

describe("the alerts", () => {
  it("have valid rules, and fire in their case and in no other", async () => {
    await run("promtool", ["check", "rules", "alerts.yml"], { cwd: examples })
    await run("promtool", ["test", "rules", "alerts.test.yml"], { cwd: examples })
    const cases = Schema.decodeUnknownSync(Tests)(parse(read("alerts.test.yml"))).tests.flatMap(
      ({ alert_rule_test }) => alert_rule_test
    )
    for (const fires of [true, false]) {
      const tested = cases.filter(({ exp_alerts }) => exp_alerts.length > 0 === fires)
      assert.sameMembers(
        [...new Set(tested.map(({ alertname }) => alertname))],
        alerts.map(({ alert }) => alert)
      )
    }
    assert.lengthOf(alerts, 14)
  })

  it("and the dashboard use metrics that a host has", () => {
    const known = new Set(hostMetrics.map(({ metric }) => metric))
    const used = [...alerts, ...shown].flatMap(({ expr }) =>
      Array.from(expr.matchAll(/\b(?:slipway|process)_\w+/g), ([name]) => name.replace(/_(?:bucket|count|sum)$/, ""))
    )
    assert.isAbove(used.length, 30)
    for (const name of used) assert.isTrue(known.has(name), name)
  })
})
