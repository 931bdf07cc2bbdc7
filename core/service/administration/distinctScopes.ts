import type { ApiKey } from "../../model/ApiKey.ts"

/** Scopes, each once. */
export const distinctScopes = ([first, ...others]: ApiKey["scopes"]): ApiKey["scopes"] => [
  first,
  ...new Set(others.filter((scope) => scope !== first))
]
