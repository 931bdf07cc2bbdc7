/** The optional peers of this package, as `npm i` takes them: what is tested is these versions. */

/** Speaks PostgreSQL's protocol: `adapters/postgres`. */
export const driver = ["@effect/sql-pg@4.0.5"]
/** S3's requests, credentials and signatures: `adapters/s3`. */
export const sdk = ["@aws-sdk/client-s3@3.1169.0", "@aws-sdk/s3-request-presigner@3.1162.0"]
/** Asks an OpenID Connect provider: `hosts/node` with one. */
export const oidcClient = ["openid-client@6.8.9"]
/** Verifies identity tokens: `hosts/node`, where a repository's CI is trusted. */
export const tokenVerifier = ["jose@6.2.17"]
/** HTTP servers, sockets and HTTP clients on Node: `hosts/node`. */
export const platform = ["@effect/platform-node@4.1.0"]
