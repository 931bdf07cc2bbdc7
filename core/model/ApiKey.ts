import { Context, Schema } from "effect"
import { AccountId, type Account } from "./Account.ts"
import { Name, text } from "./Text.ts"

/**
 * The permissions of a key: one scope per endpoint group; `quarantine`, with which tests are quarantined; `delete`, which a deletion requires in addition to its group's; and
 * `account_admin`, with which an owner of the account administers it on its pages.
 *
 * @see docs/interface.md#5
 */
export const Scope = Schema.Literals(["builds", "preview_upload", "test_runs", "quarantine", "delete", "account_admin"])
export type Scope = typeof Scope.Type

/** The id of an API key. It is not a secret. */
export const KeyId = Schema.String.pipe(Schema.brand("KeyId"))
export type KeyId = typeof KeyId.Type

/**
 * The record of an API key. The key itself is shown once and never stored: `hash` is its SHA-256, lower-case hex.
 */
export const ApiKey = Schema.Struct({
  id: KeyId,
  accountId: AccountId,
  name: Name,
  hash: Schema.String,
  scopes: Schema.NonEmptyArray(Scope),
  createdAt: Schema.DateTimeUtcFromString,
  expiresAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  revokedAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  lastUsedAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
})
export type ApiKey = typeof ApiKey.Type

/** Repositories: a list of `owner/repo`, in either case, or a function that answers whether one is meant. */
export type RepositorySelection =
  | ReadonlyArray<string>
  | ((repository: { readonly owner: string; readonly repo: string }) => boolean)

/** Which repositories of its account a caller sees, and which of these it may change. */
export interface RepositoryAccess {
  readonly sees: (repository: { readonly owner: string; readonly repo: string }) => boolean
  readonly mayChange: (repository: { readonly owner: string; readonly repo: string }) => boolean
}

/**
 * The account of a request, and the scopes of its key. A caller that the host authenticated by other means has no key.
 *
 * @see docs/interface.md#5
 */
export class Principal extends Context.Service<
  Principal,
  {
    /** With `repositories`, the caller sees nothing else of the account than what belongs to them. */
    readonly account: Pick<Account, "id" | "name"> & { readonly repositories?: RepositoryAccess }
    readonly keyId?: KeyId
    readonly scopes: ReadonlyArray<Scope>
  }
>()("slipway/core/model/Principal") {}

/** The caller of a request: the account, the key if one was presented, and the scopes. */
export type Caller = Principal["Service"]

/** The caller of a request with an API key. */
export type KeyCaller = Caller & { readonly keyId: KeyId }

/** The caller of a request, as authenticated by the host itself. */
export interface ExternalIdentity {
  /** The name of an account that exists. */
  readonly account: string
  /** The granted scopes. Texts that are not a `Scope` are ignored, so OAuth scopes may be included. */
  readonly scopes: ReadonlyArray<string>
  /**
   * The only repositories that the caller sees; those of the account by default. It then sees nothing that belongs to no repository,
   * and does not have the scope `account_admin`: it makes no keys, which would see more.
   */
  readonly repositories?: RepositorySelection | undefined
  /** Those of `repositories` that the caller may change; all of them by default. */
  readonly writableRepositories?: RepositorySelection | undefined
}

/** The caller of a read. Only the account matters: it sees its own resources, or those of its repositories. */
export type Reader = { readonly account: Pick<Caller["account"], "id" | "repositories"> }

/** Ids sort by the time at which the session began (UUID version 7). */
export const SessionId = Schema.String.pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

/** The source of a sign-in. Unknown fields are absent. */
export const SessionSource = Schema.Struct({
  /** The address of the peer, as the host saw it: behind a proxy, the proxy's. */
  address: Schema.optionalKey(text(64)),
  /** The `User-Agent` of the browser. */
  userAgent: Schema.optionalKey(text(512))
})
export type SessionSource = typeof SessionSource.Type

/**
 * A person signed in to the viewer with a key, in one browser. The secret in the browser's cookie is never stored; `secretHash` is
 * its SHA-256, lower-case hex. A session is deleted when it is ended.
 */
export const Session = Schema.Struct({
  id: SessionId,
  keyId: KeyId,
  secretHash: Schema.String,
  createdAt: Schema.DateTimeUtcFromString,
  expiresAt: Schema.DateTimeUtcFromString,
  ...SessionSource.fields
})
export type Session = typeof Session.Type
