import { Array, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import {
  ciIssuers,
  ConditionPattern,
  IssuerId,
  maxPatterns,
  TokenIssuer,
  WebUrl,
  WorkflowPattern
} from "../../../core/model/Repository.ts"
import { Name } from "../../../core/model/Text.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { conditionsOf } from "../../../core/rules/credentials.ts"
import { AdministrationRefused, type Trusted } from "../../../core/service/administrationMethods.ts"
import { account, json, repository, stores, trustedScopes } from "../parts/arguments.ts"
import { administer } from "../parts/administer.ts"
import { print, repositoryJson } from "../parts/print.ts"

const defaultBranch = Flag.String("default-branch").pipe(
  Flag.withDescription(
    "The branch that pages and comparisons begin with (main, master, or that with the most CI runs)"
  ),
  Flag.withSchema(Name),
  Flag.optional
)

const unsetDefaultBranch = Flag.Boolean("unset-default-branch").pipe(
  Flag.withDescription("Forget the default branch that was set"),
  Flag.withDefault(false)
)

const web = Flag.String("web").pipe(
  Flag.withDescription("Where its commits are seen, such as https://github.com/acme/app; pages link there"),
  Flag.withSchema(WebUrl),
  Flag.optional
)

const unsetWeb = Flag.Boolean("unset-web").pipe(
  Flag.withDescription("Forget the URL that was set with --web"),
  Flag.withDefault(false)
)

const link = Command.make(
  "link",
  { repository, account, defaultBranch, unsetDefaultBranch, web, unsetWeb, json, ...stores },
  (input) =>
    Effect.gen(function* () {
      const order = { account: input.account, ...input.repository }
      const branch = Option.getOrUndefined(input.defaultBranch)
      const webUrl = Option.getOrUndefined(input.web)
      if (webUrl !== undefined && input.unsetWeb) {
        return yield* new AdministrationRefused({ message: "Give --web or --unset-web, not both." })
      }
      if (branch !== undefined && input.unsetDefaultBranch) {
        return yield* new AdministrationRefused({
          message: "Give --default-branch or --unset-default-branch, not both."
        })
      }
      const linked = yield* administer(input, (one) =>
        input.unsetDefaultBranch || input.unsetWeb
          ? one.configureRepository({
              ...order,
              ...withoutUndefined({
                defaultBranch: input.unsetDefaultBranch ? null : branch,
                webUrl: input.unsetWeb ? null : webUrl
              })
            })
          : one.linkRepository({ ...order, ...withoutUndefined({ defaultBranch: branch, webUrl }) })
      )
      const shown = linked.defaultBranch === undefined ? "" : ` Its default branch is ${linked.defaultBranch}.`
      yield* print(input.json, repositoryJson(linked, input.account), [
        `${linked.owner}/${linked.repo} is linked to ${input.account}.${shown}`
      ])
    })
).pipe(Command.withDescription("Link a repository to an account, or change its default branch or web URL"))

const unlink = Command.make("unlink", { repository, account, json, ...stores }, (input) =>
  Effect.gen(function* () {
    const order = { account: input.account, ...input.repository }
    yield* administer(input, (one) => one.unlinkRepository(order))
    yield* print(input.json, repositoryJson(order, input.account), [
      `${order.owner}/${order.repo} is no longer linked to ${input.account}, and trusts no CI; what was uploaded for it is kept.`
    ])
  })
).pipe(Command.withDescription("End the link; uploads are kept, but nobody can see them"))

const list = Command.make("list", { account, json, ...stores }, (input) =>
  Effect.gen(function* () {
    const linked = yield* administer(input, (one) => one.listRepositories({ account: input.account }))
    yield* print(
      input.json,
      linked.map((one) => repositoryJson(one, input.account)),
      linked.map(({ defaultBranch, owner, repo, webUrl }) =>
        [
          `${owner}/${repo}`,
          ...(defaultBranch === undefined ? [] : [`default branch ${defaultBranch}`]),
          ...(webUrl === undefined ? [] : [webUrl])
        ].join("  ")
      )
    )
  })
).pipe(Command.withDescription("List an account's repositories"))

const ofCi = (flag: string, name: string) =>
  Flag.Boolean(flag).pipe(Flag.withDescription(`Tokens of ${name}`), Flag.withDefault(false))

const ci = {
  github: ofCi("github", "GitHub Actions"),
  gitlab: ofCi("gitlab", "GitLab CI/CD"),
  buildkite: ofCi("buildkite", "Buildkite; needs --repository-id and --owner-id"),
  circleci: Flag.String("circleci").pipe(
    Flag.withDescription("Tokens of CircleCI, for the organization with this id"),
    Flag.withSchema(IssuerId),
    Flag.optional
  ),
  issuer: Flag.String("issuer").pipe(
    Flag.withDescription(
      "Who signs the tokens, for your own server: https://HOST/_services/token of GitHub, https://HOST of GitLab"
    ),
    Flag.withSchema(TokenIssuer),
    Flag.optional
  )
}

interface OfCi {
  readonly github: boolean
  readonly gitlab: boolean
  readonly buildkite: boolean
  readonly circleci: Option.Option<string>
  readonly issuer: Option.Option<string>
}

/** The issuer of the one CI that the flags name. */
const issuerIn = ({ buildkite, circleci, github, gitlab, issuer }: OfCi) => {
  const [named, ...more] = [
    ...(github ? [ciIssuers.github] : []),
    ...(gitlab ? [ciIssuers.gitlab] : []),
    ...(buildkite ? [ciIssuers.buildkite] : []),
    ...Option.toArray(Option.map(circleci, ciIssuers.circleci))
  ]
  return named === undefined || more.length > 0
    ? new AdministrationRefused({
        message: "Give one of --github, --gitlab, --circleci ORGANIZATION_ID and --buildkite."
      })
    : Effect.succeed(Option.getOrElse(issuer, () => named))
}

const anyOf = (flag: string, description: string, pattern: typeof ConditionPattern) =>
  Flag.String(flag).pipe(
    Flag.withDescription(`${description}; * stands for any characters, repeat it for several (any)`),
    Flag.withSchema(pattern),
    Flag.atMost(maxPatterns),
    Flag.map((given) => (Array.isReadonlyArrayNonEmpty(given) ? given : undefined))
  )

const issuerId = (flag: string, claim: string) =>
  Flag.String(flag).pipe(
    Flag.withDescription(`Id of the ${claim} at the CI (that of the first token)`),
    Flag.withSchema(IssuerId),
    Flag.optional
  )

const conditions = {
  branches: anyOf("branch", "Only runs of this branch", ConditionPattern),
  environments: anyOf("environment", "Only jobs for this deployment environment", ConditionPattern),
  workflows: anyOf(
    "workflow",
    "Only jobs of this workflow file: OWNER/NAME/.github/workflows/FILE@REF, on GitLab HOST/OWNER/NAME//.gitlab-ci.yml@REF",
    WorkflowPattern
  ),
  pullRequestTarget: Flag.Boolean("allow-pull-request-target").pipe(
    Flag.withDescription("Also runs for pull_request_target, which a stranger's pull request causes"),
    Flag.withDefault(false)
  ),
  repositoryId: issuerId("repository-id", "repository, project or pipeline"),
  ownerId: issuerId("owner-id", "owner, group or organization")
}

const trustJson = ({ account, repository, trust }: Trusted) => ({
  ...repositoryJson(repository, account.name),
  issuer: trust.issuer,
  scopes: trust.scopes,
  ...trust.conditions,
  repositoryId: trust.pinned?.repository,
  ownerId: trust.pinned?.owner
})

const trustLine = ({ repository, trust }: Trusted) =>
  [
    `${repository.owner}/${repository.repo}`,
    trust.issuer,
    trust.scopes.join(" "),
    ...conditionsOf(trust),
    ...(trust.pinned === undefined ? ["ids pinned by the first token"] : [])
  ].join("  ")

const listTrusts = Command.make("list", { account, json, ...stores }, (input) =>
  Effect.gen(function* () {
    const all = yield* administer(input, (one) => one.listTrusts({ account: input.account }))
    yield* print(input.json, all.map(trustJson), all.map(trustLine))
  })
).pipe(Command.withDescription("List whose CI gets an account's keys by identity tokens, and on which conditions"))

const trust = Command.make(
  "trust",
  { repository, ...ci, scopes: trustedScopes, ...conditions, json, ...stores },
  (input) =>
    Effect.gen(function* () {
      const { branches, environments, ownerId, pullRequestTarget, repositoryId, scopes, workflows } = input
      const issuer = yield* issuerIn(input)
      const lacking = [
        ...(environments === undefined ? [] : ["--environment"]),
        ...(workflows === undefined ? [] : ["--workflow"])
      ]
      if ((input.buildkite || Option.isSome(input.circleci)) && lacking.length > 0) {
        return yield* new AdministrationRefused({
          message: `Tokens of CircleCI and Buildkite have no environment and no workflow file: leave out ${lacking.join(" and ")}.`
        })
      }
      if (input.buildkite && Option.isNone(repositoryId)) {
        return yield* new AdministrationRefused({
          message:
            "Buildkite's tokens don't have the repository. Give the pipeline: --repository-id PIPELINE_ID --owner-id ORGANIZATION_ID, which a job has as BUILDKITE_PIPELINE_ID and BUILDKITE_ORGANIZATION_ID."
        })
      }
      if (Option.isSome(repositoryId) !== Option.isSome(ownerId)) {
        return yield* new AdministrationRefused({ message: "--repository-id and --owner-id go together." })
      }
      const order = {
        ...input.repository,
        issuer,
        scopes,
        conditions: {
          ...withoutUndefined({ branches, environments, workflows }),
          ...(pullRequestTarget ? { pullRequestTarget } : {})
        },
        ...Option.match(Option.all({ repository: repositoryId, owner: ownerId }), {
          onNone: () => ({}),
          onSome: (pinned) => ({ pinned })
        })
      }
      const trusted = yield* administer(input, (one) => one.trustRepository(order))
      const { owner, repo } = trusted.repository
      const what = [scopes.join(", "), ...conditionsOf(trusted.trust)].join("; ")
      yield* print(input.json, trustJson(trusted), [
        `CI of ${owner}/${repo} gets keys of ${trusted.account.name} for 15 minutes: ${what}.`
      ])
    })
).pipe(
  Command.withDescription("Let a repository's CI get short-lived keys by its identity token, without a secret"),
  Command.withSubcommands([listTrusts])
)

const untrust = Command.make("untrust", { repository, ...ci, json, ...stores }, (input) =>
  Effect.gen(function* () {
    const order = { ...input.repository, issuer: yield* issuerIn(input) }
    const ended = yield* administer(input, (one) => one.untrustRepository(order))
    yield* print(input.json, trustJson(ended), [
      `CI of ${order.owner}/${order.repo} gets no more keys by tokens of ${order.issuer}.`
    ])
  })
).pipe(Command.withDescription("End that"))

export const repo = Command.make("repo").pipe(
  Command.withDescription("Repositories and the accounts they are linked to"),
  Command.withSubcommands([link, unlink, list, trust, untrust])
)
