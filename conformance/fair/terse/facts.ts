import type { Facts } from "../parts/FairHost.ts"

const artifact = { bytes: "{sizeBytes}", type: "{contentType}" }

/** What a client of this host must know. */
export const facts: Facts = {
  key: { header: "x-api-key", value: "{key}" },
  bodies: {
    file: { name: "{path}", ...artifact },
    recording: { name: "{name}", ...artifact },
    previewReserve: {
      bytes: "{bundleSizeBytes}",
      type: "{bundleContentType}",
      files: "{files}",
      recordings: "{recordings}",
      screen: { w: "{width}", h: "{height}" },
      git: { sha: "{commitSha}", branch: "{branch}" },
      billingKind: "{billingKind}"
    },
    previewFinalize: { reservationToken: "{token}" },
    runRegister: {}
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
    preview: { account: ["account"] },
    runs: { items: [], name: ["name"], status: ["passed"], passed: true }
  },
  hosted: { build: { url: "{previewUrl}", withKey: false }, preview: { url: "{url}", withKey: false } },
  consistencyWindowMs: 0
}
