/** Looks at what was acknowledged, as its account sees it, and judges whether the promise of it is kept. */
import { ask, at, isUnknown, type Circumstances } from "./requests.ts"
import { digestOf, type Content } from "./contents.ts"
import type { HostProcess } from "./hostProcess.ts"
import { pathOf, type Account, type Resource } from "./resources.ts"

/** `unknown` when an engine was away; `damaged` says what is wrong, `whole` which upload it shows. */
type Seen =
  | { readonly found: "gone" | "unknown" }
  | { readonly found: "whole"; readonly shows: ReadonlyArray<Content> }
  | { readonly found: "damaged"; readonly why: string }

const bearer = ({ key }: Account) => ({ authorization: `Bearer ${key}` })

/** Signs an account in to the pages, once. */
const signedIn = async (world: Circumstances, { url }: HostProcess, account: Account) => {
  if (account.cookie !== undefined) return { cookie: account.cookie }
  const body = new URLSearchParams({ key: account.key, to: "/" }).toString()
  const headers = { "content-type": "application/x-www-form-urlencoded" }
  const answer = await ask(world, `${url}/sign-in`, { method: "POST", headers, body, redirect: "manual" })
  if (isUnknown(answer)) return undefined
  account.cookie = answer.cookie
  return { cookie: answer.cookie ?? "" }
}

/** A URL of the service, on this host. */
const on = ({ url }: HostProcess, path: string): string => {
  const { pathname, search } = new URL(path, url)
  return url + pathname + search
}

interface Opens {
  readonly url: string
  readonly headers: Readonly<globalThis.Record<string, string>>
}

/** Where the contents of a build are opened: in the frame of its replay. `undefined` when that is not known now. */
const openBuild = async (world: Circumstances, host: HostProcess, { account }: Resource, row: unknown) => {
  const session = await signedIn(world, host, account)
  if (session === undefined) return undefined
  const page = await ask(world, on(host, String(at(row, "previewUrl"))), { headers: session })
  if (isUnknown(page)) return undefined
  const frame = /<iframe[^>]*\ssrc="([^"]+)"/.exec(String(page.body))?.[1]
  return (path: string): Opens | undefined =>
    frame === undefined ? undefined : { url: on(host, frame + path), headers: {} }
}

const openPreview = (host: HostProcess, { account }: Resource, metadata: unknown) => {
  const files = at(metadata, "files")
  const all = [{ path: "index.js", object: at(metadata, "bundle") }].concat(
    (Array.isArray(files) ? files : []).map((object: unknown) => ({ path: String(at(object, "path")), object }))
  )
  return (path: string): Opens | undefined => {
    const url = at(all.find((one) => one.path === path)?.object, "url")
    return typeof url === "string" ? { url: on(host, url), headers: bearer(account) } : undefined
  }
}

/** Looks once. `row` is what the read answered, for which the contents were read. */
const lookOnce = async (
  world: Circumstances,
  host: HostProcess,
  resource: Resource
): Promise<Seen & { row?: unknown }> => {
  const row = await ask(world, host.url + pathOf(resource), { headers: bearer(resource.account) })
  if (isUnknown(row)) return { found: "unknown" }
  if (row.status === 404) return { found: "gone" }
  const damaged = (why: string) => ({ found: "damaged" as const, why, row: row.body })
  if (row.status !== 200) return damaged(`is answered ${row.status}`)
  if (at(row.body, "status") !== "ready") return damaged(`is ${String(at(row.body, "status"))}`)
  const [version = []] = resource.versions.filter(
    ([bundle]) => resource.kind === "preview" || bundle?.digest === at(row.body, "contentHash")
  )
  if (version.length === 0) return damaged("shows what was never uploaded for it")
  const opens =
    resource.kind === "build" ? await openBuild(world, host, resource, row.body) : openPreview(host, resource, row.body)
  if (opens === undefined) return { found: "unknown" }
  const read = async ({ digest, path }: Content) => {
    const open = opens(path)
    if (open === undefined) return damaged(`doesn't say where its ${path} is`)
    const got = await ask(world, open.url, { headers: open.headers })
    if (isUnknown(got)) return { found: "unknown" as const }
    if (got.status !== 200) return damaged(`has no ${path}: ${got.status}`)
    if (digestOf(got.bytes) !== digest) return damaged(`has other bytes than were uploaded at ${path}`)
    world.record.count("contents read back by digest")
    return undefined
  }
  for (const one of version) {
    const seen = await read(one)
    if (seen !== undefined) return seen
  }
  return { found: "whole", shows: version }
}

/** Looks until the read and the contents belong together: between the two it may have been deleted, or uploaded again. */
export const look = async (world: Circumstances, host: HostProcess, resource: Resource): Promise<Seen> => {
  for (let row: unknown; ;) {
    const { row: seen, ...found } = await lookOnce(world, host, resource)
    if (found.found !== "damaged" || (row !== undefined && JSON.stringify(row) === JSON.stringify(seen))) return found
    row = seen
  }
}

const nameOf = ({ account, id, kind }: Resource): string => `the ${kind} ${id} of ${account.name}`

/** Reads a resource on a host, and records a broken promise. Returns whether the answer was conclusive. */
export const judge = async (world: Circumstances, host: HostProcess, resource: Resource): Promise<boolean> => {
  const { state, versions } = resource
  const seen = await look(world, host, resource)
  if (seen.found === "unknown") return false
  // A concurrent action of its own client changes the valid answers.
  if (resource.state !== state || resource.versions !== versions) return true
  const { record } = world
  const mayBeGone = resource.mayExpire && !resource.isKept
  if (seen.found === "damaged" && state !== "deleted") record.broken(`${nameOf(resource)} ${seen.why}, on ${host.name}`)
  if (seen.found === "gone" && (state === "ready" || state === "changing") && !mayBeGone)
    record.broken(`${nameOf(resource)} is missing, on ${host.name}, and wasn't deleted`)
  if (seen.found !== "gone" && state === "deleted") record.broken(`${nameOf(resource)} is still there, on ${host.name}`)
  return true
}
