import { createHash } from "node:crypto"
import type { Content } from "./Exchange.ts"

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex")

/** 16 lower-case hex digits that are derived only from the run, the check and the label. */
export const unique = (runId: string, checkId: string, label: string): string =>
  sha256(JSON.stringify([runId, checkId, label])).slice(0, 16)

/** The given number of bytes of printable ASCII, derived from the same. */
export const content = (runId: string, checkId: string, label: string, sizeBytes: number): Content => {
  const seed = sha256(JSON.stringify([runId, checkId, label, "content"]))
  const lines: Array<string> = []
  for (let line = 0; line * 65 < sizeBytes; line++) lines.push(sha256(`${seed} ${line}`))
  const bytes = new TextEncoder().encode(
    lines
      .map((line) => `${line}\n`)
      .join("")
      .slice(0, sizeBytes)
  )
  return { bytes, sha256: sha256(bytes) }
}
