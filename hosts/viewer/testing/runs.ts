import { Effect, Layer, Schema, Stream } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { resolveRange } from "../../../adapters/object-store/makeObjectStore.ts"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { RecordedRun, recordingsFolder } from "../../demo/ci.ts"
import { newAccount } from "../../http/testing/TestHost.ts"
import { type Account, bytes } from "../../http/testing/uploads.ts"
import { registerRun, uploadPreview } from "./previews.ts"

type Bytes = Uint8Array<ArrayBuffer>

/** An account whose key may do what previews and runs need. */
export const runAccount = newAccount(["preview_upload", "test_runs"])

/** A recording to upload: what is declared of it, and its bytes. */
export interface Recording {
  readonly name: string
  readonly kind: "video" | "screenshot" | "events" | "log" | "other"
  readonly contentType: string
  readonly bytes: Bytes
  readonly startedAtMs?: number
  readonly durationMs?: number
}

/** An event of a step. */
export const stepLine = (t: number, name: string, status: string, rest: Record<string, unknown> = {}): string =>
  JSON.stringify({ t, type: "step", name, status, ...rest })

/** Lines of events as a recording. */
export const eventsOf = (lines: ReadonlyArray<string>, fields: Partial<Recording> = {}): Recording => ({
  name: "events.jsonl",
  kind: "events",
  contentType: "application/x-ndjson",
  bytes: bytes(`${lines.join("\n")}\n`),
  ...fields
})

/** The same, as gzip by its content type. */
export const packed = (recording: Recording): Recording => ({
  ...recording,
  name: `${recording.name}.gz`,
  contentType: "application/gzip",
  bytes: new Uint8Array(gzipSync(recording.bytes))
})

/** The smallest picture that there is. */
export const picture = new Uint8Array(
  Buffer.from("R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==", "base64")
)

/** Uploads a preview with these recordings, and registers a run of it; answers the run. */
export const recordedRun = Effect.fnUntraced(function* (
  account: Account,
  recordings: ReadonlyArray<Recording>,
  fields: Record<string, unknown> = {}
) {
  const { owner, repo } = account
  const { shareId } = yield* uploadPreview(
    account,
    {
      owner,
      repo,
      branch: "main",
      recordings: recordings.map(({ bytes, ...declared }) => ({ ...declared, sizeBytes: bytes.byteLength }))
    },
    { recordings: recordings.map(({ bytes }) => bytes) }
  )
  return yield* registerRun(account, { previewShareId: shareId, name: "Checkout", status: "passed", ...fields })
})

/** What a test of the demo app left behind, as it lies there. */
export const demoFile = (folder: string, name: string): Effect.Effect<Bytes> =>
  Effect.promise(async () => new Uint8Array(await readFile(join(recordingsFolder, folder, name))))

const asRecorded = Schema.decodeEffect(Schema.fromJsonString(RecordedRun))

/** Registers a run with what a test of the demo app left behind. */
export const demoRun = Effect.fnUntraced(function* (
  account: Account,
  folder: string,
  fields: Record<string, unknown> = {}
) {
  const { recordings, ...went } = yield* asRecorded(new TextDecoder().decode(yield* demoFile(folder, "run.json")))
  const uploaded = yield* Effect.forEach(recordings, (recording) =>
    Effect.map(demoFile(folder, recording.name), (content) => ({ ...recording, bytes: content }))
  )
  const status = went.failedStepIndex === undefined ? "passed" : "failed"
  return yield* recordedRun(account, uploaded, { ...went, kind: "detox", name: "Shows feet", status, ...fields })
})

const isHuge = (key: string): boolean => key.endsWith("/recordings/0")

const chunkBytes = 64 * 1024

/** The header of more than a second of silence; a browser detects its real type, whatever the declared one. */
const waveHeader = (sizeBytes: number): Buffer => {
  const header = Buffer.alloc(44)
  const rate = 8000
  header.write("RIFF", 0)
  header.writeUInt32LE(sizeBytes - 8, 4)
  header.write("WAVEfmt ", 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate, 28)
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write("data", 36)
  header.writeUInt32LE(sizeBytes - 44, 40)
  return header
}

/**
 * A store in which the first recording of every preview is one of so many bytes, though its slot takes a single one, and a
 * count of the bytes that are read from it.
 */
export const hugeRecording = (sizeBytes: number) => {
  const count = { bytes: 0 }
  const header = waveHeader(sizeBytes)
  const chunk = (at: number, length: number): Uint8Array => {
    const bytes = Buffer.alloc(length, 128)
    if (at < header.byteLength) header.copy(bytes, 0, at)
    return bytes
  }
  const read = (offset: number, length: number) =>
    Stream.unfold(0, (done) =>
      Effect.sync(() => {
        const wanted = Math.min(chunkBytes, length - done)
        if (wanted === 0) return undefined
        count.bytes += wanted
        return [chunk(offset + done, wanted), done + wanted] as const
      })
    )
  const objects = Layer.effect(
    ObjectStore,
    Effect.map(ObjectStore, (store) =>
      ObjectStore.of({
        ...store,
        presignPuts: (requests) =>
          store.presignPuts(requests.map((put) => (isHuge(put.key) ? { ...put, sizeBytes: 1 } : put))),
        list: (prefix) =>
          Effect.map(store.list(prefix), (all) => all.map((one) => (isHuge(one.key) ? { ...one, sizeBytes } : one))),
        read: (key, range) =>
          isHuge(key)
            ? Effect.map(resolveRange(range, sizeBytes), ({ length, offset }) => ({
                sizeBytes,
                offset,
                length,
                contentType: "video/mp4",
                stream: read(offset, length)
              }))
            : store.read(key, range)
      })
    )
  )
  return { count, objects }
}

