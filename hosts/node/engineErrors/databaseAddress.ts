import { Redacted } from "effect"

/** The server, database and user that a PostgreSQL URL names, for people to read. It contains no password. */
export interface DatabaseAddress {
  /** Host and port, or a socket's folder. */
  readonly server: string
  readonly user: string
  readonly database: string
}

/**
 * The address in a URL, read as the PostgreSQL client reads it: the query overrides the rest, and missing parts have
 * libpq's defaults.
 */
export const databaseAddress = (url: Redacted.Redacted): DatabaseAddress => {
  const { hostname, password: _, pathname, port, searchParams, username } = new URL(Redacted.value(url))
  const user = searchParams.get("user") ?? (decodeURIComponent(username) || (process.env["USER"] ?? "nobody"))
  const host = searchParams.get("host") ?? (decodeURIComponent(hostname) || "localhost")
  return {
    server: host.startsWith("/") ? host : `${host}:${searchParams.get("port") ?? (port || "5432")}`,
    user,
    database: searchParams.get("dbname") ?? (decodeURIComponent(pathname.slice(1)) || user)
  }
}
