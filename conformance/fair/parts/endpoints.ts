import type { Scope } from "./FairHost.ts"

/** What the interface calls its requests. @see docs/interface.md#4 */
export type Endpoint =
  | "postBuild"
  | "latestBuild"
  | "readBuild"
  | "reservePreview"
  | "finalizePreview"
  | "readPreview"
  | "registerRun"
  | "listRuns"

const endpoints: ReadonlyArray<readonly [method: string, path: RegExp, endpoint: Endpoint, scope: Scope]> = [
  ["POST", /^\/api\/v1\/builds$/, "postBuild", "builds"],
  ["GET", /^\/api\/v1\/builds$/, "latestBuild", "builds"],
  ["GET", /^\/api\/v1\/builds\/(?<id>[^/]+)$/, "readBuild", "builds"],
  ["POST", /^\/api\/v1\/previews$/, "reservePreview", "preview_upload"],
  ["POST", /^\/api\/v1\/previews\/finalize$/, "finalizePreview", "preview_upload"],
  ["GET", /^\/api\/v1\/previews\/(?<id>[^/]+)$/, "readPreview", "preview_upload"],
  ["POST", /^\/api\/v1\/test-runs$/, "registerRun", "test_runs"],
  ["GET", /^\/api\/v1\/test-runs$/, "listRuns", "test_runs"]
]

export interface Meant {
  readonly endpoint: Endpoint
  /** The scope that its group requires. @see docs/interface.md#5 */
  readonly scope: Scope
  /** What stands for `{id}`; empty where there is none. */
  readonly id: string
}

/** What a request means; `undefined` when the interface has no such. */
export const endpointOf = (method: string, path: string): Meant | undefined => {
  for (const [means, pattern, endpoint, scope] of endpoints) {
    const found = means === method ? pattern.exec(path) : null
    if (found !== null) return { endpoint, scope, id: found.groups?.id ?? "" }
  }
  return undefined
}
