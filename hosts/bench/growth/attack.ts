/**
 * The reads of a right key while webhooks hang, uploads dribble, a stranger guesses keys, and a large preview is finalized, all at
 * once; and the reads of a bare Node with as many connections, requests and bytes.
 */
import { DateTime, Effect, Layer, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { WebhookId } from "../../../core/model/SlipwayEvent.ts"
import { WebhookStore } from "../../../core/ports/WebhookStore.ts"
import { makeKey } from "../../../core/rules/credentials.ts"
import { layer, layerClient } from "../../../adapters/postgres/index.ts"
import { createClient } from "../../client/index.ts"
import type { Side } from "../peers/slipway.ts"
import { owner, repo } from "../repository.ts"
import { asking, hanging, slowUploadBytes, slowUploads, type Connections } from "./connections.ts"

const guessesPerSecond = 100

/** Has a host send every event to so many webhooks that never answer, and registers a test run each second. */
const hangingWebhooks = async (database: string, { key, url }: Side, count: number): Promise<Connections> => {
  const receiver = await hanging()
  const add = Effect.gen(function* () {
    const store = yield* WebhookStore
    const createdAt = yield* DateTime.now
    for (let index = 0; index < count; index += 1) {
      const secret = `whsec_${randomBytes(24).toString("base64")}`
      yield* store.insert({
        id: WebhookId.make(crypto.randomUUID()),
        url: `${receiver.url}/${index}`,
        secret,
        types: [],
        createdAt
      })
    }
  })
  const stores = Layer.provide(layer, layerClient({ url: Redacted.make(database) }))
  await Effect.runPromise(Effect.provide(add, stores))
  const client = createClient({ url, key })
  const { testRuns } = await client.testRuns.list({ org: owner, repo, limit: 1 })
  const previewShareId = testRuns[0]?.previewShareId ?? ""
  const register = () =>
    client.testRuns.register({ kind: "maestro", name: "attacked", status: "passed", owner, repo, previewShareId })
  await register()
  const events = asking(1, register)
  while (receiver.taken() === 0) await new Promise((resolve) => setTimeout(resolve, 50))
  return {
    close: () => {
      events.close()
      receiver.close()
    }
  }
}

/** The URLs of so many slots of one reservation. */
const slotUrls = async ({ key, url }: Side, count: number): Promise<ReadonlyArray<string>> => {
  const file = { sizeBytes: slowUploadBytes, contentType: "text/plain" }
  const { slots } = await createClient({ url, key }).previews.reserve({
    contentHash: "0".repeat(64),
    bundleSizeBytes: 1,
    bundleContentType: "text/javascript",
    files: Array.from({ length: count }, (_, index) => ({ path: `${index}.txt`, ...file }))
  })
  return slots.files.map(({ putUrl }) => putUrl)
}

/** Keys of the right form that no account has, each shown once. */
const guesses = (url: string): Connections =>
  asking(guessesPerSecond, async () => {
    const random = randomBytes(20).toString("hex")
    const answer = await fetch(url, { headers: { authorization: `Bearer ${makeKey(random)}` } })
    return answer.arrayBuffer()
  })

/** Begins the attack on a host whose metadata is in this database. */
export const attackSlipway = async (
  database: string,
  side: Side,
  build: string,
  counts: { readonly webhooks: number; readonly uploads: number }
): Promise<Connections> => {
  const parts = [
    await hangingWebhooks(database, side, counts.webhooks),
    await slowUploads(await slotUrls(side, counts.uploads)),
    guesses(`${side.url}/api/v1/builds/${build}`)
  ]
  return { close: () => parts.forEach((part) => part.close()) }
}

/** As much of it as a bare Node knows: uploads that dribble, and requests of a stranger. */
export const attackBare = async (url: string, counts: { readonly uploads: number }): Promise<Connections> => {
  const parts = [
    await slowUploads(Array.from({ length: counts.uploads }, (_, index) => `${url}/${index}`)),
    guesses(url)
  ]
  return { close: () => parts.forEach((part) => part.close()) }
}
