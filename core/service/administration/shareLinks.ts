import { Effect } from "effect"
import { type Resource, nameOfResource } from "../../model/Resource.ts"
import type { ShareLink, ShareLinkId } from "../../model/ShareLink.ts"
import { shareUrl } from "../../rules/shareLinks.ts"
import { Settings } from "../Settings.ts"
import { ShareLinks } from "../ShareLinks.ts"
import { makeAccountNamed } from "./accountNamed.ts"
import type { Commands } from "./Commands.ts"
import { refuse } from "./refuse.ts"

interface OfAccount {
  readonly account: string
  readonly shared: Resource
}

const refuseResource = ({ account, shared }: OfAccount) =>
  refuse(
    `${account} has no ${nameOfResource(shared)}${"run" in shared ? " in a repository that is linked to it" : ""}.`
  )

/** Links that open a preview or a run without a key. */
export const makeShareLinkCommands = Effect.gen(function* () {
  const shareLinks = yield* ShareLinks
  const { viewerUrl } = yield* Settings
  const accountNamed = yield* makeAccountNamed

  const commands: Commands<"createShareLink" | "listShareLinks" | "revokeShareLink"> = {
    createShareLink: Effect.fn("Administration.createShareLink")(function* (params) {
      const account = yield* accountNamed(params.account)
      const { link, secret } = yield* Effect.catchTags(shareLinks.create({ account }, params.shared, params.life), {
        NotFound: () => refuseResource(params),
        PreviewNotReady: ({ detail }) => refuse(detail)
      })
      return { account, link, url: shareUrl(viewerUrl, secret) }
    }),

    listShareLinks: Effect.fn("Administration.listShareLinks")(function* (params) {
      const account = yield* accountNamed(params.account)
      const links: Array<ShareLink> = []
      let after: ShareLinkId | undefined
      do {
        const page = yield* Effect.catchTag(shareLinks.list({ account }, params.shared, after), "NotFound", () =>
          refuseResource(params)
        )
        links.push(...page.links)
        after = page.next
      } while (after !== undefined)
      return { account, links }
    }),

    revokeShareLink: Effect.fn("Administration.revokeShareLink")(function* (params) {
      const account = yield* accountNamed(params.account)
      const link = yield* Effect.catchTag(shareLinks.revoke({ account }, params.shared, params.id), "NotFound", () =>
        refuse(`${params.account} has no share link ${params.id} to the ${nameOfResource(params.shared)}.`)
      )
      return { account, link }
    })
  }
  return commands
})
