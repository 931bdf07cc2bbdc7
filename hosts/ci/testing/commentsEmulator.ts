/**
 * The parts of the APIs of GitHub, GitLab, Bitbucket, Azure Repos and Gitea that reports need, over real HTTP, with the limits
 * and the pages of each.
 */
import { createServer, type IncomingMessage } from "node:http"
import { json } from "node:stream/consumers"
import { listen } from "../../../adapters/postgres/testing/freePort.ts"
import { field } from "../settings/ciEnvironment.ts"

interface EmulatedComment {
  readonly id: number
  body: string
  /** On Bitbucket and Azure Repos, where it stays in the list. */
  deleted?: boolean
  readonly user: { readonly login: string; readonly type: string }
}

/** A check run of GitHub, or a commit status: one for each name, and on GitHub for each that was created. */
interface EmulatedResult {
  readonly id: number
  name: string
  /** On GitHub, the CI run. */
  readonly externalId: unknown
  readonly sha: unknown
  conclusion: string
  title: unknown
  readonly annotations: Array<unknown>
}

/** A refusal: its status, and how GitHub words it. */
export interface Refusal {
  readonly status: number
  readonly message?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What happens to a request: a refusal, or no answer; after it was carried out, or before. */
export interface Fault extends Omit<Refusal, "status"> {
  readonly status: number | "reset"
  readonly isDone?: boolean
}

export interface CommentsEmulator {
  readonly url: string
  readonly comments: Array<EmulatedComment>
  /** What was written of commits, and the paths. */
  readonly results: ReadonlyArray<{ readonly path: string; readonly body: unknown }>
  /** The results as they are now. */
  readonly checks: ReadonlyArray<EmulatedResult>
  /** Happens before the next result is accepted. */
  readonly beforeResult: (happens: () => Promise<unknown>) => void
  /** The pull requests of every commit. */
  readonly pulls: Array<unknown>
  /** Methods and paths of the requests. */
  readonly asked: ReadonlyArray<string>
  /** How the next requests of a method are refused. */
  readonly refuse: (method: string, ...refusals: ReadonlyArray<number | Refusal>) => void
  /** What happens to each request, by its number from 0. */
  readonly faultOf: (fault: (position: number, path: string) => Fault | undefined) => void
  /** Who has the token: by default the bot of a job, which can't read its own identity. */
  readonly signIn: (user: EmulatedComment["user"]) => void
  /** Until the function is called, lists are answered as they were when they were asked for. */
  readonly holdLists: () => () => void
  readonly close: () => void
}

const bot = { login: "github-actions[bot]", type: "Bot" }

type Sent = Readonly<Record<string, unknown>>

/** An answer: a status and a body, which is a whole list where it is to be answered in pages. */
interface HttpResponse {
  readonly status: number
  readonly body?: unknown
}

const bytesOf = (text: unknown): number => Buffer.byteLength(typeof text === "string" ? text : "")

/** What a service has to say against a body: the fields that are too long, in its unit, or missing. */
type Limits = Readonly<
  Record<string, { readonly most: number; readonly isBytes?: boolean; readonly isRequired?: boolean }>
>

const refusedBy = (sent: Sent, limits: Limits): string | undefined =>
  Object.entries(limits).flatMap(([path, { isBytes, isRequired, most }]) => {
    const value = field(sent, ...path.split("."))
    if (value === undefined) return isRequired === true ? [`${path} is missing`] : []
    const length = isBytes === true ? bytesOf(value) : String(value).length
    return length > most ? [`${path} is too long (maximum is ${most})`] : []
  })[0]

const name255 = { most: 255, isRequired: true }
const text255 = { most: 255 }

/** How each service shows comments and takes results. */
const services = {
  github: {
    is: (path: string) => path.startsWith("/repos/") && !path.includes("/statuses/"),
    status: 422,
    comment: { body: { most: 65_536, isRequired: true } } as Limits,
    result: {
      name: name255,
      head_sha: { most: 40 },
      external_id: text255,
      status: { most: 11, isRequired: true },
      "output.title": text255,
      "output.summary": { most: 65_535, isBytes: true }
    } as Limits,
    key: ({ name }: Sent) => name,
    state: ({ conclusion, status }: Sent) => conclusion ?? status,
    title: (sent: Sent) => field(sent, "output", "title")
  },
  gitea: {
    is: (path: string) => path.startsWith("/repos/"),
    status: 422,
    comment: { body: { most: 65_536, isRequired: true } } as Limits,
    result: { context: name255, state: { most: 10, isRequired: true }, description: text255 } as Limits,
    key: ({ context }: Sent) => context,
    state: ({ state }: Sent) => state,
    title: ({ description }: Sent) => description
  },
  gitlab: {
    is: (path: string) => path.startsWith("/projects/"),
    status: 400,
    comment: { body: { most: 1_000_000, isRequired: true } } as Limits,
    result: {
      name: name255,
      state: { most: 10, isRequired: true },
      description: text255,
      target_url: text255,
      ref: text255
    } as Limits,
    key: ({ name }: Sent) => name,
    state: ({ state }: Sent) => ({ failed: "failure", skipped: "neutral" })[String(state)] ?? state,
    title: ({ description }: Sent) => description
  },
  bitbucket: {
    is: (path: string) => path.startsWith("/repositories/"),
    status: 400,
    comment: { "content.raw": { most: 32_768, isRequired: true } } as Limits,
    result: {
      key: { most: 40, isRequired: true },
      name: text255,
      state: { most: 10, isRequired: true },
      description: text255,
      url: { most: 2048, isRequired: true }
    } as Limits,
    key: ({ key }: Sent) => key,
    state: ({ state }: Sent) => ({ SUCCESSFUL: "success", FAILED: "failure", STOPPED: "neutral" })[String(state)],
    title: ({ description }: Sent) => description
  },
  azure: {
    is: (path: string) => path.includes("/_apis/"),
    status: 400,
    comment: {} as Limits,
    result: { "context.name": name255, state: { most: 15, isRequired: true } } as Limits,
    key: (sent: Sent) => JSON.stringify([sent["context"], sent["iterationId"]]),
    state: ({ state }: Sent) => ({ succeeded: "success", failed: "failure", notApplicable: "neutral" })[String(state)],
    title: ({ description }: Sent) => description
  }
}

type ServiceName = keyof typeof services

/** A comment as a service has it. */
const shown: Readonly<Record<ServiceName, (comment: EmulatedComment) => unknown>> = {
  github: ({ body, id, user }) => ({ id, body, user }),
  gitea: ({ body, id, user }) => ({ id, body, user: { login: user.type === "Bot" ? "gitea-actions" : user.login } }),
  gitlab: ({ body, id, user }) => ({
    id,
    body,
    author: { username: user.type === "Bot" ? "project_1_bot" : user.login }
  }),
  bitbucket: ({ body, deleted = false, id, user }) => ({
    id,
    deleted,
    content: { raw: deleted ? "" : body },
    user: { type: user.type === "Bot" ? "app_user" : "user", uuid: `{${user.login}}` }
  }),
  azure: ({ body, deleted = false, id, user }) => ({
    id,
    comments: [
      {
        id: 1,
        content: deleted ? undefined : body,
        isDeleted: deleted,
        author: { id: user.login, uniqueName: user.type === "Bot" ? String.raw`Build\0` : user.login }
      }
    ]
  })
}

const meOf = ({ login }: EmulatedComment["user"]) => ({
  login,
  username: login,
  uuid: `{${login}}`,
  authenticatedUser: { id: login }
})

/** Starts it. */
export const startComments = async (): Promise<CommentsEmulator> => {
  const comments: Array<EmulatedComment> = []
  const results: Array<CommentsEmulator["results"][number]> = []
  const checks: Array<EmulatedResult> = []
  const pulls: Array<unknown> = []
  const asked: Array<string> = []
  const refusals = new Map<string, Array<number | Refusal>>()
  let user: EmulatedComment["user"] | undefined
  let faultOf: (position: number, path: string) => Fault | undefined = () => undefined
  let before: (() => Promise<unknown>) | undefined
  let held: Array<() => void> | undefined
  let lastId = 0
  let url = ""

  const bodyOf = async (request: IncomingMessage): Promise<Sent> => Object(await json(request).catch(() => ({})))

  /** Carries a request out. */
  const carriedOut = async (request: IncomingMessage, method: string, at: URL): Promise<HttpResponse> => {
    const { pathname, searchParams } = at
    if (/\/(?:user|connectionData)$/.test(pathname))
      return user === undefined
        ? { status: 403, body: { message: "Resource not accessible by integration" } }
        : { status: 200, body: meOf(user) }
    const found = Object.entries(services).find(([, { is }]) => is(pathname))
    if (found === undefined) {
      // A webhook of a chat.
      if (!pathname.startsWith("/statuses/")) return { status: 404, body: { message: "Not Found" } }
      results.push({ path: pathname, body: await json(request) })
      return { status: 201, body: {} }
    }
    const [name, service] = found
    const show = shown[name as ServiceName]
    const refused = (message: string) => ({ status: service.status, body: { message } })
    const list = (all: ReadonlyArray<unknown>): HttpResponse => ({ status: 200, body: all })
    const sent = method === "GET" ? {} : await bodyOf(request)

    if (/\/(?:pulls|merge_requests|pullrequests)$/.test(pathname)) return list(pulls)
    if (pathname.endsWith("/iterations")) return list([{ id: 3, sourceRefCommit: { commitId: "a".repeat(40) } }])
    if (pathname.endsWith("/annotations")) {
      const [, id] = /\/check-runs\/(\d+)\//.exec(pathname) ?? []
      return list(checks.find((one) => one.id === Number(id))?.annotations ?? [])
    }
    if (method === "GET" && pathname.endsWith("/check-runs")) {
      const of = (one: EmulatedResult) =>
        one.name === searchParams.get("check_name") && pathname.includes(`/commits/${String(one.sha)}/`)
      const named = checks.filter(of)
      return list(named.map((one) => ({ id: one.id, external_id: one.externalId, conclusion: one.conclusion })))
    }
    if (/\/(?:check-runs(?:\/\d+)?|statuses(?:\/\w+)?)$/.test(pathname)) {
      const happens = before
      before = undefined
      await happens?.()
      const annotations: ReadonlyArray<unknown> = [field(sent, "output", "annotations") ?? []].flat()
      const why = refusedBy(sent, service.result)
      if (why !== undefined || annotations.length > 50) return refused(why ?? "Too many annotations")
      // A pipeline is found by its id and its reference together.
      if (sent["pipeline_id"] !== undefined && !(sent["pipeline_id"] === 998 && sent["ref"] === "feature/pay"))
        return { status: 404, body: { message: "404 Pipeline Not Found" } }
      const [, id] = /\/check-runs\/(\d+)$/.exec(pathname) ?? []
      const key = String(service.key(sent))
      const isUpdate = name === "github" ? id !== undefined : checks.some((one) => one.name === key)
      const existing = checks.find((one) => (name === "github" ? one.id === Number(id) : one.name === key))
      if (isUpdate && existing === undefined) return { status: 404, body: { message: "Not Found" } }
      results.push({ path: pathname, body: sent })
      const now = { conclusion: String(service.state(sent)), title: service.title(sent) }
      if (existing !== undefined) {
        Object.assign(existing, now, { name: key })
        existing.annotations.push(...annotations)
        return { status: 200, body: { id: existing.id } }
      }
      lastId += 1
      checks.push({
        id: lastId,
        name: key,
        externalId: sent["external_id"],
        sha: sent["head_sha"],
        ...now,
        annotations: [...annotations]
      })
      return { status: 201, body: { id: lastId } }
    }

    const [, id] = /\/(?:comments|notes|threads)\/(\d+)(?:\/comments\/1)?$/.exec(pathname) ?? []
    if (id === undefined && method === "GET") {
      const listed = structuredClone(comments)
      if (held !== undefined) await new Promise<void>((resolve) => held?.push(resolve))
      return list(listed.map(show))
    }
    const text = String(
      sent["body"] ?? field(sent, "content", "raw") ?? field(sent, "comments", 0, "content") ?? sent["content"] ?? ""
    )
    const why = refusedBy(sent, service.comment) ?? (text.length > 150_000 ? "too long" : undefined)
    if (method !== "DELETE" && why !== undefined) return refused(why)
    if (id === undefined) {
      lastId += 1
      const made = { id: lastId, body: text, user: user ?? bot }
      comments.push(made)
      return { status: 201, body: show(made) }
    }
    const index = comments.findIndex((one) => one.id === Number(id))
    const comment = comments[index]
    if (comment === undefined || comment.deleted === true) return { status: 404, body: { message: "Not Found" } }
    if (method === "DELETE") {
      if (name === "bitbucket" || name === "azure") comment.deleted = true
      else comments.splice(index, 1)
      return { status: 204 }
    }
    comment.body = text
    return { status: 200, body: show(comment) }
  }

  /** A page of a list, and where the next one is, as the service says it. */
  const paged = (all: ReadonlyArray<unknown>, at: URL) => {
    if (at.pathname.includes("/_apis/")) return { body: { value: all }, headers: {} }
    const isBitbucket = at.pathname.startsWith("/repositories/")
    const page = Number(at.searchParams.get("page") ?? 1)
    const size = Math.min(100, Number(at.searchParams.get(isBitbucket ? "pagelen" : "per_page") ?? 10))
    const listed = all.slice((page - 1) * size, page * size)
    const next = new URL(at)
    next.searchParams.set("page", String(page + 1))
    const isLast = page * size >= all.length
    if (isBitbucket) return { body: { values: listed, ...(isLast ? {} : { next: String(next) }) }, headers: {} }
    const body = at.pathname.endsWith("/check-runs") ? { total_count: all.length, check_runs: listed } : listed
    return { body, headers: isLast ? {} : { link: `<${String(next)}>; rel="next"` } }
  }

  const server = createServer(async (request, response) => {
    const at = new URL(request.url ?? "", url)
    const method = request.method ?? ""
    const position = asked.push(`${method} ${at.pathname}`) - 1
    const answer = (status: number, body?: unknown, headers: Refusal["headers"] = {}) =>
      response
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end(body === undefined ? "" : JSON.stringify(body))
    const next = at.pathname === "/user" ? undefined : refusals.get(method)?.shift()
    const refused = typeof next === "number" ? { status: next } : next
    const fault: Fault | undefined = refused ?? faultOf(position, at.pathname)
    const done: HttpResponse =
      fault === undefined || fault.isDone === true ? await carriedOut(request, method, at) : { status: 0 }
    if (fault !== undefined) {
      const { headers, message = "Resource not accessible by integration", status } = fault
      return void (status === "reset" ? request.socket.destroy() : answer(status, { message }, headers))
    }
    if (!Array.isArray(done.body)) return void answer(done.status, done.body)
    const { body, headers } = paged(done.body, at)
    answer(done.status, body, headers as Refusal["headers"])
  })
  url = `http://127.0.0.1:${await listen(server)}`
  return {
    url,
    comments,
    results,
    checks,
    beforeResult: (happens) => void (before = happens),
    pulls,
    asked,
    refuse: (method, ...refused) => void refusals.set(method, [...refused]),
    faultOf: (given) => void (faultOf = given),
    signIn: (given) => void (user = given),
    holdLists: () => {
      held = []
      return () => {
        const waiting = held ?? []
        held = undefined
        for (const go of waiting) go()
      }
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
