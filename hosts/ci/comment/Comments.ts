import { SlipwayError } from "../../client/SlipwayError.ts"
import { callsOf, field, type Access, type CommentRoutes } from "./codeHosts.ts"

/** A comment of a pull request, as far as it matters here. */
export interface Comment {
  readonly id: number
  readonly body: string
  /** Whether the owner of the token wrote it, as far as the service shows. */
  readonly isOwn: boolean
}

/** The comments of one pull request, or merge request. Each method rejects with a `SlipwayError`. */
export interface Comments {
  /** All of them, the oldest first. */
  readonly list: () => Promise<ReadonlyArray<Comment>>
  /** Answers its id. */
  readonly create: (body: string) => Promise<number>
  /** Answers whether it was there still. */
  readonly update: (id: number, body: string) => Promise<boolean>
  readonly remove: (id: number) => Promise<void>
}

/** As the routes ask for it. */
const pageSize = 100

/** The comments of a pull request of GitHub or Bitbucket, or a merge request of GitLab. */
export const commentsOf = (access: Access, routes: CommentRoutes, pr: number): Comments => {
  const call = callsOf(access)

  /** Who has the token, where it may ask. */
  const login = (): Promise<unknown> =>
    call("who has the token", "GET /user").then(
      (user) => field(user, routes.login),
      () => undefined
    )
  let me: Promise<unknown> | undefined

  /** Answers whether the comment is there still: another job may have deleted it. */
  const isThere = (done: Promise<unknown>): Promise<boolean> =>
    done.then(
      () => true,
      (error: unknown) => {
        if (error instanceof SlipwayError && error.status === 404) return false
        throw error
      }
    )

  return {
    list: async () => {
      const own = await (me ??= login())
      const found: Array<Comment> = []
      for (let page = 1; ; page += 1) {
        const data = routes.listed(await call("comments", routes.list, { pr, page }))
        const comments: ReadonlyArray<unknown> = Array.isArray(data) ? data : []
        for (const one of comments) {
          // Bitbucket lists what is deleted.
          if (field(one, "deleted") === true) continue
          const author = field(one, routes.author)
          const isOwn = own === undefined ? routes.isBot(author) : field(author, routes.login) === own
          found.push({ id: Number(field(one, "id")), body: String(routes.textIn(one) ?? ""), isOwn })
        }
        if (comments.length < pageSize) return found
      }
    },
    create: async (body) =>
      Number(field(await call("a new comment", routes.create, { pr, ...routes.withText(body) }), "id")),
    update: (id, body) => isThere(call("a comment", routes.update, { pr, id, ...routes.withText(body) })),
    remove: async (id) => void (await isThere(call("the deletion of a comment", routes.remove, { pr, id })))
  }
}
