import { MigrationFailed, OtherSchema } from "../../../adapters/postgres/index.ts"
import type { Fault } from "./Fault.ts"
import { codeOf, networkFault, messageOf } from "./networkFault.ts"
import type { DatabaseAddress } from "./databaseAddress.ts"

/** The privilege to grant when the server reports "permission denied". */
const lacking = (said: string, database: string): string => {
  if (said.includes("for table")) return "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public"
  return said.includes("for database") ? `CONNECT ON DATABASE "${database}"` : "USAGE, CREATE ON SCHEMA public"
}

/** PostgreSQL's error codes, explained to somebody who sets up Slipway. */
const known: Readonly<Record<string, (place: DatabaseAddress, said: string) => Fault>> = {
  "28P01": ({ server, user }) => ({
    detail: `${server} refuses the password of the user ${user}`,
    hint: "correct the user or the password in DATABASE_URL"
  }),
  "28000": ({ server }, said) => ({
    detail: `${server} refuses this kind of connection: ${said}`,
    hint: "correct DATABASE_URL (sslmode=require asks for TLS), or allow it in the server's pg_hba.conf"
  }),
  "3D000": ({ database, server }) => ({
    detail: `${server} has no database ${database}`,
    hint: `make it (CREATE DATABASE "${database}"), or correct DATABASE_URL`
  }),
  "42501": ({ database, user }, said) => ({
    detail: `the user ${user} may not do this in the database ${database}: ${said}`,
    hint: `as its owner, GRANT ${lacking(said, database)} TO "${user}"`
  }),
  "53300": ({ server }) => ({
    detail: `${server} has no free connection left`,
    hint: "raise its max_connections, or lower SLIPWAY_DATABASE_CONNECTIONS on every host"
  }),
  "57P03": ({ server }, said) => ({ detail: `${server} accepts no connections right now: ${said}`, hint: "try again" }),
  "25006": ({ server, user }) => ({
    detail: `${server} accepts no writes from the user ${user}`,
    hint: "point DATABASE_URL at the primary, and as a user whose transactions may write"
  })
}

/** The client's message if a server accepts a connection and then never answers. */
const silence = "Connection timed out"

/** Explains an error of the PostgreSQL client or of a migration. */
export const postgresFault = (error: Error, place: DatabaseAddress): Fault => {
  if (error instanceof OtherSchema)
    return { detail: `the database ${place.database}: ${error.detail}`, hint: error.hint }
  const code = codeOf(error)
  const said = messageOf(error)
  const fault =
    known[code]?.(place, said) ?? networkFault(said === silence ? "ETIMEDOUT" : code, place.server, "DATABASE_URL")
  if (fault !== undefined) return fault
  return error instanceof MigrationFailed
    ? {
        detail: `the database ${place.database} can't be brought to this version's schema: ${said}`,
        hint: "repair its tables, or name a database that only Slipway uses in DATABASE_URL"
      }
    : { detail: `${place.server} can't be used: ${said}`, hint: "check the server, or correct DATABASE_URL" }
}
