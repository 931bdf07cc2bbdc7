/** Causes one event of each type, over HTTP and by the services. */
import { createHash, randomUUID } from "node:crypto"
import type { ShareId } from "../../../core/model/Preview.ts"
import type { Scope } from "../../../core/model/ApiKey.ts"
import { Administration } from "../../../core/service/Administration.ts"
import type { Slipway } from "../slipway.ts"

const bundle = "console.log('published')"
const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce((inner, name) => Reflect.get(Object(inner), name), value)

/** The ids of the created resources. */
export interface Done {
  readonly account: string
  readonly build: string
  readonly key: string
  readonly preview: string
  readonly run: string
  readonly share: string
}

/** A new account with a repository and a key, and how to use the API with it. */
export const newCi = async (
  slipway: Slipway,
  url: string,
  scopes: readonly [Scope, ...ReadonlyArray<Scope>] = ["builds", "preview_upload", "test_runs"]
) => {
  const name = `acme-${randomUUID()}`
  const commit = createHash("sha1").update(name).digest("hex")
  const account = await slipway.run(Administration.use((admin) => admin.createAccount({ name })))
  await slipway.run(Administration.use((admin) => admin.linkRepository({ account: name, owner: name, repo: "app" })))
  const { key, record } = await slipway.run(
    Administration.use((admin) => admin.createKey({ account: name, name: "ci", scopes }))
  )
  const post = async (path: string, body: unknown, host = slipway): Promise<unknown> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const request = new Request(`${url}/api/v1/${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    const response = await host.fetch(request)
    if (response.status > 201) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return response.json()
  }
  const upload = async (path: string, body: object): Promise<unknown> => {
    const reserved = await post(path, {
      owner: name,
      repo: "app",
      branch: "main",
      commitSha: commit,
      contentHash: createHash("sha256").update(bundle).digest("hex"),
      bundleSizeBytes: bundle.length,
      bundleContentType: "text/javascript",
      ...body
    })
    const put = String(at(reserved, "slots", "bundle", "putUrl"))
    const headers = { "content-type": "text/javascript", "content-length": String(bundle.length) }
    const stored = await slipway.fetch(new Request(put, { method: "PUT", headers, body: bundle }))
    if (stored.status !== 200) throw new Error(`the PUT answered ${stored.status}: ${await stored.text()}`)
    return reserved
  }
  return { account, name, record, post, upload }
}

export const doEverything = async (slipway: Slipway, url: string): Promise<Done> => {
  const { account, name, post, record, upload } = await newCi(slipway, url)
  const reserved = await upload("builds", { platform: "ios" })
  await post("builds", { operation: "finalize", token: at(reserved, "token") })
  const preview = await upload("previews", {})
  const shareId = String(at(preview, "shareId"))
  await post("previews/finalize", { token: at(preview, "token") })
  const report = {
    kind: "maestro",
    owner: name,
    repo: "app",
    previewShareId: shareId,
    name: "Checkout",
    status: "failed"
  }
  const run = await post("test-runs", { ...report, failureMessage: "no button", pr: 7 })
  const shared = { account: name, shared: { preview: shareId as ShareId } }
  const { link } = await slipway.run(Administration.use((admin) => admin.createShareLink(shared)))
  await slipway.run(Administration.use((admin) => admin.revokeShareLink({ ...shared, id: link.id })))
  await slipway.run(Administration.use((admin) => admin.revokeKey({ id: record.id })))
  return {
    account: account.id,
    build: String(at(reserved, "id")),
    key: record.id,
    preview: shareId,
    run: String(at(run, "id")),
    share: link.id
  }
}
