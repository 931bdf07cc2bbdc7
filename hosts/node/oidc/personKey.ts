import { DateTime, Effect } from "effect"
import type { ApiKey } from "../../../core/model/ApiKey.ts"
import { isLive } from "../../../core/rules/credentials.ts"
import { Administration } from "../../../core/service/Administration.ts"
import type { Granted } from "./groups.ts"
import type { ProvenPerson } from "./provider.ts"

/** The end of the name of a person's keys: no other person's has it, as it has no space within. */
const identityOf = ({ subject }: ProvenPerson, issuer: string) => `, ${encodeURIComponent(subject)} at ${issuer}`

const presentable = /^[\x20-\x7e]{1,100}$/

const hasScopes = (key: ApiKey, scopes: ReadonlyArray<string>) =>
  key.scopes.length === scopes.length && scopes.every((scope) => key.scopes.some((held) => held === scope))

/**
 * The key record that stands for a person in the account: there from an earlier sign-in, or new. Records of the person's
 * with other scopes or in other accounts, which former groups gave, are revoked. The key itself is forgotten here, so that
 * it opens nothing but sessions. Answers it with its account.
 */
export const personKey = Effect.fnUntraced(function* (
  person: ProvenPerson,
  granted: Granted,
  at: { readonly issuer: string; readonly accounts: ReadonlyArray<string> }
) {
  const admin = yield* Administration
  const identity = identityOf(person, at.issuer)
  const now = yield* DateTime.now
  const theirs = (keys: ReadonlyArray<ApiKey>) => keys.filter((key) => key.name.endsWith(identity) && isLive(key, now))
  const keysIn = (account: string) => Effect.map(admin.listKeys({ account }), ({ keys }) => theirs(keys))

  const { account, keys } = yield* admin.listKeys({ account: granted.account })
  const here = theirs(keys)
  const kept = here.find((key) => hasScopes(key, granted.scopes))
  const label = presentable.test(person.email ?? "") ? person.email : "somebody"
  const key = kept ?? (yield* admin.createKey({ ...granted, name: `Sign-in of ${label}${identity}` })).record

  const elsewhere = yield* Effect.forEach(
    at.accounts.filter((account) => account !== granted.account),
    // An account of the mapping that isn't there has no keys.
    (account) => Effect.catchTag(keysIn(account), "AdministrationRefused", () => Effect.succeed([]))
  )
  const former = [...here.filter(({ id }) => id !== key.id), ...elsewhere.flat()]
  yield* Effect.forEach(former, ({ id }) => admin.revokeKey({ id }), { discard: true })
  return { account, keyId: key.id }
})
