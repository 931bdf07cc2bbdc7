import { Refusal, type Answer, type Ask } from "../parts/http.ts"
import type { Build } from "./builds.ts"
import type { Preview } from "./previews.ts"
import type { Versions } from "./replicas.ts"
import type { Storage } from "./storage.ts"
import type { Run } from "./testRuns.ts"

/**
 * The pages, on an origin of their own. A browser asks the person for the key, as user name; bundles are fetched from
 * the storage, where `/replays/…` and `/previews/…/bundle` send it.
 */
export const makeViewer = (parts: {
  readonly accountOf: (ask: Ask) => string | undefined
  readonly storage: Storage
  readonly builds: Versions<Build>
  readonly previews: Versions<Preview>
  readonly runs: Versions<Run>
}) => {
  const { accountOf, builds, previews, runs, storage } = parts
  const page = (title: string): Answer => ({
    status: 200,
    headers: { "content-type": "text/html" },
    body: `<!doctype html><title>${title}</title>`
  })
  const send = (id: string | undefined): Answer => {
    if (id === undefined) throw new Refusal(404, "not_found")
    return { status: 302, headers: { location: storage.open(id) } }
  }

  return (ask: Ask): Answer => {
    const account = accountOf(ask)
    if (account === undefined) throw new Refusal(401, "sign_in")
    const [, kind, id = "", part] = ask.path.split("/")
    const build = builds.newest(id)
    if (kind === "builds" && build?.account === account) return page(`Build ${id}`)
    if (kind === "replays" && build?.account === account) return send(build.bundle?.id)
    const preview = previews.newest(id)
    if (kind === "previews" && preview?.account === account && preview.hosted) {
      return part === "bundle" ? send(preview.artifacts[0]?.id) : page(`Preview ${id}`)
    }
    if (kind === "traces" && runs.newest(id)?.account === account) return page(`Trace ${id}`)
    throw new Refusal(404, "not_found")
  }
}
