import { Schema } from "effect"
import { AccountId } from "./Account.ts"
import { Name } from "./Text.ts"

export const RepositoryId = Schema.String.pipe(Schema.brand("RepositoryId"))
export type RepositoryId = typeof RepositoryId.Type

/** The owner of a repository; may hold slashes (`group/subgroup`). */
export const OwnerName = Name

/** The URL of a repository on GitHub, GitLab, Bitbucket or a server like these, without a slash at the end. */
export const WebUrl = Schema.String.check(
  Schema.isMaxLength(1024),
  Schema.isPattern(/^https?:\/\/[^\s/?#]+(?:\/[^\s/?#]+)+$/u, {
    message: "must be the URL of a repository without a slash at the end, such as https://github.com/acme/app"
  })
)

/** The name of a repository, without a slash. */
export const RepoName = Name.check(Schema.isPattern(/^[^/]+$/u, { message: "must not contain a slash" }))

/**
 * Why no code host has a repository of this name; `undefined` if one can. GitHub, GitLab, Bitbucket and Azure DevOps differ: GitLab
 * has groups in groups, Bitbucket has `~user`, and Azure DevOps allows spaces and letters of any language.
 */
export const impossibleName = ({ owner, repo }: RepositoryKey): string | undefined => {
  const parts = [...owner.split("/"), repo]
  if (parts.some((part) => part === "")) return "a part of the name is empty"
  if (parts.some((part) => /^\.+$/.test(part))) return "a part of the name consists of dots"
  if (parts.some((part) => part !== part.trim())) return "a part of the name begins or ends with a space"
  if (parts.some((part) => part.length > 255)) return "a part of the name has more than 255 characters"
  if (/\.git$/i.test(repo)) return "the name ends with .git; write it without that"
  const [character] = /[\\:*?"<>|;#$%{},=[\]`\p{C}]|(?! )\p{Z}/u.exec(owner + repo) ?? []
  return character === undefined ? undefined : `the name contains ${JSON.stringify(character)}`
}

/**
 * A repository linked to an account. Owner and repo are compared without regard to case and keep the case in which they were
 * linked. A repository is linked to at most one account.
 */
export const Repository = Schema.Struct({
  id: RepositoryId,
  accountId: AccountId,
  owner: OwnerName,
  repo: RepoName,
  linkedAt: Schema.DateTimeUtcFromString,
  /** The branch that its pages begin with; `main`, `master` or that with the most CI runs unless it is set. */
  defaultBranch: Schema.optionalKey(Name),
  /** Where people see its commits, such as `https://github.com/acme/app`; pages link there. */
  webUrl: Schema.optionalKey(WebUrl)
})
export type Repository = typeof Repository.Type

/** What is set for a link. Without a value, it isn't set. */
export type RepositorySettings = Pick<Repository, "defaultBranch" | "webUrl">

/** The identity of a repository, without regard to case. */
export interface RepositoryKey {
  readonly owner: string
  readonly repo: string
}

/** The form in which owner and repo are compared and stored for look-up. */
export const repositoryKey = (owner: string, repo: string): RepositoryKey => ({
  owner: owner.toLowerCase(),
  repo: repo.toLowerCase()
})
