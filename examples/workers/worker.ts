import { DurableObject } from "cloudflare:workers"
import { Layer, Redacted } from "effect"
import { layerMetadata } from "slipway/adapters/key-value"
import * as s3 from "slipway/adapters/s3"
import { layerHealth, makeSlipway } from "slipway/hosts/http"
import * as viewer from "slipway/hosts/viewer"
import { keyValueStore } from "./keyValueStore.ts"

type Text = "SLIPWAY_URL" | "SLIPWAY_SECRET" | "S3_BUCKET" | "S3_ENDPOINT" | "S3_KEY_ID" | "S3_KEY"
type Env = Record<Text, string> & { readonly SLIPWAY: DurableObjectNamespace<SlipwayObject> }

const objects = ({ S3_BUCKET: bucket, S3_ENDPOINT: endpoint, S3_KEY, S3_KEY_ID }: Env) => {
  const credentials = { accessKeyId: Redacted.make(S3_KEY_ID), secretAccessKey: Redacted.make(S3_KEY) }
  return s3.layer({ bucket, endpoint, credentials })
}

/** One object serves all requests: its storage has the metadata, and a bucket, such as of R2, the uploads. */
export class SlipwayObject extends DurableObject<Env> {
  readonly slipway = makeSlipway({
    settings: { url: this.env.SLIPWAY_URL },
    ports: Layer.merge(layerMetadata(keyValueStore(this.ctx.storage), { maxValueBytes: 1_000_000 }), objects(this.env)),
    routes: Layer.merge(viewer.layer({ secret: Redacted.make(this.env.SLIPWAY_SECRET) }), layerHealth),
    events: async ({ type }) => console.log(type),
    background: false
  })
  override fetch(request: Request) {
    return this.slipway.fetch(request, { clientAddress: request.headers.get("cf-connecting-ip") ?? undefined })
  }
  tasks() {
    return this.slipway.tasks.runOnce({ budget: "20 seconds" })
  }
}

export default {
  fetch: (request: Request, { SLIPWAY }: Env) => SLIPWAY.getByName("slipway").fetch(request),
  // A cron trigger, such as each minute, delivers events and collects garbage.
  scheduled: (_: unknown, { SLIPWAY }: Env) => SLIPWAY.getByName("slipway").tasks()
}
