import type { GroupGrant } from "../settings/oidcSettings.ts"

/** What a person may do: one account, and the scopes of all of the person's groups that lead there. */
export type Granted = Pick<GroupGrant, "account" | "scopes">

/** The account of the first grant to one of the groups, with all scopes that they give there; `undefined` without one. */
export const grantedTo = (grants: ReadonlyArray<GroupGrant>, groups: ReadonlyArray<string>): Granted | undefined => {
  const held = grants.filter(({ group }) => groups.includes(group))
  const [first] = held
  if (first === undefined) return undefined
  const others = held.filter(({ account }) => account === first.account).flatMap(({ scopes }) => scopes)
  const [scope] = first.scopes
  return { account: first.account, scopes: [scope, ...new Set(others.filter((other) => other !== scope))] }
}
