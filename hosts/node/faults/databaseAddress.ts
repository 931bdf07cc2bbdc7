import { Redacted } from "effect"

/** Where a URL of PostgreSQL leads, and as whom, for people to read: nothing of it is secret. */
export interface DatabaseAddress {
  /** Host and port, or a socket's folder. */
  readonly server: string
  readonly user: string
  readonly database: string
}

/** The place of a URL, read as the client reads it: the query wins, what is absent has libpq's defaults. */
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
