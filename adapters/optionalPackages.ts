import { Effect } from "effect"

/** The optional peers of this package, as `npm i` takes them: what is tested is these versions. */

/** Speaks PostgreSQL's protocol: `adapters/postgres`. */
export const driver = ["@effect/sql-pg@4.0.5"]
/** S3's requests, credentials and signatures: `adapters/s3`. */
export const sdk = ["@aws-sdk/client-s3@3.1169.0", "@aws-sdk/s3-request-presigner@3.1162.0"]
/** Asks an OpenID Connect provider: `hosts/node` with one. */
export const oidcClient = ["openid-client@6.8.9"]
/** Verifies identity tokens: `hosts/node`, where a repository's CI is trusted. */
export const tokenVerifier = ["jose@6.2.17"]
/** Speaks the Model Context Protocol: `hosts/node`, where an agent asks `/mcp`. */
export const agentProtocol = ["@modelcontextprotocol/server@2.4.0"]
/** HTTP servers, sockets and HTTP clients on Node: `hosts/node`. */
export const platform = ["@effect/platform-node@4.1.0"]

/**
 * Loads a module that imports packages which only some projects install: the optional peers of this package. The error for
 * an absent one names the command that installs them. `packages` are their names with versions.
 */
export const loadOptional = <A>(packages: ReadonlyArray<string>, load: () => Promise<A>): Effect.Effect<A> =>
  Effect.promise(() =>
    load().catch((cause: unknown) => {
      const isAbsent = packages.some((one) => String(cause).includes(one.slice(0, one.lastIndexOf("@"))))
      if (!isAbsent) throw cause
      throw new Error(`This needs a package that is not installed; this installs it: npm i ${packages.join(" ")}`, {
        cause
      })
    })
  )
