import { Script } from "node:vm"
import { crc32 } from "node:zlib"

const isPng = (bytes: Buffer): boolean => {
  if (bytes.toString("latin1", 0, 8) !== "\x89PNG\r\n\x1a\n") return false
  let at = 8
  let last = ""
  while (at + 12 <= bytes.length && last !== "IEND") {
    const end = at + 8 + bytes.readUInt32BE(at)
    if (end + 4 > bytes.length || bytes.readUInt32BE(end) !== crc32(bytes.subarray(at + 4, end))) return false
    last = bytes.toString("latin1", at + 4, at + 8)
    at = end + 4
  }
  return last === "IEND" && at === bytes.length
}

const parsed = (parse: () => unknown): boolean => {
  try {
    parse()
    return true
  } catch {
    return false
  }
}

const parsers: Readonly<Record<string, (bytes: Buffer) => boolean>> = {
  "text/javascript": (bytes) => parsed(() => new Script(bytes.toString())),
  "application/json": (bytes) => parsed(() => JSON.parse(bytes.toString())),
  "image/svg+xml": (bytes) => /^<svg[\s>].*<\/svg>\s*$/s.test(bytes.toString()),
  "text/css": (bytes) => /^(?:[^{}]+\{[^{}]*\}\s*)+$/.test(bytes.toString()),
  "image/png": isPng,
  "video/webm": (bytes) => bytes.length > 4 && bytes.readUInt32BE(0) === 0x1a45dfa3
}

/** Whether bytes are what their type says, as far as this host can parse it. */
export const isOfItsType = (mime: string, bytes: Buffer): boolean =>
  parsers[mime.split(";")[0]?.trim() ?? ""]?.(bytes) ?? true
