/** QR codes of the URLs of builds, previews and share links, for comments on pull requests: other servers load them without a key. */
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { encodeQR } from "qr"
import { paths, Site } from "../access/site.ts"
import { unknownAddress } from "../session/notFound.ts"

/** Draws the URL that a request names, which says nothing of whether there is anything at that URL. */
const draw = (pathOf: (id: string) => string) =>
  Effect.gen(function* () {
    const [id = ""] = Object.values(yield* HttpRouter.params)
    const { url } = yield* Site
    if (!/^[\w-]{1,128}$/.test(id)) return yield* unknownAddress
    return HttpServerResponse.uint8Array(encodeQR(url + pathOf(id), "gif", { border: 4, scale: 4 }), {
      contentType: "image/gif",
      // A code host without a proxy for images has browsers load it.
      headers: { "cache-control": "public, max-age=86400", "cross-origin-resource-policy": "cross-origin" }
    })
  })

export const routes = [
  HttpRouter.route("GET", "/builds/:id/qr.gif", draw(paths.build)),
  HttpRouter.route("GET", "/previews/:id/qr.gif", draw(paths.preview)),
  HttpRouter.route("GET", "/shared/:secret/qr.gif", draw(paths.shared))
]
