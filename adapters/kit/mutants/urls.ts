import { Context, DateTime, Effect, Layer, Result } from "effect"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import type { PutRequest } from "../../../core/ports/ObjectStore.ts"
import { layerObjects } from "../../memory/index.ts"
import { objectsPath, SignedUrls } from "../../signed-urls/SignedUrls.ts"
import type { PutGrant } from "../../signed-urls/SignedUrls.ts"
import { UrlFetch } from "../parts/objectStoreClient.ts"
import { loopback } from "../parts/objectStoreHarness.ts"
import type { Mutant } from "./Mutant.ts"

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

const presigning = (presignPuts: (store: ObjectStore["Service"]) => ObjectStore["Service"]["presignPuts"]) =>
  loopback(
    Layer.flatMap(layerObjects, (memory) => {
      const store = Context.get(memory, ObjectStore)
      return Layer.succeedContext(Context.add(memory, ObjectStore, { ...store, presignPuts: presignPuts(store) }))
    })
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

export const urlMutants: ReadonlyArray<Mutant<ObjectStore>> = [
  {
    fault: "signs without the length",
    caughtBy: "a body longer than signed is refused and stores nothing",
    adapter: unsigned(({ bytes }) => ({ sizeBytes: bytes }))
  },
  {
    fault: "signs without the type",
    caughtBy: "another content type is refused and stores nothing",
    adapter: unsigned(({ type }) => ({ contentType: type }))
  },
  {
    fault: "signs without the key",
    caughtBy: "another key is refused and stores nothing",
    adapter: signing((urls) => ({
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
  {
    fault: "takes the type from the URL without its being signed",
    caughtBy: "a tampered URL with a request that fits it is refused and stores nothing",
    adapter: signing((urls) => ({
      put: asAlways(
        (request) => ({ ...request, contentType: "any" }),
        (url, { contentType }) => url.replace("type=any", `type=${encodeURIComponent(contentType)}`)
      )(urls),
      verify: (method, target, now) => {
        const query = new URLSearchParams(target.split("?")[1])
        const contentType = query.get("type")
        if (contentType === null || query.getAll("type").length > 1) return urls.verify(method, target, now)
        query.set("type", "any")
        return Result.map(urls.verify(method, `${target.split("?")[0]}?${query}`, now), (grant) =>
          grant.method === "PUT" ? { ...grant, contentType } : grant
        )
      }
    }))
  },
  {
    fault: "lets URLs live for ever",
    caughtBy: "a URL past its time is refused and stores nothing",
    adapter: signing((urls) => ({
      verify: (method, target) => urls.verify(method, target, DateTime.makeUnsafe(0))
    }))
  },
  {
    fault: "lets a URL live for as long as the host that signs believes",
    caughtBy: "URLs signed by a host whose clock is behind don't live longer",
    adapter: presigning(
      (store) => (requests) =>
        Effect.gen(function* () {
          const behind = DateTime.nowUnsafe().epochMilliseconds - (yield* DateTime.now).epochMilliseconds
          return yield* store.presignPuts(
            requests.map((request) => ({ ...request, expiresAt: DateTime.addDuration(request.expiresAt, behind) }))
          )
        })
    )
  },
  {
    fault: "takes a PUT by the URL of a GET",
    caughtBy: "a GET URL is refused and stores nothing",
    adapter: sending((urls, url, init) => {
      const grant = urls.verify("GET", targetOf(url), DateTime.nowUnsafe())
      const { body } = init
      if (init.method !== "PUT" || Result.isFailure(grant) || !(body instanceof Uint8Array)) return [url, init]
      const contentType = new Headers(init.headers).get("content-type") ?? ""
      const put = { method: "PUT", key: grant.success.key, contentType, sizeBytes: body.byteLength } as const
      return [urls.put(inAMinute(put)), init]
    })
  },
  {
    fault: "answers a GET by the URL of a PUT",
    caughtBy: "another method is refused and leaves the object that is there",
    adapter: sending((urls, url, init) => {
      const grant = urls.verify("PUT", targetOf(url), DateTime.nowUnsafe())
      if (init.method !== "GET" || Result.isFailure(grant)) return [url, init]
      return [urls.get({ ...inAMinute({ ...grant.success, method: "PUT", contentType: "", sizeBytes: 0 }) }), init]
    })
  },
  {
    fault: "answers the URLs in the order of their keys",
    caughtBy: "a thousand URLs are answered in the order of the requests, each for its own object",
    adapter: presigning(
      (store) => (requests) => store.presignPuts(requests.toSorted((a, b) => (a.key < b.key ? -1 : 1)))
    )
  },
  {
    fault: "answers a GET with the whole object, whatever its range",
    caughtBy: "a GET answers a range: the middle",
    adapter: sending((_, url, init) => {
      const headers = new Headers(init.headers)
      headers.delete("range")
      return [url, { ...init, headers }]
    })
  }
]
