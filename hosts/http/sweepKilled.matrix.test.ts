/** Kills an embedding process with SIGKILL at every step of deletions and of a sweep on SQLite and files; the next one ends them. */
import { assert, describe, it, onTestFinished } from "vitest"
import { Schema } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ask, deleteAll, fill, hosted, openHost, opens, sweep, type Filled } from "./testing/removing.ts"

const Line = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ deleted: Schema.String }),
    Schema.Struct({ killed: Schema.String }),
    Schema.Struct({ steps: Schema.Int })
  ])
)

const sweeper = join(import.meta.dirname, "testing/killedSweeper.ts")

const newFolder = (): string => {
  const data = mkdtempSync(join(tmpdir(), "slipway-sweeps-"))
  onTestFinished(() => rmSync(data, { recursive: true, force: true }))
  return data
}

/** Runs a process that is killed at a step, or at none, and answers what it wrote. */
const run = async (data: string, killAt: number) => {
  const child = spawn(process.execPath, [sweeper], {
    env: { ...process.env, DATA: data, KILL_AT: String(killAt) },
    stdio: ["ignore", "inherit", "inherit"]
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  await once(child, "close")
  if (child.exitCode !== 0) assert.strictEqual(child.signalCode, "SIGKILL")
  const lines = readFileSync(join(data, "journal"), "utf8").trimEnd().split("\n")
  const journal = lines.map((line) => Schema.decodeSync(Line)(line))
  return {
    deleted: journal.flatMap((line) => ("deleted" in line ? [line.deleted] : [])),
    steps: journal.flatMap((line) => ("steps" in line ? [line.steps] : []))[0],
    killed: journal.flatMap((line) => ("killed" in line ? [line.killed] : []))[0]
  }
}

/** The contents of these that are stored, in any file below the folder of the objects. */
const stored = (data: string, contents: ReadonlyArray<string>): ReadonlyArray<string> => {
  const folder = join(data, "objects")
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name))
  return files
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, "utf8"))
    .map((text) => contents.find((content) => text.includes(content)) ?? text)
}

const contentsOf = ({ deleted, kept, swept }: Filled): ReadonlyArray<string> =>
  [deleted.build, deleted.preview, kept.build, kept.preview, ...swept.builds, ...swept.previews].map(
    ({ content }) => content
  )

const pathsOf = ({ deleted: { build, preview, run } }: Filled): ReadonlyArray<string> => [
  `builds/${build.id}`,
  `previews/${preview.id}`,
  `test-runs/${run.id}`
]

/** Asserts that each resource exists completely or not at all, that kept ones exist, and deleted ones don't. */
const assertWhole = async (data: string, filled: Filled, gone: ReadonlyArray<string>) => {
  const { deleted, kept, key } = filled
  const host = openHost(data, "26 hours")
  const status = async (path: string) => (await ask(host, key, "GET", path)).status
  for (const { build, preview, run } of [deleted, kept]) {
    const [isBuild, isPreview] = [await status(`builds/${build.id}`), await status(`previews/${preview.id}`)]
    const { body } = await ask(host, key, "GET", "test-runs?org=acme&repo=app&limit=100")
    const isRun = JSON.stringify(body).includes(run.id)
    if (build === kept.build) assert.deepStrictEqual([isBuild, isPreview, isRun], [200, 200, true])
    assert.strictEqual(await hosted(host, key, { build: build.id }), isBuild === 200 ? build.content : undefined)
    assert.strictEqual(
      await hosted(host, key, { preview: preview.id }),
      isPreview === 200 ? preview.content : undefined
    )
    assert.strictEqual(await opens(host, preview.secret ?? ""), isPreview === 200)
    assert.strictEqual(await opens(host, run.secret), isRun)
    const again = await ask(host, key, "POST", "builds", { operation: "finalize", token: build.token })
    assert.strictEqual(again.status, isBuild === 200 ? 201 : 404)
    const there = [
      ...(isBuild === 200 ? [`builds/${build.id}`] : []),
      ...(isPreview === 200 ? [`previews/${preview.id}`] : []),
      ...(isRun ? [`test-runs/${run.id}`] : [])
    ]
    const back = there.filter((path) => gone.includes(path))
    assert.deepStrictEqual(back, [], "answered to be deleted, and there")
  }
  await host.dispose()
}

describe("a host that is killed while it deletes or sweeps", () => {
  it("leaves nothing half visible, and the next one ends it: all bytes come back, and nothing that is hosted is lost", async () => {
    const first = newFolder()
    const host = openHost(first, 0)
    const filled = await fill(host)
    await host.dispose()
    writeFileSync(join(first, "filled"), JSON.stringify(filled))
    const contents = contentsOf(filled)
    assert.sameMembers([...stored(first, contents)], [...contents])
    const stays = [filled.kept.build.content, filled.kept.preview.content]

    const copyOfFirst = () => {
      const data = newFolder()
      cpSync(first, data, { recursive: true })
      return data
    }
    const whole = copyOfFirst()
    const { deleted, steps = 0 } = await run(whole, 0)
    assert.lengthOf(deleted, 3)
    assert.isAbove(steps, 40)
    assert.sameMembers([...stored(whole, contents)], stays)

    /** Kills processes at every second step, until one came to its end. */
    const lane = async (first: number) => {
      for (let killAt = first; ; killAt += 2) {
        const data = copyOfFirst()
        const { deleted, killed } = await run(data, killAt)
        if (killed === undefined) return killAt
        try {
          await assertWhole(data, filled, deleted)
          // A client without an answer retries.
          const next = openHost(data, "28 hours")
          await deleteAll(next, filled, () => undefined)
          await sweep(next)
          await next.dispose()
          await assertWhole(data, filled, pathsOf(filled))
          assert.sameMembers([...stored(data, contents)], stays, "what is stored when all is swept")
        } catch (error) {
          throw new Error(`killed at step ${killAt}, ${killed}`, { cause: error })
        }
        rmSync(data, { recursive: true, force: true })
      }
    }
    const [odd = 0, even = 0] = await Promise.all([lane(1), lane(2)])
    assert.isAbove(Math.min(odd, even), steps - 10, "few steps come in one run and not in another")
  })
})
