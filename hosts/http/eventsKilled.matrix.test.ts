/** Kills an embedding process with SIGKILL at every step between a commit, the delivery of its event and the end of that. */
import { assert, describe, it, onTestFinished } from "vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Schema } from "effect"
import { SlipwayEvent } from "../../core/model/SlipwayEvent.ts"
import { metadataFile } from "../node/engines/embedded.ts"

const Line = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ received: Schema.toEncoded(SlipwayEvent) }),
    Schema.Struct({ killed: Schema.String }),
    Schema.Struct({ done: Schema.Unknown }),
    Schema.Struct({ steps: Schema.Int })
  ])
)

const host = join(import.meta.dirname, "testing/killedHost.ts")
const clock = join(import.meta.dirname, "../cli/testing/shiftedClock.ts")

/** A data folder and the processes that run on it, one after another. */
const makeFolder = () => {
  const data = mkdtempSync(join(tmpdir(), "slipway-events-"))
  onTestFinished(() => rmSync(data, { recursive: true, force: true }))
  let processes = 0

  /** Runs a process that is killed at a step, or at none. It answers whether it was. */
  const run = async (killAt: number): Promise<boolean> => {
    // Each comes two minutes after the one before, when the claims of that one are over.
    const shift = String(120_000 * processes++)
    const child = spawn(process.execPath, ["--import", clock, host], {
      env: { ...process.env, DATA: data, KILL_AT: String(killAt), SHIFTED_CLOCK_MS: shift },
      stdio: ["ignore", "inherit", "inherit"]
    })
    onTestFinished(() => void child.kill("SIGKILL"))
    await once(child, "close")
    if (child.exitCode !== 0) assert.strictEqual(child.signalCode, "SIGKILL")
    return child.exitCode !== 0
  }

  const journal = () =>
    readFileSync(join(data, "journal"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => Schema.decodeSync(Line)(line))

  return { data, journal, run }
}

/** The stored resources, as their events: `key.made` and the id of the key. */
const stored = (data: string): ReadonlyArray<string> => {
  const db = new DatabaseSync(metadataFile({ data, file: undefined }), { readOnly: true })
  const rows = db
    .prepare(
      `SELECT 'build.ready ' || id AS published FROM builds WHERE ready_at IS NOT NULL
      UNION ALL SELECT 'preview.hosted ' || share_id FROM previews WHERE finalized_at IS NOT NULL
      UNION ALL SELECT 'run.registered ' || id FROM test_runs
      UNION ALL SELECT 'share.made ' || id FROM share_links
      UNION ALL SELECT 'share.revoked ' || id FROM share_links WHERE revoked_at IS NOT NULL
      UNION ALL SELECT 'key.made ' || id FROM api_keys
      UNION ALL SELECT 'key.revoked ' || id FROM api_keys WHERE revoked_at IS NOT NULL`
    )
    .all()
  db.close()
  return rows.map(({ published }) => String(published))
}

describe("a host that is killed between a commit and the delivery of its event", () => {
  it("delivers each event at least once after its restart, in order, and none of what was rolled back", async () => {
    const whole = makeFolder()
    assert.isFalse(await whole.run(0))
    const steps = whole.journal().flatMap((line) => ("steps" in line ? [line.steps] : []))[0] ?? 0
    assert.isAbove(steps, 50)

    const killAtEach = async (first: number) => {
      const folder = makeFolder()
      let kills = 0
      for (let step = first; step <= steps; step += 2) if (await folder.run(step)) kills += 1
      await folder.run(0)

      const received = folder.journal().flatMap((line) => ("received" in line ? [line.received] : []))
      const published = received.map(({ data, type }) => `${type} ${data.id}`)
      assert.sameMembers([...new Set(published)], [...stored(folder.data)])
      for (const [type, earlier] of [["key.revoked", "key.made"] as const, ["share.revoked", "share.made"] as const]) {
        for (const { data } of received.filter((event) => event.type === type)) {
          assert.isBelow(published.lastIndexOf(`${earlier} ${data.id}`), published.indexOf(`${type} ${data.id}`))
        }
      }
      const ids = new Map(received.map((event, index) => [event.id, published[index]]))
      assert.strictEqual(ids.size, new Set(published).size, "an event delivered again has the same id")
      const killed = folder.journal().flatMap((line) => ("killed" in line ? [line.killed] : []))
      assert.strictEqual(killed.length, kills)
      return { killed, received: received.length, events: ids.size }
    }
    const both = await Promise.all([killAtEach(1), killAtEach(2)])

    const killed = both.flatMap((one) => one.killed)
    assert.isAbove(killed.length, steps - 8)
    for (const step of [
      "before the INSERT",
      "before a COMMIT",
      "after a COMMIT",
      "before the function",
      "after the function"
    ]) {
      assert.isAbove(killed.filter((one) => one.startsWith(step)).length, 0, step)
    }
    // Where a process was killed after the function accepted an event, and before that was stored, the event comes
    // again.
    assert.isTrue(both.some(({ events, received }) => received > events))
  })
})
