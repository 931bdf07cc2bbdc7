/** Pages for people who are signed in by the embedder's own sessions, and content for callers that its `authenticate` knows. */
import { DateTime, Effect, Layer, Redacted, Schema } from "effect"
import { assert, describe, it, onTestFinished } from "vitest"
import * as memory from "../../../adapters/memory/index.ts"
import { Administration } from "../../../core/service/Administration.ts"
import { createClient } from "../../client/browser.ts"
import type { OnProblem } from "../../http/hooks.ts"
import { makeSlipway } from "../../http/slipway.ts"
import type { OwnSessions } from "../access/ownSessions.ts"
import { layer as layerViewer } from "../routes.ts"

const url = "http://slipway.example"
const bundle = new TextEncoder().encode("app()")
const everything = ["builds", "preview_upload", "test_runs"]

/** Who has a session, by its number; the cookie `desk` holds the number. */
const desk = (scopes: ReadonlyArray<string> = everything, account = "acme", repositories?: ReadonlyArray<string>) => {
  const on = new Set(["1"])
  const sessions: OwnSessions = {
    who: (request) => {
      const session = /\bdesk=(\d+)/.exec(request.headers.get("cookie") ?? "")?.[1] ?? ""
      return on.has(session) ? { account, scopes, session, repositories } : undefined
    },
    isOn: (session) => on.has(session),
    signIn: (to) => `https://login.example/?${new URLSearchParams({ to })}`,
    signOut: () => {
      on.clear()
      return new Response(null, { status: 303, headers: { location: "/bye", "set-cookie": "desk=; Max-Age=0" } })
    }
  }
  return { on, sessions }
}

const signedIn = { cookie: "desk=1" }
const robot = { robot: "yes" }

/** Slipway with these sessions in place of its own, if given, an account `acme`, and one ready preview of it. */
const embedded = async (sessions: OwnSessions | undefined, onProblem?: OnProblem) => {
  const secret = Redacted.make("test secret")
  const engines = memory.engines({ url, secret })
  const slipway = makeSlipway({
    settings: { url },
    ports: engines.ports,
    routes: Layer.merge(engines.routes, layerViewer({ secret, sessions })),
    onProblem,
    shutdownTimeout: "1 hour",
    authenticate: (request, byKey) =>
      request.headers.get("robot") === "yes" ? { account: "acme", scopes: everything } : byKey()
  })
  onTestFinished(() => slipway.dispose())
  const { key } = await slipway.run(
    Administration.use((admin) =>
      Effect.andThen(
        Effect.andThen(admin.createAccount({ name: "acme" }), admin.createAccount({ name: "other" })),
        admin.createKey({ account: "acme", name: "ci", scopes: ["preview_upload"] })
      )
    )
  )
  const visit = (path: string, headers: Record<string, string> = {}, method = "GET", body: string | null = null) =>
    slipway.fetch(new Request(new URL(path, url), { method, headers, body }))
  const client = createClient({ url, key, fetch: (input, init) => slipway.fetch(new Request(input, init)) })
  const { shareId } = await client.previews.upload({ bundle: { body: bundle, contentType: "text/javascript" } })
  return { client, key, slipway, visit, preview: `/previews/${shareId}` }
}

/** The URL of the running app in the page of a preview. */
const appIn = (page: string): string => /\/replay\/[\w.-]+\//.exec(page)?.[0] ?? assert.fail("the page runs no app")

const Capability = Schema.fromJsonString(Schema.Struct({ until: Schema.DateTimeUtcFromMillis }))

