import { Schema } from "effect"
import { AccountId } from "./Account.ts"
import { Scope } from "./ApiKey.ts"
import { RepositoryId } from "./Repository.ts"

/** Who issues identity tokens: an https URL without a slash at its end (http on localhost alone). */
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

/** The issuer of the identity tokens of GitHub Actions on github.com. */
export const githubIssuer = "https://token.actions.githubusercontent.com"

/**
 * That a linked repository's CI gets keys of its account for identity tokens of an issuer, with these scopes.
 *
 * @see docs/operating.md
 */
export const RepositoryTrust = Schema.Struct({
  repositoryId: RepositoryId,
  accountId: AccountId,
  issuer: TokenIssuer,
  scopes: Schema.NonEmptyArray(Scope),
  createdAt: Schema.DateTimeUtcFromString
})
export type RepositoryTrust = typeof RepositoryTrust.Type
