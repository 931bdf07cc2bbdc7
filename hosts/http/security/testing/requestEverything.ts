import { Effect } from "effect"
import { TestHost } from "../../testing/TestHost.ts"
import { newHoldings, type Holdings } from "./holdings.ts"
import { deletions, identityToken, validRequests } from "./validRequests.ts"
import { send, wire, type WireResponse, type WireRequest } from "./wire.ts"

/** Secrets that nobody made, of the form that a key and an answer of an OpenID Connect provider have. */
const invented = {
  "a key that isn't one": `slip_${"Qx7Zk2".repeat(7)}Lm9w`,
  "a code of the provider": "code.Wv3Rt8Yp1Ns6Kd4Hg9Jb",
  "a state of the provider": "state.Mq5Xc2Vf7Ta0Ze8Lu3Po"
}

/** What an account has that nobody else may learn, by name. */
const secretsOf = ({
  cookie,
  key,
  keys,
  leavingCookie,
  links,
  once,
  openBuild,
  openPreview,
  opened,
  build,
  preview
}: Holdings) =>
  new Map(
    Object.entries({
      "a key": key,
      ...Object.fromEntries(keys.map(({ key, scopes }) => [`the key for ${scopes.join(" and ")}`, key])),
      "a session's cookie": cookie.slice(cookie.indexOf("=") + 1),
      "another session's cookie": leavingCookie.slice(leavingCookie.indexOf("=") + 1),
      "a build's token": build.token,
      "an open build's token": openBuild.token,
      "a preview's token": preview.token,
      "an open preview's token": openPreview.token,
      "the token of an idempotent answer": once.token,
      "an Idempotency-Key": once.key,
      "a preview's share link": links.preview.secret,
      "a run's share link": links.run.secret,
      "a revoked share link": links.revoked.secret,
      "the signature of an upload": new URL(openBuild.slots.bundle.putUrl).searchParams.get("signature") ?? "",
      "the signature of another upload": new URL(preview.slots.bundle.putUrl).searchParams.get("signature") ?? "",
      "the right to a replay": opened.build.replay.split(".").at(-1)?.replace(/\/.*$/, "") ?? "",
      "the right to a shared replay": opened.sharedPreview.replay.split(".").at(-1)?.replace(/\/.*$/, "") ?? "",
      "the right to a preview's objects": opened.preview.objects.split(".").at(-1)?.replace(/\/.*$/, "") ?? "",
      "the signature of an identity token": identityToken.split(".").at(-1) ?? "",
      ...invented
    })
  )

/** The request as it is, and with secrets where they don't belong, or broken. */
const variants = (of: Holdings, request: WireRequest): ReadonlyArray<WireRequest> => {
  const { body, headers, target } = request
  const { authorization: _, cookie: __, ...others } = headers
  const nobody = { ...request, headers: others }
  const withHeaders = (more: Readonly<Record<string, string>>) => ({ ...nobody, headers: { ...others, ...more } })
  const strange = invented["a key that isn't one"]
  const query = new URLSearchParams({
    key: of.key,
    token: of.preview.token,
    share: of.links.preview.secret,
    to: of.cookie
  })
  return [
    request,
    nobody,
    withHeaders({ authorization: `Bearer ${strange}` }),
    withHeaders({ authorization: `Basic ${Buffer.from(`ci:${of.key}`).toString("base64")}` }),
    withHeaders({ authorization: of.key, cookie: `slipway=${of.key}; other=${of.cookie}` }),
    withHeaders({ cookie: `slipway=${of.preview.token}`, "idempotency-key": of.once.key }),
    { ...request, target: `${target}${target.includes("?") ? "&" : "?"}${query}` },
    { ...nobody, target: `${target}/${of.links.preview.secret}?${query}` },
    ...(body === undefined
      ? []
      : [
          {
            ...request,
            body: Buffer.from(JSON.stringify({ token: of.key, contentHash: of.key, owner: of.key, key: of.key }))
          },
          { ...request, body: Buffer.from(`{"token": "${of.preview.token}`) },
          { ...request, headers: { ...headers, "content-type": `text/${of.key}` } }
        ])
  ]
}

/** A request and its answer. */
export interface Asked {
  readonly request: WireRequest
  readonly answer: WireResponse
}

/**
 * Makes an account with one of everything, and asks every endpoint and page for it, validly and not. Answers the
 * account's name, what was asked, and the secrets that could have been revealed.
 */
export const requestEverything = Effect.gen(function* () {
  const { url } = yield* TestHost
  const of = yield* newHoldings
  const asked: Array<Asked> = []
  const ask = Effect.fnUntraced(function* (request: WireRequest) {
    asked.push({ request, answer: yield* send(url, request) })
  })
  const back = new URLSearchParams({
    code: invented["a code of the provider"],
    state: invented["a state of the provider"]
  })
  const signingIn = [
    wire("GET", `/sign-in/oidc/callback?${back}`),
    wire("GET", `/sign-in?key=${of.key}`),
    wire("POST", "/sign-in", {
      form: { key: invented["a key that isn't one"], to: `/shared/${of.links.preview.secret}` }
    })
  ]
  for (const valid of [...validRequests(of), ...signingIn]) yield* Effect.forEach(variants(of, valid), ask)
  // Those that end what the others are about.
  for (const valid of deletions(of)) {
    const [first, ...others] = variants(of, valid)
    for (const request of others.filter(({ headers }) => headers["cookie"] !== of.cookie)) yield* ask(request)
    if (first !== undefined) yield* ask(first)
  }
  yield* ask(wire("POST", "/sign-out-everywhere", { cookie: of.cookie, form: {} }))
  return { account: of.name, asked, secrets: secretsOf(of) }
})
