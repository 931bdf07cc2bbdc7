import { SlipwayError } from "../../client/index.ts"
import { assert } from "vitest"
import { buildHosts, type Client } from "./flow.ts"
import { uploadBuild } from "./used.ts"

type Acknowledged = Awaited<ReturnType<typeof uploadBuild>>

/** Uploads one build after the other, whatever is answered, until it is stopped. */
export const startUploads = (client: Client) => {
  const acknowledged = new Array<Acknowledged>()
  const ended = new AbortController()
  let commit = 1000
  let next = Promise.withResolvers<void>()
  const upload = async () => {
    while (!ended.signal.aborted) {
      try {
        acknowledged.push(await uploadBuild(client, ++commit, 1))
        next.resolve()
        next = Promise.withResolvers()
      } catch (error) {
        // The service refused or did not answer, so the upload is not acknowledged.
        if (!(error instanceof SlipwayError)) throw error
      }
    }
  }
  const uploading = upload()
  return {
    /** Waits for so many more acknowledged uploads, and returns all until then. */
    more: async (count: number): Promise<ReadonlyArray<Acknowledged>> => {
      const enough = acknowledged.length + count
      while (acknowledged.length < enough) await Promise.race([next.promise, uploading])
      return [...acknowledged]
    },
    /** Stops, and returns every acknowledged upload. */
    stop: async (): Promise<ReadonlyArray<Acknowledged>> => {
      ended.abort()
      await uploading
      return acknowledged
    }
  }
}

/** Checks that a deployment has these uploads, and each of their bytes. */
export const assertUploads = async (
  client: Client,
  key: string,
  uploads: ReadonlyArray<Acknowledged>
): Promise<void> => {
  for (const { app, row } of uploads) {
    assert.deepStrictEqual(await client.builds.read(row.id), row)
    await buildHosts(row, app, key)
  }
}
