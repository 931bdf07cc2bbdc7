/** Kills `slipway serve` with SIGKILL at every step between a commit and the end of its delivery to a webhook. */
import { assert, describe, it, onTestFinished } from "vitest"
import { createServer } from "node:http"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { text } from "node:stream/consumers"
import { setTimeout } from "node:timers/promises"
import { Schema } from "effect"
import { listen } from "../../adapters/postgres/testing/freePort.ts"
import { SlipwayEvent } from "../../core/model/SlipwayEvent.ts"
import { createClient } from "../client/index.ts"
import { metadataFile } from "../node/engines/sqlite.ts"
import { anyStores, databaseUrl, newKey, runSql, startHere, startHost } from "./testing/deployment.ts"
import { repository, upload, uploadPreview } from "./testing/flow.ts"
import { temporaryFolder } from "./testing/slipway.ts"

const Heard = Schema.fromJsonString(Schema.toEncoded(SlipwayEvent))
const preloads = ["shiftedClock", "killAtStep"].map(
  (name) => `--import ${join(import.meta.dirname, `testing/${name}.ts`)}`
)

/** A webhook that accepts every event, and the accepted events. */
const receive = async () => {
  const heard: Array<typeof Heard.Type> = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      heard.push(Schema.decodeSync(Heard)(body))
      response.writeHead(204).end()
    })
  })
  onTestFinished(() => void server.close())
  const webhook = {
    SLIPWAY_WEBHOOK_URL: `http://127.0.0.1:${await listen(server)}/`,
    SLIPWAY_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 5).toString("base64")}`
  }
  return { heard, webhook }
}

/** Runs a statement on SQLite, while no host or another one has the file open. */
const runSqlite = async (data: string, statement: string): Promise<ReadonlyArray<unknown>> => {
  const db = new DatabaseSync(metadataFile({ data, file: undefined }), { readOnly: true })
  const rows = db.prepare(statement).all()
  db.close()
  return rows
}

const steps = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name} ${index + 1}`)
const ofWebhook = ["before the webhook is asked 1", "after the webhook answered 1"]

/** Of each engine: new stores, how to read them, and the steps of one event, which is stored, claimed, passed on, claimed, delivered and removed. */
const engines = [
  [
    "SQLite",
    async () => {
      const data = temporaryFolder()
      return {
        stores: { ...anyStores(), SLIPWAY_DATA: data },
        query: (statement: string) => runSqlite(data, statement)
      }
    },
    [
      ...steps("before the INSERT of an event", 1),
      ...steps("before a COMMIT", 5),
      ...steps("after a COMMIT", 5),
      ...ofWebhook
    ]
  ],
  [
    "PostgreSQL",
    async () => {
      const url = await databaseUrl()
      return { stores: { ...anyStores(), DATABASE_URL: url }, query: (statement: string) => runSql(url, statement) }
    },
    [
      ...steps("before the INSERT of an event", 1),
      ...steps("before a message to the database", 6),
      ...steps("after an answer of the database", 7),
      ...ofWebhook
    ]
  ]
] as const

describe.each(engines)(
  "a host on %s that is killed between a commit and the delivery of its event",
  (_, open, kills) => {
    it("sends the webhook each run at least once after its restart, and of none that was rolled back", async () => {
      const { heard, webhook } = await receive()
      const { query, stores } = await open()
      const env: Record<string, string> = { ...stores, ...webhook }

      const first = await startHere(env)
      const { key } = await newKey(env)
      const uploader = createClient({ url: first.url, key })
      const app = upload("app", 0)
      const preview = await uploadPreview(uploader, app, { ...repository, recordings: [] })
      await first.stop()

      const answered: Array<string> = []
      /** Registers a run on a host that is killed at a step, or at none. What earlier hosts left is delivered first. */
      const register = async (killAt: string | undefined, hosts: number) => {
        const host = await startHost({
          ...env,
          ...(killAt === undefined ? {} : { KILL_AT: killAt }),
          NODE_OPTIONS: preloads.join(" "),
          // Each comes two minutes after the one before, when the claims of that one are over.
          SHIFTED_CLOCK_MS: String(120_000 * hosts)
        })
        const delivered = async () => {
          while ((await query("SELECT 1 FROM outbox LIMIT 1")).length > 0) await setTimeout(20)
        }
        await delivered()
        const run = { ...repository, kind: "maestro", previewShareId: preview.shareId, name: String(killAt) } as const
        const answer = await createClient({ url: host.url, key, retries: 0 })
          .testRuns.register(run)
          .catch(() => undefined)
        if (answer !== undefined) answered.push(answer.id)
        if (killAt === undefined) await delivered()
        else await host.stderr
        await host.stop("SIGKILL")
      }
      for (const [index, step] of [...kills, undefined].entries()) await register(step, index + 1)

      const runs = heard.filter(({ type }) => type === "run.registered")
      const delivered = runs.map(({ data }) => data.id)
      const stored = (await query("SELECT id FROM test_runs")).map((row) => String(Reflect.get(Object(row), "id")))
      assert.sameMembers([...new Set(delivered)], stored)
      assert.includeMembers(stored, answered)
      assert.isAtMost(stored.length, kills.length, "a host was killed before its commit")
      assert.strictEqual(new Set(runs.map(({ id }) => id)).size, stored.length, "a repeated event has the same id")
      assert.isAbove(delivered.length, stored.length, "a host was killed after the webhook accepted its event")
    })
  }
)
