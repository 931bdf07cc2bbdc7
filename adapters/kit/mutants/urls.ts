import { DateTime, Effect, Layer, Result } from "effect"
import type { ObjectStore, PutRequest } from "../../../core/ports/ObjectStore.ts"
import { layerObjects } from "../../memory/index.ts"
import { objectsPath, SignedUrls, type PutGrant } from "../../signed-urls/SignedUrls.ts"
import { UrlFetch } from "../parts/objectStoreClient.ts"
import { storing } from "./alteredObjects.ts"
import { loopback } from "../parts/objectStoreHarness.ts"
import type { FaultsByCase } from "./Mutant.ts"

type Urls = SignedUrls["Service"]

/** The objects in memory, behind URLs that are signed or verified wrongly. */
const signing = (alter: (urls: Urls) => Partial<Urls>) =>
  loopback(
    layerObjects.pipe(
      Layer.provideMerge(
        Layer.effect(
          SignedUrls,
          Effect.map(SignedUrls, (urls) => ({ ...urls, ...alter(urls) }))
        )
      )
    )
  )

const targetOf = (url: string): string => new URL(url).pathname + new URL(url).search

/** Sends the request to an altered URL. */
const sending = (
  otherwise: (urls: Urls, url: string, init: RequestInit) => readonly [url: string, init: RequestInit]
) =>
  loopback(
    Layer.merge(
      layerObjects,
      Layer.effect(
        UrlFetch,
        Effect.gen(function* () {
          const send = yield* UrlFetch
          const urls = yield* SignedUrls
          return (url, init) => send(...otherwise(urls, url, init))
        })
      )
    )
  )

/**
 * A server that compares only a part of a PUT with what its URL was signed for, as if the rest had been signed as sent.
 * It accepts only URLs with a valid signature.
 */
const unsigned = (what: (sent: { readonly type: string; readonly bytes: number }) => Partial<PutRequest>) =>
  sending((urls, url, init) => {
    const grant = urls.verify(init.method ?? "GET", targetOf(url), DateTime.nowUnsafe())
    const { body } = init
    if (Result.isFailure(grant) || grant.success.method !== "PUT" || !(body instanceof Uint8Array)) return [url, init]
    const sent = { type: new Headers(init.headers).get("content-type") ?? "", bytes: body.byteLength }
    return [urls.put({ ...inAMinute(grant.success), ...what(sent) }), init]
  })

const inAMinute = (grant: PutGrant): PutRequest => ({
  ...grant,
  expiresAt: DateTime.add(DateTime.nowUnsafe(), { minutes: 1 })
})

/** The value that is signed in place of the one in the URL; it is always the same. */
const asAlways =
  (hide: (request: PutRequest) => PutRequest, shown: (url: string, request: PutRequest) => string) =>
  (urls: Urls) =>
  (request: PutRequest) => {
    urls.put(request)
    return shown(urls.put(hide(request)), request)
  }

export const urlMutants: FaultsByCase<ObjectStore> = {
  "a body longer than signed is refused and stores nothing": {
    "signs without the length": unsigned(({ bytes }) => ({ sizeBytes: bytes }))
  },
  "another content type is refused and stores nothing": {
    "signs without the type": unsigned(({ type }) => ({ contentType: type }))
  },
  "another key is refused and stores nothing": {
    "signs without the key": signing((urls) => ({
      put: asAlways(
        (request) => ({ ...request, key: "any" }),
        (url, { key }) => url.replace(`${objectsPath}any?`, `${objectsPath}${key}?`)
      )(urls),
      verify: (method, target, now) => {
        const [path = "", query = ""] = target.split("?")
        const any = urls.verify(method, `${objectsPath}any?${query}`, now)
        if (Result.isFailure(any) || any.success.method !== "PUT") return urls.verify(method, target, now)
        return Result.succeed({ ...any.success, key: path.slice(objectsPath.length) })
      }
    }))
  },
  "a URL past its time is refused and stores nothing": {
    "accepts URLs that have expired": signing((urls) => ({
      verify: (method, target) => urls.verify(method, target, DateTime.makeUnsafe(0))
    }))
  },
  "URLs signed by a host whose clock is behind don't live longer": {
    "ends a URL by the clock of the host that signs it": storing((store) => ({
      presignPuts: Effect.fnUntraced(function* (requests) {
        const behind = DateTime.nowUnsafe().epochMilliseconds - (yield* DateTime.now).epochMilliseconds
        return yield* store.presignPuts(
          requests.map((request) => ({ ...request, expiresAt: DateTime.addDuration(request.expiresAt, behind) }))
        )
      })
    }))
  },
  "a GET URL is refused and stores nothing": {
    "accepts a PUT at a URL that was signed for GET": sending((urls, url, init) => {
      const grant = urls.verify("GET", targetOf(url), DateTime.nowUnsafe())
      const { body } = init
      if (init.method !== "PUT" || Result.isFailure(grant) || !(body instanceof Uint8Array)) return [url, init]
      const contentType = new Headers(init.headers).get("content-type") ?? ""
      const put = { method: "PUT", key: grant.success.key, contentType, sizeBytes: body.byteLength } as const
      return [urls.put(inAMinute(put)), init]
    })
  },
  "another method is refused and leaves the object that is there": {
    "answers a GET at a URL that was signed for PUT": sending((urls, url, init) => {
      const grant = urls.verify("PUT", targetOf(url), DateTime.nowUnsafe())
      if (init.method !== "GET" || Result.isFailure(grant)) return [url, init]
      return [urls.get({ ...inAMinute({ ...grant.success, method: "PUT", contentType: "", sizeBytes: 0 }) }), init]
    })
  },
  "a thousand URLs are answered in the order of the requests, each for its own object": {
    "answers the URLs in the order of their keys": storing((store) => ({
      presignPuts: (requests) => store.presignPuts(requests.toSorted((a, b) => (a.key < b.key ? -1 : 1)))
    }))
  },
  "a GET answers a range: the middle": {
    "answers a GET with the whole object, whatever its range": sending((_, url, init) => {
      const headers = new Headers(init.headers)
      headers.delete("range")
      return [url, { ...init, headers }]
    })
  }
}
