import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { bundle, sha256 } from "../../http/testing/uploads.ts"
import type { Platform } from "../Platform.ts"
import { createClient as createInBrowser } from "../browser.ts"
import { type Client, type ClientOptions, createClient, SlipwayError } from "../index.ts"
import { makeClient } from "../makeClient.ts"
import { onFetch } from "../onFetch.ts"
import { onNode } from "../onNode.ts"
import type { Timing } from "../retrying.ts"
import { type FaultProxy, startFaultProxy } from "./front.ts"

/** A small bundle. */
export const content = { body: bundle, contentType: "text/javascript" }

/** More than any socket buffers. */
export const large = new Uint8Array(20_000_000)

/** The reservation of a preview of that bundle. */
export const declared = {
  contentHash: sha256(bundle),
  bundleSizeBytes: bundle.byteLength,
  bundleContentType: "text/javascript"
}

/** The body of a refusal. */
export const problem = (code: string, status: number) =>
  JSON.stringify({ type: `urn:slipway:problem:${code}`, status, title: code, code, detail: "From the front." })

/** The error of a call that must fail. */
export const failure = (promise: Promise<unknown>): Promise<SlipwayError> =>
  promise.then(
    () => assert.fail("it succeeded"),
    (error: unknown) => {
      if (error instanceof SlipwayError) return error
      throw error
    }
  )

interface Tried {
  readonly front: FaultProxy
  readonly client: Client
  /** A client of the host itself. */
  readonly direct: Client
  readonly waits: ReadonlyArray<number>
  readonly owner: string
  readonly repo: string
  /** Lets time pass for the host. */
  readonly pass: (time: "2 hours") => Promise<void>
}

/** The calls that a front was asked for, without the paths of objects. */
export const calls = ({ asked }: FaultProxy) => asked.map(({ call }) => call.replace(/\/objects\/.*/, "/objects/…"))

/** Runs a test with an account, a front and a client behind it. */
export const tried = Effect.fnUntraced(function* (
  run: (tried: Tried) => Promise<void>,
  { options, platform = onNode }: { readonly options?: Partial<ClientOptions>; readonly platform?: Platform } = {}
) {
  const { url } = yield* TestHost
  const { key, owner, repo } = yield* newAccount(["builds", "preview_upload", "test_runs"])
  const front = yield* Effect.acquireRelease(
    Effect.promise(() => startFaultProxy(url)),
    (front) => Effect.promise(() => front.close())
  )
  const { timing, waits } = standing()
  const client = makeClient({ url: front.url, key, ...options }, platform, timing)
  const direct = makeClient({ url, key, ...options }, platform, timing)
  const clock = Effect.runPromiseWith(yield* Effect.context<never>())
  const pass = (time: "2 hours") => clock(TestClock.adjust(time))
  yield* Effect.promise(() => run({ client, direct, front, owner, pass, repo, waits }))
})

/** The platforms of the client by their names. */
export const platforms = [
  { name: "node:http", platform: onNode },
  { name: "fetch", platform: onFetch }
]

/** A new account, and what its uploads host. */
export const account = Effect.gen(function* () {
  const { hostedBundle, hostedObject, url } = yield* TestHost
  const made = yield* newAccount(["builds", "preview_upload", "test_runs"])
  const context = yield* Effect.context<never>()
  const run = Effect.runPromiseWith(context)
  return {
    url,
    key: made.key,
    repository: { owner: made.owner, repo: made.repo },
    hostedBundle: (id: string) => run(hostedBundle(made.key, id)),
    hosted: (shareId: string, name: string) => run(hostedObject(made.key, shareId, name))
  }
})

/** The clients for Node and for browsers. */
export const clients = [
  { name: "on Node", create: createClient },
  { name: "on fetch alone", create: createInBrowser }
]

/** Time that stands still, and how long was waited for it. */
export const standing = (): { readonly timing: Timing; readonly waits: Array<number> } => {
  const waits: Array<number> = []
  return {
    waits,
    timing: {
      now: () => Date.parse("2026-01-01T00:00:00Z"),
      random: () => 1,
      wait: async (ms) => {
        waits.push(ms)
      }
    }
  }
}
