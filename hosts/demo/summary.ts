import { DateTime } from "effect"
import type { BuildRow } from "../../core/api/builds/responses.ts"

const table = (rows: ReadonlyArray<readonly [string, string]>): string => {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join("\n")
}

/** What the demo ends with: the build as the service tells it, and where to look. */
export const summary = (row: BuildRow, key: string): string => {
  const total = row.bundleSizeBytes + row.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const facts = table([
    ["build", row.id],
    ["status", row.status],
    ["repository", `${row.owner}/${row.repo}`],
    ["branch", `${row.branch} (${row.platform})`],
    ["commit", row.commitSha],
    ["bundle", `${row.entry} ${row.bundleSizeBytes} bytes, sha256 ${row.contentHash.slice(0, 12)}…`],
    ["files", `${row.files.length}, with the bundle ${total} bytes`],
    ["created", DateTime.formatIso(row.createdAt)],
    ["updated", DateTime.formatIso(row.updatedAt)]
  ])
  const places = table([
    ["build page", row.url],
    ["replay", row.previewUrl ?? "not ready"],
    ["sign in with", key]
  ])
  return `\n${facts}\n\n${places}\n`
}
