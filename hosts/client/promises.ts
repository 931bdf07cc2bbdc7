import { Effect, ManagedRuntime, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { SlipwayClient } from "./SlipwayClient.ts"

/** The methods of a client as functions that give promises. */
export type Promised<Client> = {
  readonly [Name in keyof Client]: Client[Name] extends (
    ...args: infer Args
  ) => Effect.Effect<infer Answer, infer _Error, infer _Services>
    ? (...args: Args) => Promise<Answer>
    : Promised<Client[Name]>
}

/**
 * The client for code without Effect: each method gives a promise, which rejects with the Problem that the service
 * answered (its `code` says which) or with what kept the request from being answered. Times are Effect's `DateTime`.
 */
export const createClient = (options: {
  readonly url: string
  readonly key: string
}): Promised<SlipwayClient["Service"]> => {
  const runtime = ManagedRuntime.make(
    SlipwayClient.layer({ url: options.url, key: Redacted.make(options.key) }).pipe(
      Layer.provide(FetchHttpClient.layer)
    )
  )
  const promised =
    <Args extends ReadonlyArray<unknown>, A, E>(
      method: (client: SlipwayClient["Service"]) => (...args: Args) => Effect.Effect<A, E>
    ) =>
    (...args: Args): Promise<A> =>
      runtime.runPromise(Effect.flatMap(SlipwayClient, (client) => method(client)(...args)))

  return {
    builds: {
      reserve: promised(({ builds }) => builds.reserve),
      finalize: promised(({ builds }) => builds.finalize),
      latest: promised(({ builds }) => builds.latest),
      read: promised(({ builds }) => builds.read)
    },
    previews: {
      reserve: promised(({ previews }) => previews.reserve),
      finalize: promised(({ previews }) => previews.finalize),
      read: promised(({ previews }) => previews.read),
      share: promised(({ previews }) => previews.share),
      listShares: promised(({ previews }) => previews.listShares),
      revokeShare: promised(({ previews }) => previews.revokeShare)
    },
    testRuns: {
      register: promised(({ testRuns }) => testRuns.register),
      list: promised(({ testRuns }) => testRuns.list),
      share: promised(({ testRuns }) => testRuns.share),
      listShares: promised(({ testRuns }) => testRuns.listShares),
      revokeShare: promised(({ testRuns }) => testRuns.revokeShare)
    },
    put: promised((client) => client.put)
  }
}
