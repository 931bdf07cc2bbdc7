/** The conversion of a run before it is sent: invalid texts are repaired, and omissions are reported. */
import { closeSync, ftruncateSync, openSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { makeMask } from "./mask.ts"
import { makeImportLog, type RecordedAttempt, type RecordedFile, type RecordedRun } from "./recordedRun.ts"
import { folderOf } from "./testing/reading.ts"
import { toSend } from "./toSend.ts"

const attempt = (fields: Partial<RecordedAttempt> = {}): RecordedAttempt => ({
  status: "failed",
  startedAt: 1000,
  durationMs: 10.4,
  failureMessage: "no wind",
  steps: [],
  failingStep: undefined,
  recordings: [],
  ...fields
})

const run = (fields: Partial<RecordedRun> = {}): RecordedRun => ({
  kind: "detox",
  name: "Sails",
  attempts: [attempt()],
  device: undefined,
  file: undefined,
  tags: [],
  from: "/results",
  ...fields
})

const sent = async (recorded: RecordedRun, ...secrets: ReadonlyArray<string>) => {
  const mask = makeMask()
  for (const secret of secrets) mask.hide(secret)
  const log = makeImportLog()
  return { ...toSend(recorded, mask, log), notes: log.notes, problems: log.problems }
}

const screenshot = (path: string, fields: Partial<RecordedFile> = {}): RecordedFile => ({
  path,
  name: "screen.png",
  kind: "screenshot",
  contentType: "image/png",
  startedAt: 1000,
  ofFailure: false,
  ...fields
})

describe("a run to send", () => {
  it("has whole milliseconds and an instant in ISO 8601", async () => {
    const { run: body } = await sent(run())
    assert.deepStrictEqual([body.durationMs, body.startedAt], [10, "1970-01-01T00:00:01.000Z"])
  })

  it("has the text of a report without its secrets", async () => {
    const log = screenshot("/results/report.xml", { name: "output.log", kind: "log", text: "typed hunter2\n" })
    const { recordings } = await sent(run({ attempts: [attempt({ recordings: [log] })] }), "hunter2")
    assert.deepStrictEqual(
      recordings.map(({ from }) => from),
      [{ text: "typed •••\n" }]
    )
  })

  it("has no number of steps if they are unknown, and a file as repositories write it", async () => {
    const { run: body } = await sent(run({ file: String.raw`flows\shop\pay.yaml` }))
    assert.isFalse("stepCount" in body)
    assert.strictEqual(body.file, "flows/shop/pay.yaml")
  })

  it("has no fields with unknown values", async () => {
    const { run: body } = await sent(run({ attempts: [attempt({ startedAt: undefined, durationMs: undefined })] }))
    assert.deepStrictEqual(body, {
      kind: "detox",
      name: "Sails",
      status: "failed",
      failureMessage: "no wind"
    })
  })

  it.for([
    ["an endless name", { name: "x".repeat(2000) }, (body: { name?: string }) => body.name?.length, 1024],
    ["an empty name", { name: "\u0000" }, (body: { name?: string }) => body.name, "A test without a name"],
    ["an endless file", { file: "x".repeat(2000) }, (body: { file?: string }) => body.file?.length, 1024]
  ] as const)("repairs %s", async ([, fields, of, expected]) => {
    assert.strictEqual(of((await sent(run(fields))).run), expected)
  })

  it("keeps 50 tags of 100 characters, each once", async () => {
    const many = Array.from({ length: 60 }, (_, index) => `tag ${index}`)
    const { run: body } = await sent(run({ tags: ["x".repeat(300), "", "tag 1", "tag 1", ...many] }))
    assert.strictEqual(body.tags?.length, 50)
    assert.isTrue(body.tags?.every((tag) => tag.length <= 100))
    assert.strictEqual(new Set(body.tags).size, 50)
  })

  it("reports the last 20 attempts", async () => {
    const attempts = Array.from({ length: 25 }, (_, index) => attempt({ durationMs: index }))
    const { notes, run: body } = await sent(run({ attempts: [attempt(), ...attempts] }))
    assert.deepStrictEqual(
      body.attempts?.map(({ durationMs }) => durationMs),
      Array.from({ length: 20 }, (_, index) => index + 5)
    )
    assert.match(notes.join(), /the last 20 of 26 attempts/)
  })

  it("hides secrets in messages, steps and the names of recordings, and cuts after that", async () => {
    const path = join(folderOf({ "a.png": "x" }), "a.png")
    const step = {
      name: "type hunter2!",
      status: "failed",
      startedAt: 1000,
      durationMs: 1,
      depth: 0,
      message: "hunter2!"
    }
    const failureMessage = `${"x".repeat(16_380)}hunter2!`
    const recordings = [screenshot(path, { name: "after hunter2!.png" })]
    const all = await sent(run({ attempts: [attempt({ steps: [step], failureMessage, recordings })] }), "hunter2!")
    const texts = JSON.stringify({ run: all.run, recordings: all.recordings.map(({ from, name }) => [name, from]) })
    assert.notInclude(texts, "hunter")
    assert.strictEqual(all.recordings[1]?.name, "after •••.png")
  })

  it("begins its clock with the first step, which may be before the attempt", async () => {
    const step = { name: "beforeAll", status: "passed", startedAt: 400, durationMs: 1, depth: 0, message: undefined }
    const path = join(folderOf({ "a.png": "x" }), "a.png")
    const { recordings } = await sent(run({ attempts: [attempt({ steps: [step], recordings: [screenshot(path)] })] }))
    assert.deepStrictEqual(
      recordings.map(({ name, startedAtMs }) => [name, startedAtMs]),
      [
        ["events.jsonl", 0],
        ["screen.png", 600]
      ]
    )
  })

  it("begins its clock with a log that began shortly before, and not with one of long before", async () => {
    const path = join(folderOf({ "a.log": "x" }), "a.log")
    const log = (startedAt: number) => screenshot(path, { name: "a.log", kind: "log", startedAt })
    const starts = async (startedAt: number) =>
      (
        await sent(
          run({
            attempts: [
              attempt({ startedAt: 100_000, recordings: [log(startedAt), screenshot(path, { startedAt: 100_000 })] })
            ]
          })
        )
      ).recordings.map(({ startedAtMs }) => startedAtMs)
    assert.deepStrictEqual(await starts(99_000), [0, 1000])
    assert.deepStrictEqual(await starts(1000), [0, 0])
  })

  it("sends 100 recordings, those of failures first, in their own order, and reports the rest", async () => {
    const path = join(folderOf({ "a.png": "x" }), "a.png")
    const recordings = Array.from({ length: 130 }, (_, index) =>
      screenshot(path, { name: `${index}.png`, ofFailure: index >= 120 })
    )
    const all = await sent(run({ attempts: [attempt({ recordings })] }))
    assert.deepStrictEqual(
      all.recordings.map(({ name }) => name),
      [...recordings.slice(0, 90), ...recordings.slice(120)].map(({ name }) => name)
    )
    assert.match(all.notes.join(), /100 of 130 recordings are sent/)
  })

  it("gives each recording a name of its own, with its attempt where there is more than one", async () => {
    const path = join(folderOf({ "a.png": "x" }), "a.png")
    const twice = [screenshot(path), screenshot(path)]
    const names = async (...attempts: ReadonlyArray<RecordedAttempt>) =>
      (await sent(run({ attempts: [attempt({ recordings: twice }), ...attempts] }))).recordings.map(({ name }) => name)
    assert.deepStrictEqual(await names(), ["screen.png", "screen (2).png"])
    assert.deepStrictEqual(await names(attempt({ recordings: [screenshot(path)] })), [
      "events.jsonl",
      "attempt-1/screen.png",
      "attempt-1/screen (2).png",
      "attempt-2/screen.png"
    ])
  })

  it("leaves out what is empty or larger than a host takes, and reports it", async () => {
    const folder = folderOf({ "empty.png": "" })
    const large = join(folder, "large.mp4")
    const file = openSync(large, "w")
    ftruncateSync(file, 513 * 2 ** 20)
    closeSync(file)
    const recordings = [screenshot(join(folder, "empty.png")), screenshot(large)]
    const all = await sent(run({ attempts: [attempt({ recordings })] }))
    assert.deepStrictEqual(all.recordings, [])
    assert.deepStrictEqual(
      all.problems.map(({ reason }) => reason),
      ["It is not sent: it is empty.", "It is not sent: it has 537919488 bytes, more than the limit of 536870912."]
    )
  })
})
