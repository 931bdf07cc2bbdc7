import type { Facts } from "../parts/FairHost.ts"

const file = { path: "{path}", size: "{sizeBytes}", mime: "{contentType}", sha256: "{contentHash}" }

/** What a client of this host must know. */
export const facts: Facts = {
  key: { header: "authorization", value: "Token {key}" },
  requests: {
    buildFile: file,
    reservePreview: {
      bundle: {
        size: "{bundle.sizeBytes}",
        mime: "{bundle.contentType}",
        sha256: "{bundle.contentHash}",
        origin: "{bundle.origin}",
        entry: "{bundle.entry}",
        transformed: "{bundle.isTransformed}"
      },
      device: { platform: "{platform}", width: "{device.width}", height: "{device.height}" },
      files: [{ $each: "files", ...file }],
      recordings: [
        { $each: "recordings", name: "{name}", size: "{sizeBytes}", mime: "{contentType}", sha256: "{contentHash}" }
      ],
      provenance: {
        owner: "{git.owner}",
        repo: "{git.repo}",
        branch: "{git.branch}",
        commitSha: "{git.commitSha}",
        pullRequest: "{git.pr}"
      },
      billingKind: "{billingKind}"
    },
    finalizePreview: { shareId: "{shareId}", token: "{token}" },
    runExtras: {}
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
    preview: {
      url: ["data", "url"],
      device: ["data", "device"],
      files: ["data", "artifacts", "files"],
      recordings: ["data", "artifacts", "recordings"],
      git: ["data", "provenance"],
      account: ["data", "owner"]
    },
    run: ["data"],
    runs: {
      items: ["data", "items"],
      traceUrl: ["traceUrl"],
      name: ["title"],
      status: ["status"],
      passed: "passed",
      failed: "failed",
      next: { cursor: ["data", "next"], parameter: "after" }
    },
    error: ["error", "code"]
  },
  hosted: { build: { url: "{previewUrl}/bundle", withKey: true }, preview: { url: "{url}/bundle", withKey: true } },
  consistencyWindowMs: 0
}