describe("an embedder's sessions", () => {
  it("onProblem observes the refusals of pages with the text that they show, and replaces it", async () => {
    const seen: Array<string> = []
    const onProblem: OnProblem = ({ code, detail, status }) => {
      seen.push(detail)
      return { detail: `${code} ${status} <b>` }
    }
    const own = await embedded(desk(["preview_upload"]).sessions, onProblem)
    const byKey = await embedded(undefined, onProblem)
    const form = { "content-type": "application/x-www-form-urlencoded" }
    for (const [answer, status, code, text] of [
      [await own.visit("/previews/nothing", signedIn), 404, "not_found", "or the page belongs to another account"],
      [await own.visit("/builds/nothing", signedIn), 403, "insufficient_scope", "you need the scope builds"],
      [await own.visit("/shared/nothing"), 404, "not_found", "Check that you copied the whole link"],
      [await own.visit("/nowhere", { accept: "text/html" }), 404, "not_found", "Check that you copied the whole link"],
      [await byKey.visit("/sign-in", form, "POST", "key=slip_no"), 401, "unauthorized", "This key is not valid"]
    ] as const) {
      assert.strictEqual(answer.status, status)
      assert.include(await answer.text(), `>${code} ${status} &lt;b&gt;<`)
      assert.include(seen.shift(), text)
    }
    assert.isEmpty(seen)
  })

  it("lead who isn't signed in to the embedder's sign-in, whether or not the page exists", async () => {
    const { preview, visit } = await embedded(desk().sessions)
    for (const path of [preview, "/previews/nothing?x=1", "/builds/nothing"]) {
      const answer = await visit(path)
      assert.strictEqual(answer.status, 303, path)
      assert.strictEqual(answer.headers.get("cache-control"), "no-store")
      const led = new URL(answer.headers.get("location") ?? "")
      assert.strictEqual(led.origin, "https://login.example")
      assert.strictEqual(led.searchParams.get("to"), url + path)
    }
    assert.strictEqual((await visit("/")).headers.get("location"), "/sign-in")
    const led = await visit("/sign-in?to=//evil.example")
    assert.strictEqual(new URL(led.headers.get("location") ?? "").searchParams.get("to"), `${url}/`)
  })

  it("say who sees the pages, and offer neither keys nor the viewer's list of sessions", async () => {
    const { key, preview, visit } = await embedded(desk().sessions)
    const page = await (await visit(preview, signedIn)).text()
    assert.include(page, "acme")
    assert.include(page, "Sign out")
    assert.notInclude(page, "/sessions")
    assert.strictEqual((await visit("/sessions", signedIn)).status, 404)
    const form = { ...signedIn, "content-type": "application/x-www-form-urlencoded" }
    const withKey = await visit("/sign-in", form, "POST", `key=${key}`)
    assert.isEmpty(withKey.headers.getSetCookie())
    assert.notStrictEqual(withKey.status, 303)
  })

  it("show only the repositories that they name, in lists, search and pages", async () => {
    const own = [...everything, "account_admin"]
    const { client, preview, slipway, visit } = await embedded(desk(own, "acme", ["acme/seen"]).sessions)
    const previews = new Map<string, string>()
    for (const repo of ["seen", "hidden"]) {
      await slipway.run(Administration.use((admin) => admin.linkRepository({ account: "acme", owner: "acme", repo })))
      const contents = { body: bundle, contentType: "text/javascript" }
      const { shareId } = await client.previews.upload({ bundle: contents, owner: "acme", repo })
      previews.set(repo, shareId)
    }
    const page = async (path: string) => {
      const answer = await visit(path, signedIn)
      return { status: answer.status, text: await answer.text() }
    }
    for (const path of ["/", `/search?q=${previews.get("hidden")}`, "/search?q=acme"]) {
      const { status, text } = await page(path)
      assert.strictEqual(status, 200, path)
      assert.notInclude(text, "acme/hidden", path)
    }
    assert.include((await page("/")).text, "acme/seen")
    assert.strictEqual((await page(`/previews/${previews.get("seen")}`)).status, 200)
    for (const path of [
      preview,
      `/previews/${previews.get("hidden")}`,
      "/repositories?owner=acme&repo=hidden",
      "/account",
      "/keys"
    ]) {
      assert.oneOf((await page(path)).status, [403, 404], path)
    }
  })

  it("end what somebody opened at the next request after the sign-in has ended", async () => {
    const { on, sessions } = desk()
    const { preview, visit } = await embedded(sessions)
    const app = appIn(await (await visit(preview, signedIn)).text())
    const frame = { "sec-fetch-dest": "iframe" }
    assert.strictEqual((await visit(app, frame)).status, 200)
    on.clear()
    assert.strictEqual((await visit(app, frame)).status, 403)
    assert.strictEqual((await visit(preview, signedIn)).status, 303)
  })

  it("end the streams of open pages when Slipway stops, which doesn't wait for them", async () => {
    const { slipway, visit } = await embedded(desk().sessions)
    const reader = (await visit("/changes", signedIn)).body?.getReader() ?? assert.fail("it has no body")
    assert.isFalse((await reader.read()).done)
    await slipway.dispose()
    while (!(await reader.read()).done);
  })

  it("show another account's resources to nobody", async () => {
    const { preview, visit } = await embedded(desk(everything, "other").sessions)
    assert.strictEqual((await visit(preview, signedIn)).status, 404)
    const nowhere = await embedded(desk(everything, "nobody").sessions)
    assert.strictEqual((await nowhere.visit(nowhere.preview, signedIn)).status, 303)
  })

  it("hold the scopes that they name, and the refusal doesn't speak of keys", async () => {
    const { preview, visit } = await embedded(desk(["test_runs"]).sessions)
    const refused = await visit(preview, signedIn)
    assert.strictEqual(refused.status, 403)
    const text = await refused.text()
    assert.include(text, "preview_upload")
    assert.notMatch(text, /\bkey\b/)
  })

  it("sign out by the embedder's answer, and by no other site's form", async () => {
    const { on, sessions } = desk()
    const { visit } = await embedded(sessions)
    const foreign = await visit("/sign-out", { ...signedIn, origin: "https://evil.example" }, "POST")
    assert.strictEqual(foreign.status, 403)
    assert.strictEqual(on.size, 1)
    const answer = await visit("/sign-out", { ...signedIn, origin: url }, "POST")
    assert.strictEqual(answer.status, 303)
    assert.strictEqual(answer.headers.get("location"), "/bye")
    assert.deepStrictEqual(answer.headers.getSetCookie(), ["desk=; Max-Age=0"])
    assert.strictEqual(on.size, 0)
  })

  it("that fail admit nobody: the page says that it is out of reach, and nothing of why", async () => {
    const broken = () => {
      throw new Error("postgres://user:secret@db")
    }
    const { on, sessions } = desk()
    for (const changed of [{ who: broken }, { isOn: broken }, { signIn: broken }, { signOut: broken }]) {
      const { preview, visit } = await embedded({ ...sessions, ...changed })
      const app = "who" in changed ? preview : appIn(await (await visit(preview, signedIn)).text())
      const asked =
        "signOut" in changed
          ? visit("/sign-out", { ...signedIn, origin: url }, "POST")
          : "signIn" in changed
            ? visit(preview)
            : visit(app, signedIn)
      const answer = await asked
      assert.strictEqual(answer.status, 503, Object.keys(changed).join())
      assert.notInclude(await answer.text(), "secret")
    }
    assert.strictEqual(on.size, 1)
  })
})

