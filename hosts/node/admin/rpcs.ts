import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { Account } from "../../../core/model/Account.ts"
import { ApiKey, KeyId, Scope } from "../../../core/model/ApiKey.ts"
import { Unavailable } from "../../../core/model/Problem.ts"
import { OwnerName, RepoName, Repository } from "../../../core/model/Repository.ts"
import { Shared, ShareLink, ShareLinkId } from "../../../core/model/ShareLink.ts"
import { Name } from "../../../core/model/Text.ts"
import { AdministrationRefused } from "../../../core/service/Administration.ts"

const error = Schema.Union([AdministrationRefused, Unavailable])
const issued = Schema.Struct({ key: Schema.String, record: ApiKey, account: Account })
const repository = { account: Name, owner: OwnerName, repo: RepoName }
const shared = { account: Name, shared: Shared }
const life = Schema.optionalKey(Schema.DurationFromMillis)

/** `Administration`, one procedure a method: what the command line asks of a host that runs on the same data folder. */
export class AdministrationRpcs extends RpcGroup.make(
  Rpc.make("createAccount", { payload: { name: Name }, success: Account, error }),
  Rpc.make("listAccounts", { success: Schema.Array(Account), error }),
  Rpc.make("createKey", {
    payload: {
      account: Name,
      name: Name,
      scopes: Schema.NonEmptyArray(Scope),
      life
    },
    success: issued,
    error
  }),
  Rpc.make("listKeys", {
    payload: { account: Name },
    success: Schema.Struct({ account: Account, keys: Schema.Array(ApiKey) }),
    error
  }),
  Rpc.make("revokeKey", { payload: { id: KeyId }, success: Schema.Struct({ account: Account, key: ApiKey }), error }),
  Rpc.make("rotateKey", { payload: { id: KeyId, overlap: Schema.DurationFromMillis }, success: issued, error }),
  Rpc.make("linkRepository", { payload: repository, success: Repository, error }),
  Rpc.make("unlinkRepository", { payload: repository, error }),
  Rpc.make("listRepositories", { payload: { account: Name }, success: Schema.Array(Repository), error }),
  Rpc.make("createShareLink", {
    payload: { ...shared, life },
    success: Schema.Struct({ account: Account, link: ShareLink, url: Schema.String }),
    error
  }),
  Rpc.make("listShareLinks", {
    payload: shared,
    success: Schema.Struct({ account: Account, links: Schema.Array(ShareLink) }),
    error
  }),
  Rpc.make("revokeShareLink", {
    payload: { ...shared, id: ShareLinkId },
    success: Schema.Struct({ account: Account, link: ShareLink }),
    error
  }),
  Rpc.make("usage", {
    payload: { account: Name },
    success: Schema.Struct({
      account: Account,
      months: Schema.Array(Schema.Struct({ month: Schema.String, billedTestRuns: Schema.Int }))
    }),
    error
  })
) {}
