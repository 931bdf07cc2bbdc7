import type { Facts } from "../parts/FairHost.ts"
import type { Path } from "../parts/follow.ts"

const artifact = { length: "{sizeBytes}", mediaType: "{contentType}" }

const slot = (role: string, name?: string): Path => [
  "included",
  { where: { "attributes.for": role, ...(name === undefined ? {} : { "attributes.name": name }) } },
  "attributes"
]

/** What a client of this host must know. */
export const facts: Facts = {
  key: { header: "authorization", value: "Basic {basic}" },
  bodies: {
    file: { name: "{path}", ...artifact },
    recording: { name: "{name}", ...artifact },
    previewReserve: {
      data: {
        type: "previews",
        attributes: {
          bundle: { length: "{bundleSizeBytes}", mediaType: "{bundleContentType}" },
          viewport: { size: "{width}x{height}", os: "{platform}" },
          media: { files: "{files}", recordings: "{recordings}" },
          source: { remote: "{owner}/{repo}", ref: "{branch}", sha: "{commitSha}" },
          billingKind: "{billingKind}"
        }
      }
    },
    previewFinalize: { data: { type: "finalizations", attributes: { token: "{token}" } } },
    runRegister: { source: "{source}", pr: "{pr}" }
  },
  answers: {
    reserveBuild: {
      token: ["data", "attributes", "token"],
      url: ["data", "attributes", "url"],
      bundle: slot("bundle"),
      file: slot("file", "{path}")
    },
    build: { row: ["data", "attributes"], id: { path: ["data", "id"] }, status: ["data", "attributes", "status"] },
    reservePreview: {
      shareId: ["data", "attributes", "shareId"],
      token: ["data", "attributes", "token"],
      bundle: slot("bundle"),
      file: slot("file", "{path}"),
      recording: slot("recording", "{name}")
    },
    finalizePreview: { url: ["data", "attributes", "url"] },
    preview: { account: ["data", "attributes", "account"] },
    runs: {
      items: ["data"],
      name: ["attributes", "label"],
      status: ["attributes", "outcome"],
      passed: "pass",
      next: { link: ["links", "next"] }
    }
  },
  hosted: { build: { url: "{previewUrl}", withKey: true }, preview: { url: "{url}/bundle", withKey: true } },
  consistencyWindowMs: 1000
}
