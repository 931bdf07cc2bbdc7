import { createHash } from "node:crypto"
import type { Content } from "./Exchange.ts"
import { fileOf } from "./fileKinds.ts"

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex")

/** 16 lower-case hex digits that are derived only from the run, the check and the label. */
export const unique = (runId: string, checkId: string, label: string): string =>
  sha256(JSON.stringify([runId, checkId, label])).slice(0, 16)

/** As many hex digits, all on one line. Only the first 64 of a thousand are derived, so large ones are quick. */
const noise = (seed: string) => (sizeBytes: number) => {
  const lines: Array<string> = []
  for (let line = 0; line * 1024 < sizeBytes; line++) lines.push(sha256(`${seed} ${line}`).repeat(16))
  return new TextEncoder().encode(lines.join("").slice(0, sizeBytes))
}

/**
 * A file of the given number of bytes, derived from the same: one that a parser of its type accepts, where the size has
 * room for that, and otherwise printable ASCII.
 */
export const content = (
  runId: string,
  checkId: string,
  label: string,
  sizeBytes: number,
  contentType = "text/plain"
): Content => {
  const seed = sha256(JSON.stringify([runId, checkId, label, "content"]))
  const bytes = Uint8Array.from(fileOf(contentType, sizeBytes, noise(seed)))
  return { bytes, sha256: sha256(bytes) }
}