const mebibyte = 2 ** 20

/** As many copies of a text as there are in so many characters. */
const filled = (text: string, length = mebibyte): string => text.repeat(Math.ceil(length / text.length))

const packedZeros = (text: string): Recording["bytes"] => new Uint8Array(gzipSync(text, { level: 9 }))

/** A text as an event recording, as gzip: a few kilobytes of it hold megabytes. */
const events = (text: string, name = "events.jsonl.gz"): Recording =>
  eventsOf([], { name, contentType: "application/gzip", bytes: packedZeros(text) })

const started = `${stepLine(0, "a", "started")}\n`

/** Lines of about so many characters, each of them JSON that is costly to read in its own way. */
export const costlyLines = (length: number): ReadonlyArray<string> => {
  const begin = String.raw`{"type":"step","name":"\u001b[31m",`
  const fields = Array.from({ length: length / 12 }, (_, n) => `"x${n.toString(36)}":1`)
  const shapes = Array.from({ length: length / 14 }, (_, n) => `{"${n.toString(36)}":{}}`)
  return [
    `${begin}"in":${filled("[", length / 2)}${filled("]", length / 2)}}`,
    `${begin}"in":[${filled("0,", length)}0]}`,
    `${begin}"in":[${shapes.join()}]}`,
    `${begin}${fields.join()}}`
  ]
}

/** Recordings of events that are slow to read, by what makes them so. */
export const hostileRecordings: Readonly<Record<string, ReadonlyArray<Recording>>> = {
  "steps of one name that never end": Array.from({ length: 4 }, () => events(filled(started))),
  "a hundred recordings": Array.from({ length: 100 }, (_, n) => events(filled(started, mebibyte / 16), `${n}.gz`)),
  "long names that are the same and have to be escaped": [
    events(filled(`${stepLine(0, filled("<", 2040), "<".repeat(40), { message: "<" })}\n`))
  ],
  "a short failed step after very many lines": [events(`${filled("{}\n", 4 * mebibyte)}${started}`)],
  "sixty-four mebibytes of nothing": [events("\0".repeat(64 * mebibyte)), events("\n".repeat(64 * mebibyte))],
  "controls of a terminal that never end": [
    events(filled("\u001b]")),
    events(filled("\u001b[1;")),
    events(`${filled("\u001bP", mebibyte / 2)}\n${filled("\u009d", mebibyte / 2)}`),
    events(filled(`{"type":"step","name":"${filled(String.raw`\u001b]`, 60_000)}"}\n`))
  ],
  "one giant line": [events(`{"type":"step","name":"${filled("a", 64 * mebibyte)}","status":"passed"}\n`)],
  "lines that are costly to read": costlyLines(60_000).map((line) => events(filled(`${line}\n`, 2 * mebibyte))),
  "long lines that are costly to read": costlyLines(900_000).map((line) => events(line))
}

const kibibytes = 512 * 1024

/** Files that are slow to show: the declared type of each, and its bytes. */
export const hostileFiles: Readonly<
  Record<string, { readonly contentType: string; readonly bytes: Recording["bytes"] }>
> = {
  "deep.json": { contentType: "application/json", bytes: bytes("[".repeat(kibibytes / 2) + "]".repeat(kibibytes / 2)) },
  "deep-enough.json": { contentType: "application/json", bytes: bytes("[".repeat(5000) + "]".repeat(5000)) },
  "unclosed.json": { contentType: "application/json", bytes: bytes("[".repeat(kibibytes)) },
  "wide.json": { contentType: "application/json", bytes: bytes(`[${filled("0,", kibibytes - 4)}0]`) },
  "fields.json": {
    contentType: "application/json",
    bytes: bytes(`{${Array.from({ length: 45_000 }, (_, n) => `"x${n.toString(36)}":1`).join()}}`)
  },
  "shapes.json": {
    contentType: "application/json",
    bytes: bytes(`[${Array.from({ length: 35_000 }, (_, n) => `{"${n.toString(36)}":{}}`).join()}]`)
  },
  "string-deep-down.json": {
    contentType: "application/json",
    bytes: bytes(`${"[".repeat(38)}"${"<".repeat(kibibytes - 100)}"${"]".repeat(38)}`)
  },
  "quotes.json": { contentType: "application/json", bytes: bytes(String.raw`"\"`.repeat(kibibytes / 3)) },
  "escaped.txt": { contentType: "text/plain", bytes: bytes("<".repeat(kibibytes)) },
  "coloured.log": { contentType: "text/plain", bytes: bytes(filled("\u001b]\u001b[31m", kibibytes)) },
  "one-line.txt": { contentType: "text/plain", bytes: bytes("a".repeat(mebibyte)) },
  "bomb.txt.gz": { contentType: "application/gzip", bytes: packedZeros("a".repeat(256 * mebibyte)) },
  "bomb.json.gz": { contentType: "application/gzip", bytes: packedZeros(" ".repeat(64 * mebibyte)) }
}
