import type { Build, TestRun } from "../client/index.ts"

const table = (rows: ReadonlyArray<readonly [string, string]>): string => {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join("\n")
}

const pages = (row: Build, runs: ReadonlyArray<TestRun>, url: string) =>
  table([
    ["repository page", `${url}/repositories?${new URLSearchParams({ owner: row.owner, repo: row.repo })}`],
    ["build page", row.url],
    ["replay", row.previewUrl ?? "not ready"],
    ...runs.slice(0, 1).map(({ previewUrl }) => ["preview", previewUrl] as const),
    ...runs.map(({ kind, status, traceUrl }) => [`${kind} ${status}`, traceUrl] as const)
  ])

/** What the demo ends with: build and runs as the service tells them, the last run first, and where to look. */
export const summary = (
  row: Build,
  runs: ReadonlyArray<TestRun>,
  { key, url }: { readonly key: string; readonly url: string }
): string => {
  const total = row.bundleSizeBytes + row.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const facts = table([
    ["build", row.id],
    ["status", row.status],
    ["repository", `${row.owner}/${row.repo}`],
    ["branch", `${row.branch} (${row.platform})`],
    ["commit", row.commitSha],
    ["bundle", `${row.entry} ${row.bundleSizeBytes} bytes, sha256 ${row.contentHash.slice(0, 12)}…`],
    ["files", `${row.files.length}, with the bundle ${total} bytes`],
    ["created", row.createdAt],
    ["updated", row.updatedAt],
    ...runs.map(({ durationMs, failureMessage, kind, name, status }) => {
      const why = failureMessage === undefined ? "" : `: ${failureMessage.split("\n")[0]}`
      return [`${kind} run`, `${status}, ${name} (${durationMs} ms)${why}`] as const
    })
  ])
  return `\n${facts}\n\n${pages(row, runs, url)}\n  sign in with  ${key}\n`
}
