import { Effect } from "effect"
import { TestHost } from "../../http/testing/TestHost.ts"
import {
  type Account,
  asRow,
  bundle,
  data,
  declaredFiles,
  finalize,
  put,
  reserve,
  style
} from "../../http/testing/uploads.ts"
import { assert } from "@effect/vitest"

/** A page or file as a browser gets it, redirects unfollowed. */
export interface Visit {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Asks the host for a path as a browser would: with a cookie, and a form where one is sent. */
export const visit = Effect.fnUntraced(function* (
  method: string,
  path: string,
  options: {
    readonly cookie?: string | undefined
    readonly form?: Record<string, string> | undefined
    readonly headers?: Record<string, string> | undefined
  } = {}
) {
  const { url } = yield* TestHost
  return yield* Effect.promise(async (): Promise<Visit> => {
    const response = await fetch(url + path, {
      method,
      redirect: "manual",
      headers: { ...(options.cookie === undefined ? {} : { cookie: options.cookie }), ...options.headers },
      ...(options.form === undefined ? {} : { body: new URLSearchParams(options.form) })
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })
})

/** The cookie that an answer sets, as a request sends it. */
export const cookieOf = (answer: Visit): string => answer.headers.getSetCookie()[0]?.split(";")[0] ?? ""

/** Signs in with a key; answers the session's cookie. */
export const signIn = Effect.fnUntraced(function* (key: string) {
  return cookieOf(yield* visit("POST", "/sign-in", { form: { key, to: "/" } }))
})

/** Where the frame of a page leads. */
export const frameOf = (html: string): string => /<iframe[^>]*\ssrc="([^"]+)"/.exec(html)?.[1] ?? ""

/** Below which path a page opens the objects of its preview as they were uploaded. */
export const objectsOf = (html: string): string =>
  /(?:href|src)="([^"]*\/preview-objects\/[^"/]+\/)/.exec(html)?.[1] ?? ""

/** The text of a page, its character references resolved. */
export const unescaped = (html: string): string =>
  html
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

/** A page without the viewer's own scripts: the one that it loads, and its data. */
export const withoutOwnScripts = (html: string): string =>
  html.replaceAll(
    /<script type="(?:module" src="[\w/.:-]*\/viewer-assets\/[\w-]+\.js|application\/json" id="[\w-]+)">[^<]*<\/script>/g,
    ""
  )

/** A ready build with two files, and the cookie of who is signed in to its account. */
export const hostedBuild = Effect.fnUntraced(function* (account: Account, fields: Record<string, unknown> = {}) {
  const reservation = yield* reserve(account, { files: declaredFiles, ...fields })
  yield* put(reservation.slots.bundle, bundle)
  for (const [index, bytes] of [style, data].entries()) {
    const slot = reservation.slots.files[index]
    if (slot !== undefined) yield* put(slot, bytes)
  }
  const row = yield* asRow((yield* finalize(account, reservation.token)).json)
  return { row, path: `/builds/${row.id}`, cookie: yield* signIn(account.key) }
})

/** Whether the cookie signs in. */
export const isSignedIn = Effect.fnUntraced(function* (cookie: string) {
  const { headers, status } = yield* visit("GET", "/", { cookie })
  if (status === 303) assert.strictEqual(headers.get("location"), "/sign-in")
  else assert.strictEqual(status, 200)
  return status === 200
})

/** The sessions that the page lists, in order: their ids and descriptions. */
export const listed = Effect.fnUntraced(function* (cookie: string, path = "/sessions") {
  const { status, text } = yield* visit("GET", path, { cookie })
  assert.strictEqual(status, 200)
  return Array.from(text.matchAll(/<li>(.*?)<\/li>/gs), ([, item = ""]) => ({
    id: /action="\/sessions\/([^/"]+)\/end"/.exec(item)?.[1] ?? "",
    isThisOne: item.includes("This one"),
    says: unescaped(item.replaceAll(/<form.*<\/form>/gs, "").replaceAll(/<[^>]*>/g, ""))
      .replaceAll(/\s+/g, " ")
      .trim()
  }))
})

/** The id of the session that views the page. */
export const ownId = Effect.fnUntraced(function* (cookie: string) {
  const [own, ...others] = (yield* listed(cookie)).filter(({ isThisOne }) => isThisOne)
  assert.isEmpty(others)
  return own?.id ?? assert.fail("this session is in the list")
})
