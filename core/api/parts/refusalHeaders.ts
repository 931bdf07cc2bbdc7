/** The headers that refusals have in the OpenAPI document, besides their body. @see docs/interface.md#7 */
import type { OpenApi } from "effect/http-api"

const seconds = { type: "string", pattern: "^[0-9]+$" }

const retryAfter = { description: "After how many seconds to ask again.", required: true, schema: seconds }

const challenge = (required: boolean) => ({
  description: "`Bearer`, and the scope that a key lacks.",
  required,
  schema: { type: "string", pattern: "^Bearer" }
})

const byStatus: Readonly<Record<string, Readonly<Record<string, OpenApi.OpenAPISpecHeader>>>> = {
  401: { "www-authenticate": challenge(true) },
  // A quota that is used up has none.
  403: { "www-authenticate": challenge(false) },
  429: {
    "retry-after": retryAfter,
    ratelimit: {
      description: "The remaining requests, `r`, of the limit that was reached, and the seconds until it resets, `t`.",
      required: true,
      schema: { type: "string", pattern: '^"[^"]+";r=0;t=[0-9]+$' }
    },
    "ratelimit-policy": {
      description: "The limit that was met: how many, `q`, in a window of so many seconds, `w`, where it has one.",
      required: true,
      schema: { type: "string", pattern: '^"[^"]+";q=[0-9]+(?:;w=[0-9]+)?$' }
    }
  },
  503: { "retry-after": retryAfter }
}

/** The paths of the document, with the headers of refusals. */
export const withRefusalHeaders = (paths: OpenApi.OpenAPISpecPaths): OpenApi.OpenAPISpecPaths => {
  const declared = structuredClone(paths)
  for (const path of Object.values(declared)) {
    for (const method of ["get", "put", "post", "delete"] as const) {
      for (const [status, response] of Object.entries(path[method]?.responses ?? {})) {
        const headers = byStatus[status]
        if (headers !== undefined) response.headers = { ...response.headers, ...headers }
      }
    }
  }
  return declared
}
