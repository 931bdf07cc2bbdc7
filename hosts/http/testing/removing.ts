/** An embedding host on SQLite and files, filled with what is deleted and swept, and with what stays. */
import { Clock, Duration, Effect, Layer, Redacted, Stream } from "effect"
import { createHash } from "node:crypto"
import { offBy } from "../../../adapters/kit/parts/clocks.ts"
import { SignedUrls } from "../../../adapters/signed-urls/SignedUrls.ts"
import { BuildId } from "../../../core/model/Build.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import { TestRunId } from "../../../core/model/TestRun.ts"
import { Administration } from "../../../core/service/administration/Administration.ts"
import { Authorization } from "../../../core/service/Authorization.ts"
import { Builds } from "../../../core/service/Builds.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { ShareLinks } from "../../../core/service/ShareLinks.ts"
import type { SweepPosition } from "../../../core/model/Sweep.ts"
import { embeddedEngines } from "../../node/engines/embedded.ts"
import { makeSlipway, type Slipway } from "../slipway.ts"

const url = "http://127.0.0.1:1"

/** A host in a folder, whose clock is ahead. It sweeps when it is asked to. */
export const openHost = (data: string, ahead: Duration.Input): Slipway => {
  const urls = SignedUrls.layer({ secret: Redacted.make("signs upload URLs"), baseUrl: url })
  const { ports, routes } = embeddedEngines(data)
  const clock = Layer.effect(Clock.Clock, offBy(ahead)(Clock.clockWith(Effect.succeed)))
  const sweep = { every: undefined, grace: Duration.hours(24), batch: 25, pause: Duration.zero }
  return makeSlipway({
    settings: { url, sweep },
    ports: Layer.merge(Layer.provide(ports, urls), clock),
    routes: Layer.provide(routes, urls)
  })
}

/** A hosted resource: its id, its content, its reservation token, and the secret of a link to it, if it has one. */
interface Hosted {
  readonly id: string
  readonly content: string
  readonly token: string
  readonly secret?: string
}

/** The resources of a host. `deleted` is deleted on request, the others are swept. */
export interface Filled {
  readonly key: string
  readonly deleted: {
    readonly build: Hosted
    readonly preview: Hosted
    readonly run: { readonly id: string; readonly secret: string }
  }
  readonly swept: { readonly builds: ReadonlyArray<Hosted>; readonly previews: ReadonlyArray<Hosted> }
  readonly kept: {
    readonly build: Hosted
    readonly preview: Hosted
    readonly run: { readonly id: string; readonly secret: string }
  }
}

const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce((inner, name) => Reflect.get(Object(inner), name), value)

