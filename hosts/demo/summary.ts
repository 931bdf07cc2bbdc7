import { DateTime } from "effect"
import type { BuildRow } from "../../core/api/builds/responses.ts"
import type { TestRunRecord } from "../../core/api/testRuns/responses.ts"

const table = (rows: ReadonlyArray<readonly [string, string]>): string => {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join("\n")
}

const pages = (row: BuildRow, runs: ReadonlyArray<TestRunRecord>) =>
  table([
    ["build page", row.url],
    ["replay", row.previewUrl ?? "not ready"],
    ...runs.slice(0, 1).map(({ previewUrl }) => ["preview", previewUrl] as const),
    ...runs.map(({ kind, status, traceUrl }) => [`${kind} ${status}`, traceUrl] as const)
  ])

/** What the demo ends with: build and runs as the service tells them, the last run first, and where to look. */
export const summary = (row: BuildRow, runs: ReadonlyArray<TestRunRecord>, key: string): string => {
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
    ["updated", DateTime.formatIso(row.updatedAt)],
    ...runs.map(({ durationMs, failureMessage, kind, name, status }) => {
      const why = failureMessage === undefined ? "" : `: ${failureMessage.split("\n")[0]}`
      return [`${kind} run`, `${status}, ${name} (${durationMs} ms)${why}`] as const
    })
  ])
  return `\n${facts}\n\n${pages(row, runs)}\n  sign in with  ${key}\n`
}
