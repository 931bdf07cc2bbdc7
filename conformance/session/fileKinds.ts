import { crc32 } from "node:zlib"

/**
 * Small files of the kinds that checks upload, of exactly the requested size. They are valid for any parser, except WebP and
 * fonts, which only begin as such. Nothing is compressed by a library, so the bytes are the same on every machine and a recording can be judged again anywhere.
 */

const text = (said: string) => new TextEncoder().encode(said)

const joined = (...parts: ReadonlyArray<Uint8Array | ReadonlyArray<number>>) =>
  Uint8Array.from(Buffer.concat(parts.map((one) => Uint8Array.from(one))))

const number = (value: number, bytes: number, order: "big" | "little"): ReadonlyArray<number> => {
  const digits = Array.from({ length: bytes }, (_, place) => (value >>> (8 * place)) & 255)
  return order === "big" ? digits.toReversed() : digits
}

const pngChunk = (type: string, data: Uint8Array) => {
  const body = joined(text(type), data)
  return joined(number(data.length, 4, "big"), body, number(crc32(body), 4, "big"))
}

/** One black pixel, in a zlib stream that stores it as it is. */
const pixel = Uint8Array.from([0x78, 1, 1, 2, 0, 0xfd, 0xff, 0, 0, 0, 2, 0, 1])

const pngStart = joined(
  [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  pngChunk("IHDR", Uint8Array.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])),
  pngChunk("IDAT", pixel)
)
const pngEnd = pngChunk("IEND", new Uint8Array())

/** The header of a WebM file, and the id of a void element, whose length follows in four bytes. */
const webmStart = Uint8Array.from([0x1a, 0x45, 0xdf, 0xa3, 0x87, 0x42, 0x82, 0x84, 0x77, 0x65, 0x62, 0x6d, 0xec])

/** A kind of file: the bytes around the noise that fills it up to its size, and what stands before and after that. */
interface Kind {
  /** How many bytes it has without any noise. */
  readonly leastBytes: number
  readonly file: (noise: Uint8Array) => Uint8Array
}

/** Characters of two, four and three bytes, as every bundle of an app has. */
const wide = text("é 😀 日本 ")

const between = (before: string, after: string): Kind => ({
  leastBytes: before.length + after.length,
  file: (noise) => {
    const start = noise.length > wide.length ? wide : []
    return joined(text(before), start, noise.slice(start.length), text(after))
  }
})

/** What begins with these bytes, then says how many follow, and has them. */
const sized = (start: ReadonlyArray<number>, order: "big" | "little", counted: number, type: string): Kind => ({
  leastBytes: start.length + 4 + type.length,
  file: (noise) => joined(start, number(noise.length + counted, 4, order), text(type), noise)
})

const kinds: Readonly<Record<string, Kind>> = {
  "text/javascript": between(`globalThis.appBundle = "`, `"\n`),
  "text/css": between(`.hero::after { content: "`, `" }\n`),
  "application/json": between(`{"messages":"`, `"}\n`),
  "image/svg+xml": between(`<svg xmlns="http://www.w3.org/2000/svg"><!--`, `--></svg>\n`),
  "image/png": {
    leastBytes: pngStart.length + 12 + 8 + pngEnd.length,
    file: (noise) => joined(pngStart, pngChunk("tEXt", joined(text("Comment"), [0], noise)), pngEnd)
  },
  "video/mp4": sized([0, 0, 0, 16, ...text("ftypisom"), 0, 0, 2, 0], "big", 8, "free"),
  "image/webp": sized([...text("RIFF")], "little", 4, "WEBP"),
  "font/ttf": { leastBytes: 12, file: (noise) => joined([0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], noise) },
  "video/webm": {
    leastBytes: webmStart.length + 4,
    file: (noise) => joined(webmStart, number(noise.length + 0x10000000, 4, "big"), noise)
  }
}

/** Whether a file of this type can have so few bytes. */
export const isRoom = (contentType: string, sizeBytes: number): boolean =>
  sizeBytes >= (kinds[contentType]?.leastBytes ?? 0)

/**
 * A file of this type and size around `noise`, which answers as many printable characters as it is asked for. A type that
 * is none of the kinds, or a size that is too small for its kind, gets plain text; a small script has only semicolons.
 */
export const fileOf = (
  contentType: string,
  sizeBytes: number,
  noise: (sizeBytes: number) => Uint8Array
): Uint8Array => {
  const kind = kinds[contentType]
  // However small, a bundle is a script.
  if (contentType === "text/javascript" && sizeBytes < (kind?.leastBytes ?? 0)) return text(";".repeat(sizeBytes))
  return kind === undefined || sizeBytes < kind.leastBytes
    ? noise(sizeBytes)
    : kind.file(noise(sizeBytes - kind.leastBytes))
}

/** A gzip file that stores these bytes, at most 65,535, as they are. */
export const gzipOf = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
  const size = number(bytes.length, 2, "little")
  const head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1, ...size, ...size.map((byte) => byte ^ 255)]
  return joined(head, bytes, number(crc32(bytes), 4, "little"), number(bytes.length, 4, "little"))
}