/** Sends a request with a key, and answers its status and what it says. */
export const ask = async (slipway: Slipway, key: string, method: string, path: string, body?: unknown) => {
  const response = await slipway.fetch(
    new Request(`${url}/api/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  )
  const text = await response.text()
  return { status: response.status, body: text === "" ? undefined : (JSON.parse(text) as unknown) }
}

const admin = <A, E>(slipway: Slipway, use: (admin: Administration["Service"]) => Effect.Effect<A, E>) =>
  slipway.run(Administration.use(use))

/** Fills a host, with content that differs for each resource. */
export const fill = async (slipway: Slipway): Promise<Filled> => {
  await admin(slipway, (one) => one.createAccount({ name: "acme" }))
  await admin(slipway, (one) => one.linkRepository({ account: "acme", owner: "acme", repo: "app" }))
  const scopes = ["builds", "preview_upload", "test_runs", "delete"] as const
  const { key } = await admin(slipway, (one) => one.createKey({ account: "acme", name: "ci", scopes }))
  await admin(slipway, (one) => one.retain({ account: "acme", rules: { buildsPerBranch: 1 }, forget: [] }))
  const post = async (path: string, body: unknown) => {
    const answer = await ask(slipway, key, "POST", path, body)
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const upload = async (path: string, content: string, fields: object) => {
    const reserved = await post(path, {
      owner: "acme",
      repo: "app",
      contentHash: createHash("sha256").update(content).digest("hex"),
      bundleSizeBytes: content.length,
      bundleContentType: "text/javascript",
      ...fields
    })
    const headers = { "content-type": "text/javascript", "content-length": String(content.length) }
    const putUrl = String(at(reserved, "slots", "bundle", "putUrl"))
    const stored = await slipway.fetch(new Request(putUrl, { method: "PUT", headers, body: content }))
    if (stored.status !== 200) throw new Error(`the PUT answered ${stored.status}: ${await stored.text()}`)
    return {
      id: String(at(reserved, path === "builds" ? "id" : "shareId")),
      token: String(at(reserved, "token")),
      content
    }
  }
  const build = (commit: string, content: string, branch = "main") =>
    upload("builds", content, { branch, platform: "ios", commitSha: commit.repeat(40) })
  const readyBuild = async (...[commit, content, branch]: Parameters<typeof build>) => {
    const made = await build(commit, content, branch)
    await post("builds", { operation: "finalize", token: made.token })
    return made
  }
  /** The secret of a new link, which its URL ends with. */
  const share = async (shared: { readonly preview: ShareId } | { readonly run: TestRunId }) => {
    const { url } = await admin(slipway, (one) => one.createShareLink({ account: "acme", shared }))
    return url.split("/").at(-1) ?? ""
  }
  const readyPreview = async (content: string) => {
    const made = await upload("previews", content, {})
    await post("previews/finalize", { token: made.token })
    const secret = await share({ preview: ShareId.make(made.id) })
    return { ...made, secret }
  }
  const run = async (preview: Hosted) => {
    const report = { kind: "maestro", owner: "acme", repo: "app", previewShareId: preview.id, name: "Checkout" }
    const id = String(at(await post("test-runs", report), "id"))
    const secret = await share({ run: TestRunId.make(id) })
    return { id, secret }
  }

  const older = await readyBuild("1", "an older build of the branch")
  const superseded = await readyBuild("2", "an upload that its build shows no more")
  const kept = { build: await readyBuild("2", "the latest build"), preview: await readyPreview("a preview that stays") }
  const deleted = {
    build: await readyBuild("3", "a build that is deleted", "side"),
    preview: await readyPreview("a preview that is deleted")
  }
  return {
    key,
    deleted: { ...deleted, run: await run(kept.preview) },
    swept: {
      builds: [older, await build("4", "a build that was never finalized", "side"), { ...superseded, id: "" }],
      previews: [await upload("previews", "a preview that was never finalized", {})]
    },
    kept: { ...kept, run: await run(deleted.preview) }
  }
}

/** A whole sweep. */
export const sweep = async (slipway: Slipway): Promise<void> => {
  let from: SweepPosition | undefined
  do {
    const { next } = await admin(slipway, (one) =>
      one.sweepStep({ dryRun: false, ...(from === undefined ? {} : { from }) })
    )
    from = next
  } while (from !== undefined)
}

/** Deletes what is to be deleted, and calls `said` with each that was. */
export const deleteAll = async (slipway: Slipway, { deleted, key }: Filled, said: (path: string) => void) => {
  for (const path of [`builds/${deleted.build.id}`, `test-runs/${deleted.run.id}`, `previews/${deleted.preview.id}`]) {
    const { status } = await ask(slipway, key, "DELETE", path)
    if (status === 204) said(path)
  }
}

/** What a build or a preview hosts, through the service; `undefined` where there is none. */
export const hosted = (
  slipway: Slipway,
  key: string,
  resource: { readonly build: string } | { readonly preview: string }
): Promise<string | undefined> =>
  slipway.run(
    Effect.gen(function* () {
      const caller = yield* Authorization.use((authorization) => authorization.authenticate(Redacted.make(key)))
      const { stream } =
        "build" in resource
          ? yield* (yield* Builds).open(caller, BuildId.make(resource.build))
          : yield* (yield* Previews).open(caller, ShareId.make(resource.preview), { name: "bundle" })
      return yield* Stream.mkString(Stream.decodeText(stream))
    }).pipe(
      Effect.scoped,
      Effect.catchTag("NotFound", () => Effect.undefined)
    )
  )

/** Whether a share link opens. */
export const opens = (slipway: Slipway, secret: string): Promise<boolean> =>
  slipway.run(
    ShareLinks.use((links) => links.open(secret)).pipe(
      Effect.as(true),
      Effect.catchTag("NotFound", () => Effect.succeed(false))
    )
  )
