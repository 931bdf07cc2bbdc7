import { Schema } from "effect"
import { AccountId } from "./Account.ts"
import { Name, text } from "./Text.ts"
import { Scope } from "./ApiKey.ts"

/** The id of a repository link. */
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

/** An issuer of identity tokens: an https URL without a slash at its end (http on localhost alone). */
export const TokenIssuer = Schema.String.check(
  Schema.isMaxLength(512, { message: "must be at most 512 characters" }),
  Schema.makeFilter(
    (value: string) =>
      (URL.canParse(value) &&
        /^(?:https:\/\/[^/?#@\s]+|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?)(?:\/[\x21-\x7e]*[^/])?$/.test(
          value
        ) &&
        !/[?#]/.test(value)) ||
      "must be an https URL without a slash at its end (http on localhost alone)"
  )
)

/** The issuers of the identity tokens of CI systems; that of CircleCI has the id of an organization. */
export const ciIssuers = {
  github: "https://token.actions.githubusercontent.com",
  gitlab: "https://gitlab.com",
  buildkite: "https://agent.buildkite.com",
  circleci: (organization: string) => `https://oidc.circleci.com/org/${organization}`
}

/** An id that an issuer gives a repository (on Buildkite a pipeline) or its owner. It doesn't change when another owner gets the name. */
export const IssuerId = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9-]{1,64}$/u, { message: "must be an id of 1 to 64 letters, digits and hyphens" })
)

/** The issuer's ids of a repository and its owner. */
export const PinnedIds = Schema.Struct({ repository: IssuerId, owner: IssuerId })
export type PinnedIds = typeof PinnedIds.Type

/** The CI run of a verified identity token. Absent claims are absent fields. */
export interface WorkflowRun {
  readonly ids: PinnedIds
  /** The Git reference, such as `refs/heads/main`. */
  readonly ref?: string | undefined
  /** The deployment environment of the job. */
  readonly environment?: string | undefined
  /** The workflow file of the job and its reference. */
  readonly workflow?: string | undefined
  /** What caused the run, such as `push` or `pull_request`. */
  readonly event?: string | undefined
}

/** A text in which `*` matches any characters. */
export const ConditionPattern = text(512)

/** The pattern of a workflow file at a Git reference, as GitHub's `job_workflow_ref` and GitLab's `ci_config_ref_uri` have it. */
export const WorkflowPattern = ConditionPattern.check(
  Schema.isPattern(/^[^@]+@[^@]+$/u, {
    message: "must be the path of a workflow file and a reference, such as OWNER/NAME/.github/workflows/FILE@REF"
  })
)

/** The maximum number of patterns in a list of conditions. */
export const maxPatterns = 20

const anyOf = (pattern: typeof ConditionPattern) =>
  Schema.optionalKey(
    Schema.NonEmptyArray(pattern).check(
      Schema.isMaxLength(maxPatterns, { message: `must be at most ${maxPatterns} patterns` })
    )
  )

/**
 * The CI runs of a repository that a trust covers: those that match one pattern of each given list. `branches` are compared with
 * the branch of the run, so that runs for pull requests and tags don't match; `environments` with the deployment environment of
 * the job; `workflows` with the workflow file of the job and its reference. Tokens of some CI systems lack some of them. Anyone can trigger the event `pull_request_target`, so
 * its runs are covered only with `pullRequestTarget`.
 */
export const TrustConditions = Schema.Struct({
  branches: anyOf(ConditionPattern),
  environments: anyOf(ConditionPattern),
  workflows: anyOf(WorkflowPattern),
  pullRequestTarget: Schema.optionalKey(Schema.Literal(true))
})
export type TrustConditions = typeof TrustConditions.Type

/**
 * Allows a linked repository's CI to exchange identity tokens of an issuer for keys of its account, with these scopes, in runs that
 * match the conditions. `pinned` are the ids that the tokens must have; if absent, the ids of the first token are pinned.
 *
 * @see docs/ci-without-a-secret.md
 */
export const RepositoryTrust = Schema.Struct({
  repositoryId: RepositoryId,
  accountId: AccountId,
  issuer: TokenIssuer,
  scopes: Schema.NonEmptyArray(Scope),
  conditions: Schema.optionalKey(TrustConditions),
  pinned: Schema.optionalKey(PinnedIds),
  createdAt: Schema.DateTimeUtcFromString
})
export type RepositoryTrust = typeof RepositoryTrust.Type
