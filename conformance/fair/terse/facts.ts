import type { Facts } from "../parts/FairHost.ts"
import type { Template } from "../parts/fill.ts"

const each = (list: string, name: string): Template => ({
  $each: list,
  name,
  bytes: "{sizeBytes}",
  type: "{contentType}"
})

/** What a client of this host must know. */
export const facts: Facts = {
  key: { header: "x-api-key", value: "{key}" },
  requests: {
    buildFile: { name: "{path}", bytes: "{sizeBytes}", type: "{contentType}" },
    reservePreview: {
      bytes: "{bundle.sizeBytes}",
      type: "{bundle.contentType}",
      files: [each("files", "{path}")],
      recordings: [each("recordings", "{name}")],
      screen: { w: "{device.width}", h: "{device.height}" },
      git: { sha: "{git.commitSha}", branch: "{git.branch}" },
      billingKind: "{billingKind}"
    },
    finalizePreview: { reservationToken: "{token}" },
    runExtras: {}
  },
  answers: {
    reserveBuild: { token: ["token"], url: ["url"], bundle: ["slots", "/"], file: ["slots", "{path}"] },
    build: { row: [], id: { path: ["uuid"] }, status: ["status"] },
    reservePreview: {
      shareId: ["shareId"],
      token: ["token"],
      bundle: ["slots", "/"],
      file: ["slots", "{path}"],
      recording: ["slots", "@{name}"]
    },
    finalizePreview: { url: [] },
    preview: {
      url: ["url"],
      device: ["device"],
      files: ["files"],
      recordings: ["recordings"],
      git: ["git"],
      account: ["account"]
    },
    run: [],
    runs: { items: [], traceUrl: ["traceUrl"], name: ["name"], status: ["passed"], passed: true, failed: false },
    error: ["code"]
  },
  hosted: { build: { url: "{previewUrl}", withKey: false }, preview: { url: "{url}", withKey: false } },
  consistencyWindowMs: 0
}
