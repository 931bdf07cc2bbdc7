/** The parts of the APIs of GitHub, GitLab and Bitbucket that reports need, over real HTTP. */
import { createServer, type IncomingMessage } from "node:http"
import { json } from "node:stream/consumers"
import { listen } from "../../client/testing/listen.ts"

export interface EmulatedComment {
  readonly id: number
  body: string
  /** On Bitbucket, where it stays in the list. */
  deleted?: boolean
  /** On GitHub. */
  readonly user?: { readonly login: string; readonly type: string }
  /** On GitLab. */
  readonly author?: { readonly username: string }
}

/** A refusal: its status, and how GitHub words it. */
export interface Refusal {
  readonly status: number
  readonly message?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface CommentsEmulator {
  readonly url: string
  readonly comments: Array<EmulatedComment>
  /** The results of commits, and their paths. */
  readonly results: ReadonlyArray<{ readonly path: string; readonly body: unknown }>
  /** Happens before the next result is accepted. */
  readonly beforeResult: (happens: () => Promise<unknown>) => void
  /** The pull requests of every commit. */
  readonly pulls: Array<unknown>
  /** Methods and paths of the requests. */
  readonly asked: ReadonlyArray<string>
  /** How the next requests of a method are refused. */
  readonly refuse: (method: string, ...refusals: ReadonlyArray<number | Refusal>) => void
  /** Until the function is called, lists are answered as they were when they were asked for. */
  readonly holdLists: () => () => void
  readonly close: () => void
}

const bot = { user: { login: "github-actions[bot]", type: "Bot" }, author: { username: "project_1_bot" } }

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const sent = Object(await json(request))
  return String(sent.body ?? sent.content?.raw ?? "")
}

/** A comment as Bitbucket has it. */
const asOnBitbucket = ({ body, deleted = false, id }: EmulatedComment) => ({
  id,
  deleted,
  content: { raw: deleted ? "" : body },
  user: { type: "app_user", uuid: "{0}" }
})

/** Starts it. The token is that of a workflow's bot, which can't read its own identity. */
export const startComments = async (): Promise<CommentsEmulator> => {
  const comments: Array<EmulatedComment> = []
  const results: Array<CommentsEmulator["results"][number]> = []
  const pulls: Array<unknown> = []
  const asked: Array<string> = []
  const refusals = new Map<string, Array<number | Refusal>>()
  let before: (() => Promise<unknown>) | undefined
  let held: Array<() => void> | undefined
  let lastId = 0

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost")
    const method = request.method ?? ""
    asked.push(`${method} ${pathname}`)
    const answer = (status: number, body?: unknown, headers: Refusal["headers"] = {}) =>
      response
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end(body === undefined ? "" : JSON.stringify(body))
    const refused = pathname === "/user" ? 403 : refusals.get(method)?.shift()
    if (refused !== undefined) {
      const { headers, message, status } = typeof refused === "number" ? { status: refused } : refused
      return void answer(status, { message: message ?? "Resource not accessible by integration" }, headers)
    }
    const isBitbucket = pathname.startsWith("/repositories/")
    if (/\/(?:pulls|commits\/[^/]+\/merge_requests)$/.test(pathname)) return void answer(200, pulls)
    if (/\/commit\/[^/]+\/pullrequests$/.test(pathname)) return void answer(200, { values: pulls })
    if (/\/(?:check-runs|statuses\/\w+)$/.test(pathname)) {
      const happens = before
      before = undefined
      await happens?.()
      results.push({ path: pathname, body: await json(request) })
      return void answer(201, {})
    }
    const [, id] = /\/(?:comments|notes)\/(\d+)$/.exec(pathname) ?? []
    if (id === undefined && method === "GET") {
      const page = Number(searchParams.get("page") ?? 1)
      const size = Number(searchParams.get(isBitbucket ? "pagelen" : "per_page") ?? 10)
      const listed = structuredClone(comments.slice((page - 1) * size, page * size))
      if (held !== undefined) await new Promise<void>((resolve) => held?.push(resolve))
      return void answer(200, isBitbucket ? { values: listed.map(asOnBitbucket) } : listed)
    }
    if (id === undefined) {
      lastId += 1
      const made = { id: lastId, body: await bodyOf(request), ...bot }
      comments.push(made)
      return void answer(201, isBitbucket ? asOnBitbucket(made) : made)
    }
    const index = comments.findIndex((one) => one.id === Number(id))
    const comment = comments[index]
    if (comment === undefined || comment.deleted === true) return void answer(404, { message: "Not Found" })
    if (method === "DELETE") {
      if (isBitbucket) comment.deleted = true
      else comments.splice(index, 1)
      return void answer(204)
    }
    comment.body = await bodyOf(request)
    answer(200, isBitbucket ? asOnBitbucket(comment) : comment)
  })
  const url = await listen(server)
  return {
    url,
    comments,
    results,
    beforeResult: (happens) => void (before = happens),
    pulls,
    asked,
    refuse: (method, ...refused) => void refusals.set(method, [...refused]),
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
