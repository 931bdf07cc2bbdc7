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
    createShareLink: Effect.fn("Administration.createShareLink")(function* (order) {
      const account = yield* accountNamed(order.account)
      const { link, secret } = yield* Effect.catchTags(shareLinks.create({ account }, order.shared, order.life), {
        NotFound: () => refuseResource(order),
        PreviewNotReady: ({ detail }) => refuse(detail)
      })
      return { account, link, url: shareUrl(viewerUrl, secret) }
    }),

    listShareLinks: Effect.fn("Administration.listShareLinks")(function* (order) {
      const account = yield* accountNamed(order.account)
      const links: Array<ShareLink> = []
      let after: ShareLinkId | undefined
      do {
        const page = yield* Effect.catchTag(shareLinks.list({ account }, order.shared, after), "NotFound", () =>
          refuseResource(order)
        )
        links.push(...page.links)
        after = page.next
      } while (after !== undefined)
      return { account, links }
    }),

    revokeShareLink: Effect.fn("Administration.revokeShareLink")(function* (order) {
      const account = yield* accountNamed(order.account)
      const link = yield* Effect.catchTag(shareLinks.revoke({ account }, order.shared, order.id), "NotFound", () =>
        refuse(`${order.account} has no share link ${order.id} to the ${nameOfResource(order.shared)}.`)
      )
      return { account, link }
    })
  }
  return commands
})
