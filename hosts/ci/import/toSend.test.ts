/** The conversion of a run before it is sent: invalid texts are repaired, and omissions are reported. */
import { createHash } from "node:crypto"
import { closeSync, ftruncateSync, openSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "vitest"
import { onNode } from "../../client/onNode.ts"
import { makeMask } from "./mask.ts"
import { placeholder } from "./placeholder.ts"
import { makeImportLog, type RecordedAttempt, type RecordedFile, type RecordedRun } from "./recordedRun.ts"
import { folderOf } from "./testing/reading.ts"
import { bytesOf, looksText, measure, toSend } from "./toSend.ts"

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

const opened = (content: string | Uint8Array, isMasked: boolean) => {
  const mask = makeMask()
  mask.hide("hunter2!")
  const path = join(folderOf({ file: content }), "file")
  return bytesOf(
    {
      name: "file",
      kind: "log",
      contentType: "text/plain",
      startedAtMs: 0,
      durationMs: undefined,
      from: { path, isMasked }
    },
    mask
  )
}

/** All bytes. A chunk holds until the next one is read. */
const read = (open: () => Iterable<Uint8Array>) => Buffer.concat(Array.from(open(), (chunk) => chunk.slice()))

const textOf = (open: () => Iterable<Uint8Array>) => read(open).toString()

describe("the bytes of a recording", () => {
  it("are those of its file", () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251)
    assert.deepStrictEqual(new Uint8Array(read(opened(bytes, false))), bytes)
  })

  it("have no secret, wherever the file was read in parts", () => {
    // A file is read 262,144 bytes at a time.
    for (let before = 262_134; before <= 262_146; before += 1) {
      const sent = textOf(opened(`${"é".repeat(before / 2)}hunter2! and\nmore`, true))
      assert.strictEqual(sent, `${"é".repeat(before / 2)}••• and\nmore`)
    }
  })

  it("have no secret in UTF-16 and in encodings of one byte either", () => {
    const text = "typed hunter2! here"
    const little = Buffer.from(`\uFEFF${text}`, "utf16le")
    for (const bytes of [little, Buffer.from(little).swap16(), Buffer.from(`é ${text}`, "latin1")]) {
      const sent = textOf(opened(bytes, true))
      assert.include(sent, "typed ••• here")
    }
  })

  it("are those of a text if they look so, whatever the file is called", () => {
    const path = (content: string | Uint8Array) => join(folderOf({ "a.flow": content }), "a.flow")
    for (const text of ["a", "é\n".repeat(9000), Buffer.from("\uFEFFa", "utf16le"), Buffer.from("é\n", "latin1")])
      assert.isTrue(looksText(path(text)))
    for (const bytes of [Uint8Array.of(0, 1, 2), Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 0x1a, 10)])
      assert.isFalse(looksText(path(bytes)))
  })

  it("are a text of one endless line, too", () => {
    for (const before of [1_000_000, 1_048_570, 1_114_100, 3_000_000]) {
      const line = `${"x".repeat(before)}hunter2!${"x".repeat(2_000_000)}`
      assert.strictEqual(textOf(opened(line, true)).replaceAll("x", ""), "•••")
    }
  })

  it("have their declared size and digest each time they are opened", async () => {
    for (const line of ["typed hunter2!\n", "typed hunter2!\n".repeat(40_000)]) {
      const sent = line.replaceAll("hunter2!", "•••")
      const { body, contentHash, sizeBytes } = measure(opened(line, true))
      assert.strictEqual(sizeBytes, Buffer.byteLength(sent))
      assert.strictEqual(contentHash, createHash("sha256").update(sent).digest("hex"))
      for (let time = 0; time < 2; time += 1)
        assert.strictEqual(await text((await onNode.open(body, undefined)).chunks()), sent)
    }
  })
})

const masking = (...values: ReadonlyArray<string>) => {
  const mask = makeMask()
  for (const value of values) mask.hide(value)
  return mask
}