describe("content for callers that the embedder's authenticate knows", () => {
  it("opens by the URL that the API answered, for five minutes, as nothing ends that right earlier", async () => {
    const { preview, visit } = await embedded(desk().sessions)
    const led = await visit(`${preview}/bundle`, robot)
    assert.strictEqual(led.status, 303)
    const path = led.headers.get("location") ?? ""
    assert.strictEqual(await (await visit(path)).text(), new TextDecoder().decode(bundle))
    const [, payload = ""] = /^\/preview-objects\/([\w-]+)\./.exec(path) ?? []
    const { until } = Schema.decodeSync(Capability)(Buffer.from(payload, "base64url").toString())
    assert.isAtMost(DateTime.toEpochMillis(until), Date.now() + 5 * 60_000)
  })

  it("opens by a key and by a session as well, and for nobody else", async () => {
    const { key, preview, visit } = await embedded(desk().sessions)
    const path = `${preview}/bundle`
    assert.match(
      (await visit(path, { authorization: `Bearer ${key}` })).headers.get("location") ?? "",
      /preview-objects/
    )
    assert.match((await visit(path, signedIn)).headers.get("location") ?? "", /preview-objects/)
    assert.strictEqual((await visit(path, { authorization: "Bearer slip_no" })).status, 401)
    assert.include((await visit(path)).headers.get("location"), "login.example")
  })
})
