import type { Facts } from "../parts/FairHost.ts"

const artifact = { size: "{sizeBytes}", type: "{contentType}" }
const bundle = ["upload", "slots", "bundle", 0]
const file = ["upload", "slots", "files", "{path}", 0]

/** What a client of this host must know. */
export const facts: Facts = {
  key: { header: "x-access", value: 'key="{key}"' },
  bodies: {
    file: { path: "{path}", ...artifact },
    previewFile: { role: "file", name: "{path}", ...artifact },
    recording: { role: "recording", name: "{name}", ...artifact },
    previewReserve: {
      artifacts: [
        { role: "bundle", size: "{bundleSizeBytes}", type: "{bundleContentType}" },
        "{files}",
        "{recordings}"
      ],
      about: { device: "{platform} {width}×{height}", git: "{owner}/{repo}#{pr} {branch}@{commitSha}" },
      billingKind: "{billingKind}"
    },
    previewFinalize: { operation: "finalize", token: "{token}" },
    runRegister: { ci: { source: "{source}", pr: "#{pr}" } }
  },
  answers: {
    reserveBuild: { token: ["upload", "token"], url: ["url"], bundle, file },
    build: { row: ["build"], id: { path: ["build", "url"], pattern: "/b/([^/]+)$" }, status: ["build", "status"] },
    reservePreview: {
      shareId: ["shareId"],
      token: ["upload", "token"],
      bundle,
      file,
      recording: ["upload", "slots", "recordings", "{name}", 0]
    },
    finalizePreview: { url: ["hosted"] },
    preview: { account: ["details", "account"] },
    runs: {
      items: ["runs"],
      name: ["title"],
      status: ["result"],
      passed: "green",
      next: { cursor: ["before"], parameter: "before" }
    }
  },
  hosted: { build: { url: "{previewUrl}", withKey: false }, preview: { url: "{url}", withKey: false } },
  consistencyWindowMs: 0
}
