/** Debian's Prometheus, which reads a host's metrics and evaluates the alerts of `examples/deploy/monitoring`. */
import { Schema } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout } from "node:timers/promises"
import { onTestFinished } from "vitest"
import { freePort } from "../../../adapters/postgres/testing/freePort.ts"
import { temporaryFolder } from "../../cli/testing/slipway.ts"

export const examples = join(import.meta.dirname, "../../../examples/deploy/monitoring")
export const read = (file: string): string => readFileSync(join(examples, file), "utf8")

export const isPrometheusInstalled = spawnSync("prometheus", ["--version"]).status === 0

const Result = Schema.Struct({ data: Schema.Struct({ result: Schema.Array(Schema.Unknown) }) })
const Groups = Schema.Struct({
  data: Schema.Struct({
    groups: Schema.Array(
      Schema.Struct({
        rules: Schema.Array(Schema.Struct({ name: Schema.String, health: Schema.String, state: Schema.String }))
      })
    )
  })
})

/** Starts Prometheus with one target, and returns once it is ready. It reads the target and evaluates the rules each second. */
export const startPrometheus = async (target: string, rules = read("alerts.yml")) => {
  const [folder, port] = [temporaryFolder(), await freePort()]
  writeFileSync(join(folder, "alerts.yml"), rules)
  writeFileSync(
    join(folder, "prometheus.yml"),
    read("prometheus.yml").replace("127.0.0.1:9787", target).replaceAll("15s", "1s")
  )
  const flags = { "config.file": join(folder, "prometheus.yml"), "storage.tsdb.path": join(folder, "data") }
  const args = Object.entries({ ...flags, "web.listen-address": `127.0.0.1:${port}` })
  const child = spawn(
    "prometheus",
    args.map(([name, value]) => `--${name}=${value}`),
    { stdio: ["ignore", "ignore", "pipe"] }
  )
  onTestFinished(() => void child.kill("SIGKILL"))
  for await (const line of createInterface({ input: child.stderr })) {
    if (line.includes("Server is ready")) break
  }
  child.stderr.resume()
  const ask = async (path: string): Promise<unknown> => (await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)).json()
  const alerts = async () =>
    Schema.decodeUnknownSync(Groups)(await ask("rules")).data.groups.flatMap(({ rules }) => rules)
  const firing = async () => (await alerts()).filter(({ state }) => state === "firing").map(({ name }) => name)
  return {
    query: async (expr: string) =>
      Schema.decodeUnknownSync(Result)(await ask(`query?query=${encodeURIComponent(expr)}`)).data.result,
    alerts,
    /** The names of the alerts that fire. */
    firing,
    /** Waits until the alerts that fire are as expected. */
    until: async (expected: (firing: ReadonlyArray<string>) => boolean): Promise<void> => {
      while (!expected(await firing())) await setTimeout(100)
    }
  }
}
