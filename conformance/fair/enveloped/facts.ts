import type { Facts } from "../parts/FairHost.ts"

const artifact = { size: "{sizeBytes}", mime: "{contentType}", sha256: "{contentHash}" }

/** What a client of this host must know. */
export const facts: Facts = {
  key: { header: "authorization", value: "Token {key}" },
  bodies: {
    file: { path: "{path}", ...artifact },
    recording: { name: "{name}", ...artifact },
    previewReserve: {
      bundle: {
        size: "{bundleSizeBytes}",
        mime: "{bundleContentType}",
        sha256: "{contentHash}",
        origin: "{bundleOrigin}",
        entry: "{entry}",
        transformed: "{isTransformed}"
      },
      device: { platform: "{platform}", width: "{width}", height: "{height}" },
      files: "{files}",
      recordings: "{recordings}",
      provenance: {
        owner: "{owner}",
        repo: "{repo}",
        branch: "{branch}",
        commitSha: "{commitSha}",
        pullRequest: "{pr}"
      },
      billingKind: "{billingKind}"
    },
    previewFinalize: { shareId: "{shareId}", token: "{token}" },
    runRegister: {}
  },
  answers: {
    reserveBuild: {
      token: ["data", "token"],
      url: ["data", "url"],
      bundle: ["data", "uploads", { where: { role: "bundle" } }],
      file: ["data", "uploads", { where: { role: "file", name: "{path}" } }]
    },
    build: { row: ["data"], id: { path: ["data", "buildId"] }, status: ["data", "state"] },
    reservePreview: {
      shareId: ["data", "shareId"],
      token: ["data", "token"],
      bundle: ["data", "uploads", { where: { role: "bundle" } }],
      file: ["data", "uploads", { where: { role: "file", name: "{path}" } }],
      recording: ["data", "uploads", { where: { role: "recording", name: "{name}" } }]
    },
    finalizePreview: { url: ["data", "preview", "url"] },
    preview: { account: ["data", "owner"] },
    runs: {
      items: ["data", "items"],
      name: ["title"],
      status: ["status"],
      passed: "passed",
      next: { cursor: ["data", "next"], parameter: "after" }
    }
  },
  hosted: { build: { url: "{previewUrl}/bundle", withKey: true }, preview: { url: "{url}/bundle", withKey: true } },
  consistencyWindowMs: 0
}
