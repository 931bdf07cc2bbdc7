import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { Scope } from "../../model/ApiKey.ts"
import { Authentication, RequiredScopes } from "./Authentication.ts"
import { Negotiation } from "./Negotiation.ts"
import { Refusals } from "./Refusals.ts"

/**
 * A group whose endpoints admit a key with these scopes, or any key, and nobody else. Handlers get their caller by this alone, so an
 * endpoint without scopes does not compile.
 */
export const protect = <Id extends string, Endpoints extends HttpApiEndpoint.Constraint, TopLevel extends boolean>(
  scopes: readonly [Scope, ...ReadonlyArray<Scope>] | "any key",
  group: HttpApiGroup.HttpApiGroup<Id, Endpoints, TopLevel>
) =>
  group
    .middleware(Negotiation)
    .middleware(Authentication)
    .middleware(Refusals)
    .annotate(RequiredScopes, scopes === "any key" ? [] : scopes)
