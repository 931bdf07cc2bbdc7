import type { Bindings, Config } from "./Config.ts"

const artifact = { sizeBytes: "{sizeBytes}", contentType: "{contentType}", contentHash: "{contentHash}" }

/** The default bindings: what Slipway does where the interface leaves it open. */
export const defaultBindings: Bindings = {
  key: { header: "authorization", value: "Bearer {key}" },
  bodies: {
    file: { path: "{path}", ...artifact },
    recording: { name: "{name}", kind: "{kind}", ...artifact },
    buildReserve: {},
    previewReserve: {
      platform: "{platform}",
      contentHash: "{contentHash}",
      bundleSizeBytes: "{bundleSizeBytes}",
      bundleContentType: "{bundleContentType}",
      bundleOrigin: "{bundleOrigin}",
      entry: "{entry}",
      isTransformed: "{isTransformed}",
      deviceSpec: "{deviceSpec}",
      files: "{files}",
      recordings: "{recordings}",
      owner: "{owner}",
      repo: "{repo}",
      branch: "{branch}",
      commitSha: "{commitSha}",
      pr: "{pr}",
      billingKind: "{billingKind}"
    },
    previewFinalize: { token: "{token}" },
    runRegister: { source: "{source}", pr: "{pr}" }
  },
  answers: {},
  passed: "passed",
  uploadUrl: {},
  cursorParameter: "cursor"
}

/** The defaults of a config. The URL and the accounts have none. */
export const defaults: Omit<Config, "url" | "accounts"> = {
  profiles: ["builds", "previews", "testRuns"],
  supplied: {},
  windowMs: 0,
  timeoutMs: 10_000,
  concurrency: 8,
  deadlineMs: 600_000,
  bindings: defaultBindings
}

/** A repository that most probably no account has linked. */
export const unlinkedRepository = { owner: "slipway-conformance", repo: "linked-to-nobody" }
