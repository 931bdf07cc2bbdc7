/** A host that dies while it finalizes leaves no upload half finished: another host finishes each of them. */
import type { IncomingMessage } from "node:http"
import { assert, describe, it } from "vitest"
import { hasS3, s3Server } from "../../adapters/s3/testing/server.ts"
import { createClient } from "../client/index.ts"
import { newKey, production, startBalancer, startHost, startProxy } from "./testing/deployment.ts"
import { buildHosts, identity, previewHosts, putAll, upload, type Client, type Upload } from "./testing/flow.ts"

/** One reserved upload whose bytes have all arrived. */
interface Uploaded {
  readonly finalize: (client: Client) => Promise<unknown>
  /** Whether a host shows the upload as ready. If it does, this also checks that all bytes are there. */
  readonly isReady: (client: Client) => Promise<boolean>
}

const files = 3

const uploadBuild = async (client: Client, key: string, commit: number, app: Upload): Promise<Uploaded> => {
  const { id, slots, token } = await client.builds.reserve({ ...identity(commit), ...app.declaration })
  await putAll(client, slots, app)
  return {
    finalize: (by) => by.builds.finalize(token),
    isReady: async (by) => {
      const row = await by.builds.read(id)
      if (row.status !== "ready") return false
      await buildHosts(row, app, key)
      return true
    }
  }
}

const uploadPreview = async (client: Client, key: string, app: Upload): Promise<Uploaded> => {
  const { shareId, slots, token } = await client.previews.reserve(app.declaration)
  await putAll(client, slots, app)
  return {
    finalize: (by) => by.previews.finalize(token),
    isReady: async (by) => {
      const metadata = await by.previews.read(shareId)
      if (metadata.status !== "ready") return false
      await previewHosts(metadata, app, key)
      return true
    }
  }
}

const isCopy = ({ headers }: IncomingMessage) => headers["x-amz-copy-source"] !== undefined
const isRead = ({ method, url = "" }: IncomingMessage) => method === "GET" && url.includes("/hosted/")
const isObjectDeletion = ({ method, url = "" }: IncomingMessage) => method === "POST" && /[?&]delete\b/.test(url)

describe.skipIf(!hasS3)("a host that is killed in the middle of many finalizes", () => {
  for (const [when, isMoment, nth, ready] of [
    ["with the first copy of all", isCopy, 1, { least: 0, most: 0 }],
    ["with a copy halfway", isCopy, 24, { least: 0, most: 12 }],
    ["while it reads what it copied", isRead, 7, { least: 0, most: 12 }],
    ["after a commit, before its answer", isObjectDeletion, 1, { least: 1, most: 12 }],
    ["after several commits", isObjectDeletion, 5, { least: 5, most: 12 }]
  ] as const) {
    it(`${when}: no page shows a half-finished upload, and another host finalizes every token`, async () => {
      const balancer = await startBalancer()
      const env = { ...(await production()), SLIPWAY_URL: balancer.url }
      let [count, kill] = [0, () => {}]
      const tap = await startProxy((request) => {
        // From this moment on, no request is passed on.
        if (isMoment(request)) count += 1
        if (count < nth) return [server.endpoint]
        kill()
        return []
      })
      const server = await s3Server()
      const [doomed, other] = await Promise.all([startHost({ ...env, SLIPWAY_S3_ENDPOINT: tap }), startHost(env)])
      balancer.serve([other.url])
      const { key } = await newKey(env)
      const [dying, surviving] = [doomed, other].map(({ url }) => createClient({ url, key, retries: 0 }))
      if (dying === undefined || surviving === undefined) throw new Error("there are two hosts")

      const uploads = await Promise.all(
        Array.from({ length: 6 }, (_, index) => [
          uploadBuild(surviving, key, index, upload(`build ${index}`, files)),
          uploadPreview(surviving, key, upload(`preview ${index}`, files))
        ]).flat()
      )
      const killed = new Promise<void>((resolve) => {
        kill = () => resolve(doomed.stop("SIGKILL").then(() => {}))
      })
      const finalized = Promise.allSettled(uploads.map(({ finalize }) => finalize(dying)))
      await killed
      const answered = (await finalized).map(({ status }) => status === "fulfilled")
      assert.include(answered, false)

      const shown = await Promise.all(uploads.map(({ isReady }) => isReady(surviving)))
      assert.isAtLeast(shown.filter(Boolean).length, ready.least)
      assert.isAtMost(shown.filter(Boolean).length, ready.most)
      // Every answer given before the kill still holds.
      for (const [index, one] of answered.entries()) if (one) assert.isTrue(shown[index])

      await Promise.all(uploads.map(({ finalize }) => finalize(surviving)))
      const all = await Promise.all(uploads.map(({ isReady }) => isReady(surviving)))
      assert.deepStrictEqual(
        all,
        uploads.map(() => true)
      )
    })
  }
})
