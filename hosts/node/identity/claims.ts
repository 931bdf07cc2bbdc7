/** What the identity tokens of each CI prove of a run, by the claims that the documentation of the CI lists. */
import { Effect, Schema } from "effect"
import { IssuerId } from "../../../core/model/Repository.ts"
import { TokenRefused, type ProvenIdentity } from "../../../core/ports/HostServices.ts"

/** What a token proves beyond its issuer and its end. */
type Proof = Omit<ProvenIdentity, "issuer" | "endsAt">

type Prove = (payload: object, issuer: string) => Effect.Effect<Proof, Schema.SchemaError>

const optional = Schema.optionalKey(Schema.String)

const githubClaims = Schema.decodeUnknownEffect(
  Schema.Struct({
    jti: Schema.NonEmptyString,
    repository: Schema.String,
    repository_id: IssuerId,
    repository_owner_id: IssuerId,
    ref: optional,
    environment: optional,
    job_workflow_ref: optional,
    event_name: optional
  })
)

/** https://docs.github.com/en/actions/reference/security/oidc#oidc-token-claims */
const github: Prove = (payload) =>
  Effect.map(githubClaims(payload), (claims) => ({
    id: claims.jti,
    repository: claims.repository,
    ids: { repository: claims.repository_id, owner: claims.repository_owner_id },
    ref: claims.ref,
    environment: claims.environment,
    workflow: claims.job_workflow_ref,
    event: claims.event_name
  }))

const gitlabClaims = Schema.decodeUnknownEffect(
  Schema.Struct({
    project_path: Schema.String,
    project_id: IssuerId,
    namespace_id: IssuerId,
    ref: optional,
    ref_type: optional,
    pipeline_source: optional,
    environment: optional,
    ci_config_ref_uri: optional
  })
)

/**
 * The `ref` of a merge request's pipeline is the name of its source branch, which may be one of a fork: it is no branch of the
 * repository. All steps of a job have one token. https://docs.gitlab.com/ci/secrets/id_token_authentication/#token-payload
 */
const gitlab: Prove = (payload) =>
  Effect.map(gitlabClaims(payload), (claims) => {
    const { pipeline_source: event = "", ref, ref_type } = claims
    const kind = /merge_request|pull_request/.test(event) ? "merge-requests" : ref_type === "branch" ? "heads" : "tags"
    return {
      repository: claims.project_path,
      ids: { repository: claims.project_id, owner: claims.namespace_id },
      ref: ref && `refs/${kind}/${ref}`,
      environment: claims.environment,
      workflow: claims.ci_config_ref_uri,
      event
    }
  })

const circleciClaims = Schema.decodeUnknownEffect(
  Schema.Struct({
    organization: IssuerId,
    "oidc.circleci.com/project-id": IssuerId,
    "oidc.circleci.com/vcs-origin": Schema.String,
    "oidc.circleci.com/vcs-ref": optional
  })
)

/** The id of the organization, with which the URL of CircleCI's issuer ends. */
const organizationIn = (issuer: string): string | undefined => /\/org\/([^/]+)$/.exec(issuer)?.[1]

/** https://circleci.com/docs/guides/permissions-authentication/openid-connect-tokens/#format-of-the-openid-connect-id-token */
const circleci: Prove = (payload, issuer) =>
  Effect.map(circleciClaims({ ...payload, organization: organizationIn(issuer) }), (claims) => ({
    // `github.com/acme/app`
    repository: claims["oidc.circleci.com/vcs-origin"].replace(/^[^/]*\//, ""),
    ids: { repository: claims["oidc.circleci.com/project-id"], owner: claims.organization },
    ref: claims["oidc.circleci.com/vcs-ref"]
  }))

const buildkiteClaims = Schema.decodeUnknownEffect(
  Schema.Struct({
    pipeline_id: IssuerId,
    organization_id: IssuerId,
    build_branch: optional,
    build_tag: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
)

/** One issuer signs for all organizations, and no claim has the repository. https://buildkite.com/docs/agent/cli/reference/oidc#claims */
const buildkite: Prove = (payload) =>
  Effect.map(buildkiteClaims(payload), ({ build_branch, build_tag, organization_id, pipeline_id }) => ({
    ids: { repository: pipeline_id, owner: organization_id },
    ref: build_tag ? `refs/tags/${build_tag}` : build_branch && `refs/heads/${build_branch}`
  }))

/** Every CI but GitHub, by a claim that tokens of no other CI have. */
const others: ReadonlyArray<readonly [marker: string, name: string, prove: Prove]> = [
  ["project_path", "GitLab", gitlab],
  ["oidc.circleci.com/project-id", "CircleCI", circleci],
  ["pipeline_slug", "Buildkite", buildkite]
]

/** What the claims of a verified token prove. */
export const proofIn = (payload: object, issuer: string): Effect.Effect<Proof, TokenRefused> => {
  const [, name, prove] = others.find(([marker]) => marker in payload) ?? ["", "GitHub", github]
  return Effect.mapError(
    prove(payload, issuer),
    ({ message }) =>
      new TokenRefused({ reason: `the claims of the token of ${name} don't fit: ${message.replaceAll(/\s+/g, " ")}` })
  )
}

/** The audiences of a token for a URL. That of the variable of a CircleCI job is the id of its organization. */
export const audiencesFor = (url: string, issuer: string): ReadonlyArray<string> => {
  const organization = organizationIn(issuer)
  return [url, `${url}/`, ...(organization === undefined ? [] : [organization])]
}