describe("a mask", () => {
  it.for([
    ["in a message", 'Typed "hunter2!" twice', 'Typed "•••" twice'],
    ["more than once", "hunter2! hunter2!", "••• •••"],
    ["as a part of a word", "xhunter2!x", "x•••x"]
  ] as const)("hides a value %s", ([, text, expected]) => {
    assert.strictEqual(masking("hunter2!").text(text), expected)
  })

  it.for([
    ["in JSON", 'a "b"\\', JSON.stringify('a "b"\\')],
    ["in a URL", "p&ss wörd", `?q=${encodeURIComponent("p&ss wörd")}&x`],
    ["in a form", "p&ss word", "q=p%26ss+word"],
    ["in XML", "a<b>&c", "<t>a&lt;b&gt;&amp;c</t>"],
    ["in the name of a file", "a/b: c$d", "screenshots/a_b_ c_d.png"],
    ["in a name without spaces", "my pass word", "step-1-my_pass_word.png"],
    ["line by line", "first line\nsecond line", "1: second line"]
  ] as const)("hides a value as it stands %s", ([, value, text]) => {
    assert.include(masking(value).text(text), "•••")
    assert.notInclude(masking(value).text(text), value)
  })

  it.for(["user:hunter2!", "me:hunter2!", "a:hunter2!", "hunter2!", "x hunter2! y"])(
    "hides a value in the base64 of %j, as in Authorization: Basic",
    (text) => {
      for (const form of ["base64", "base64url"] as const) {
        const encoded = Buffer.from(text).toString(form)
        const masked = masking("hunter2!").text(`Authorization: Basic ${encoded}\n`)
        assert.include(masked, "•••")
        assert.notInclude(Buffer.from(masked.replace(/^.* /, ""), form).toString(), "hunter")
      }
    }
  )

  it("hides the variables whose names look like those of secrets, or that the user named, and no others", () => {
    const mask = makeMask({ hidden: ["CITY"], shown: ["KEY_COLOUR"] })
    mask.hideVariable("TAB", "Home")
    mask.hideVariable("CITY", "Bergen")
    mask.hideVariable("KEY_COLOUR", "green")
    for (const [index, name] of ["API_KEY", "userPassword", "DB_PASS", "otp", "ACCESSTOKEN", "MAESTRO_PIN"].entries()) {
      mask.hideVariable(name, `value-${index}`)
    }
    assert.strictEqual(mask.text("Home in Bergen is green"), "Home in ••• is green")
    assert.strictEqual(mask.text("value-0 value-1 value-2 value-3 value-4 value-5"), "••• ••• ••• ••• ••• •••")
  })

  it("shows what a test typed where the user says that it is no secret, unless a secret has the same value", () => {
    const mask = makeMask({ shown: ["QUERY", "HINT"] })
    for (const value of ["fish soup", "hunter2!"]) mask.hide(value)
    mask.hideVariable("QUERY", "fish soup")
    mask.hideVariable("HINT", "hunter2!")
    mask.hideVariable("PASSWORD", "hunter2!")
    assert.strictEqual(mask.text("fish soup hunter2!"), "fish soup •••")
  })

  it("lists the named variables that don't exist", () => {
    const mask = makeMask({ hidden: ["CITY", "TOKEN"] })
    mask.hideVariable("CITY", "Bergen")
    assert.deepStrictEqual(mask.unknownNames(), ["TOKEN"])
  })

  it("hides the longer of two values first", () => {
    assert.strictEqual(masking("secret", "secret-and-more").text("secret-and-more"), "•••")
  })

  it("hides a short value where it stands alone in quotation marks, and leaves it in times and numbers", () => {
    assert.strictEqual(masking("12").text('12:12:12 typed "12" and “12”'), '12:12:12 typed "•••" and “•••”')
  })

  it("hides no words that stand everywhere", () => {
    assert.strictEqual(masking("true", "false", "", " ").text("true and false"), "true and false")
  })

  it("treats a value as text, never as a pattern", () => {
    assert.strictEqual(masking("a.*[b]").text("a.*[b] axxb"), "••• axxb")
  })

  it("counts values and places", () => {
    const mask = masking("secret", "secret", "other-one")
    mask.text("secret secret")
    mask.text("nothing")
    assert.deepStrictEqual(mask.counts(), { values: 2, places: 2 })
  })
})

const known = { owner: "acme", repo: "app", branch: "</script><b>", commit: "c".repeat(40), source: "github:1" }
const placeholderText = (tool: "Maestro" | "Detox", provenance = known) =>
  Buffer.from(placeholder(tool, provenance)).toString()

describe("the page in the place of an app", () => {
  it("says where the run was recorded", () => {
    for (const part of ["Detox", "acme/app", "c".repeat(40), "github:1"]) assert.include(placeholderText("Detox"), part)
  })

  it("is the same bytes for all runs of an import, so that they are sent once", () => {
    assert.strictEqual(placeholderText("Maestro"), placeholderText("Maestro"))
  })

  it("is a script whatever a branch is called", () => {
    assert.doesNotThrow(() => new Function(placeholderText("Maestro", { ...known, branch: '"`${}\u2028\\' })))
  })
})
