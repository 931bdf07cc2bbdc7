import { DateTime, Effect, Option } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import {
  impossibleName,
  repositoryKey,
  RepositoryId,
  type Repository,
  type RepositorySettings
} from "../../model/Repository.ts"
import type { RepositoryTrust } from "../../model/RepositoryTrust.ts"
import { withoutUndefined } from "../../model/withoutUndefined.ts"
import { RepositoryStore } from "../../ports/RepositoryStore.ts"
import { TrustStore } from "../../ports/TrustStore.ts"
import { changesText } from "../../rules/audit.ts"
import { conditionsOf } from "../../rules/trusts.ts"
import { makeAuditing } from "../auditing.ts"
import { makeAccountNamed } from "./accountNamed.ts"
import { ofRepository } from "../auditSubjects.ts"
import type { Commands } from "./Commands.ts"
import { distinctScopes } from "./distinctScopes.ts"
import { refuse } from "./refuse.ts"

/** Repositories: whose they are, and whose tokens their CI may exchange for keys. */
export const makeRepositoryCommands = Effect.gen(function* () {
  const repositories = yield* RepositoryStore
  const trusts = yield* TrustStore
  const random = yield* SecureRandom
  const accountNamed = yield* makeAccountNamed
  const auditing = yield* makeAuditing

  /** A repository, linked to any account, and its trust in the issuer. */
  const linked = Effect.fnUntraced(function* (
    { owner, repo }: { readonly owner: string; readonly repo: string },
    issuer: string
  ) {
    const found = yield* trusts.find(repositoryKey(owner, repo), issuer)
    return Option.isSome(found)
      ? found.value
      : yield* refuse(
          `${owner}/${repo} is not linked to an account; link it first: slipway repo link ${owner}/${repo} --account NAME`
        )
  })

  /** The link of a repository; refused if there is none. */
  const linkOf = Effect.fnUntraced(function* (params: { account: string; owner: string; repo: string }) {
    const { id } = yield* accountNamed(params.account)
    const found = yield* repositories.find(id, repositoryKey(params.owner, params.repo))
    return Option.isSome(found)
      ? found.value
      : yield* refuse(`${params.owner}/${params.repo} is not linked to ${params.account}.`)
  })

  /** Changes the settings of a link that are given, where `null` unsets one, and answers the link then. */
  const configured = Effect.fnUntraced(function* (
    { defaultBranch, webUrl, ...link }: Repository,
    given: { readonly [Name in keyof RepositorySettings]?: RepositorySettings[Name] | null | undefined }
  ) {
    const before = withoutUndefined({ defaultBranch, webUrl })
    const after: RepositorySettings = withoutUndefined({
      defaultBranch: given.defaultBranch === undefined ? defaultBranch : (given.defaultBranch ?? undefined),
      webUrl: given.webUrl === undefined ? webUrl : (given.webUrl ?? undefined)
    })
    const changes = changesText(before, after)
    if (changes !== "") {
      yield* auditing(
        ofRepository("repository.changed", link, yield* DateTime.now, changes),
        repositories.configure(link.accountId, repositoryKey(link.owner, link.repo), after),
        (isLinked) => isLinked
      )
    }
    return { ...link, ...after }
  })

  const commands: Commands<
    | "linkRepository"
    | "configureRepository"
    | "unlinkRepository"
    | "listRepositories"
    | "trustRepository"
    | "untrustRepository"
    | "listTrusts"
  > = {
    linkRepository: Effect.fn("Administration.linkRepository")(function* (params) {
      const account = yield* accountNamed(params.account)
      const repository: Repository = {
        id: RepositoryId.make(yield* random.uuidV7()),
        accountId: account.id,
        owner: params.owner,
        repo: params.repo,
        linkedAt: yield* DateTime.now,
        ...withoutUndefined({ defaultBranch: params.defaultBranch, webUrl: params.webUrl })
      }
      const before = yield* repositories.find(account.id, repositoryKey(params.owner, params.repo))
      const reason = Option.isNone(before) ? impossibleName(params) : undefined
      if (reason !== undefined) {
        return yield* refuse(`${params.owner}/${params.repo} can't be linked, because no code host has it: ${reason}.`)
      }
      const linked = auditing(
        ofRepository("repository.linked", repository, repository.linkedAt),
        repositories.link(repository),
        () => Option.isNone(before)
      )
      const link = yield* Effect.catchTag(linked, "LinkedElsewhere", () =>
        refuse(`${params.owner}/${params.repo} is linked to another account; unlink it there first.`)
      )
      return yield* configured(link, params)
    }),

    configureRepository: Effect.fn("Administration.configureRepository")(function* (params) {
      return yield* configured(yield* linkOf(params), params)
    }),

    unlinkRepository: Effect.fn("Administration.unlinkRepository")(function* (params) {
      const account = yield* accountNamed(params.account)
      const key = repositoryKey(params.owner, params.repo)
      const isUnlinked = yield* auditing(
        ofRepository("repository.unlinked", { ...params, accountId: account.id }, yield* DateTime.now),
        repositories.unlink(account.id, key),
        (wasLinked) => wasLinked
      )
      if (!isUnlinked) {
        return yield* refuse(`${params.owner}/${params.repo} is not linked to ${params.account}.`)
      }
    }),

    listRepositories: Effect.fn("Administration.listRepositories")(function* ({ account }) {
      return yield* repositories.list((yield* accountNamed(account)).id)
    }),

    trustRepository: Effect.fn("Administration.trustRepository")(function* (params) {
      const { conditions = {}, issuer, pinned, scopes, ...named } = params
      const { account, repository } = yield* linked(named, issuer)
      const trust: RepositoryTrust = {
        repositoryId: repository.id,
        accountId: account.id,
        issuer,
        scopes: distinctScopes(scopes),
        ...(Object.keys(conditions).length === 0 ? {} : { conditions }),
        ...(pinned === undefined ? {} : { pinned }),
        createdAt: yield* DateTime.now
      }
      const detail = `${issuer}: ${[trust.scopes.join(" "), ...conditionsOf(trust)].join(", ")}`.slice(0, 1024)
      const stored = yield* auditing(
        { ...ofRepository("trust.created", repository, trust.createdAt), detail },
        trusts.trust(trust)
      )
      return { trust: stored, repository, account }
    }),

    untrustRepository: Effect.fn("Administration.untrustRepository")(function* ({ issuer, ...named }) {
      const { account, repository, trust } = yield* linked(named, issuer)
      const ended = auditing(
        { ...ofRepository("trust.ended", repository, yield* DateTime.now), detail: issuer },
        trusts.untrust(repository.id, issuer),
        (wasTrusted) => wasTrusted
      )
      if (Option.isNone(trust) || !(yield* ended)) {
        return yield* refuse(`${named.owner}/${named.repo} trusts no tokens of ${issuer}.`)
      }
      return { trust: trust.value, repository, account }
    }),

    listTrusts: Effect.fn("Administration.listTrusts")(function* (params) {
      const account = yield* accountNamed(params.account)
      const found = yield* trusts.list(account.id)
      return found.map((one) => ({ ...one, account }))
    })
  }
  return commands
})
