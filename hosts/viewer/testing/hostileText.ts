import { gzipSync } from "node:zlib"
import { bytes } from "../../http/testing/uploads.ts"
import { eventsOf, stepLine, type Recording } from "./runs.ts"

const mebibyte = 2 ** 20

/** As many copies of a text as there are in so many characters. */
const filled = (text: string, length = mebibyte): string => text.repeat(Math.ceil(length / text.length))

const packed = (text: string): Recording["bytes"] => new Uint8Array(gzipSync(text, { level: 9 }))

/** A text as an event recording, as gzip: a few kilobytes of it hold megabytes. */
const events = (text: string, name = "events.jsonl.gz"): Recording =>
  eventsOf([], { name, contentType: "application/gzip", bytes: packed(text) })

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
  "bomb.txt.gz": { contentType: "application/gzip", bytes: packed("a".repeat(256 * mebibyte)) },
  "bomb.json.gz": { contentType: "application/gzip", bytes: packed(" ".repeat(64 * mebibyte)) }
}
